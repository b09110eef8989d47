package bench

import (
	"math"
	"testing"
	"time"
)

// Growth is that of the second half alone, and memory that grows by more than a hundredth in a
// minute is not flat.
func TestMemorySlope(t *testing.T) {
	for _, tc := range []struct {
		perMinute float64 // bytes
		flat      bool
	}{{0, true}, {500_000, true}, {-5e6, true}, {3e6, false}} {
		m := memory{}
		for i := range 600 {
			at := time.Duration(i) * time.Second
			bytes := 100e6 + at.Minutes()*tc.perMinute
			if i < 300 {
				bytes = float64(i) * 1e5 // filling caches
			}
			m.samples = append(m.samples, memorySample{at, bytes})
		}
		if got := m.slope(); math.Abs(got-tc.perMinute) > 1 || m.flat() != tc.flat {
			t.Errorf("%g a minute: %g, flat: %v", tc.perMinute, got, m.flat())
		}
	}
	var none memory
	if none.slope() != 0 || none.mean() != 0 {
		t.Error("growth without samples")
	}
}
