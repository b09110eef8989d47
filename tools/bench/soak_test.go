package bench

import (
	"math"
	"testing"
	"time"
)

// Growth is taken from the second half alone, and memory that grows by more than a hundredth in a
// minute is not flat.
func TestMemorySlope(t *testing.T) {
	for _, tc := range []struct {
		perMinute float64 // bytes
		flat      bool
	}{{0, true}, {500_000, true}, {-5e6, true}, {3e6, false}} {
		m := Memory{Every: time.Second}
		for i := range 600 {
			at := time.Duration(i) * time.Second
			bytes := 100e6 + at.Minutes()*tc.perMinute
			if i < 300 {
				bytes = float64(i) * 1e5 // filling caches
			}
			m.Samples = append(m.Samples, uint64(bytes))
		}
		if got := m.Slope(); math.Abs(got-tc.perMinute) > 1 || m.flat() != tc.flat {
			t.Errorf("%g a minute: %g, flat: %v", tc.perMinute, got, m.flat())
		}
	}
	var none Memory
	if none.Slope() != 0 || none.Mean() != 0 {
		t.Error("growth without samples")
	}
}
