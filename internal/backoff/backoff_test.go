package backoff

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPauses(t *testing.T) {
	b := Backoff{Min: 250 * time.Millisecond, Max: 5 * time.Second}
	for range 3 {
		varied := map[time.Duration]bool{}
		for i, about := range []float64{250, 500, 1000, 2000, 4000, 5000, 5000, 5000} {
			d := b.Next()
			varied[d] = true
			low, high := max(250, 0.8*about), min(5000, 1.2*about)
			if ms := float64(d) / 1e6; ms < low || ms > high {
				t.Errorf("pause %d is %v, want %v to %v ms", i, d, low, high)
			}
		}
		if len(varied) < 4 {
			t.Errorf("pauses do not vary: %v", varied)
		}
		b.Reset()
	}
}

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if !Sleep(t.Context(), 3*time.Second) || time.Since(start) != 3*time.Second {
			t.Errorf("slept %v", time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if Sleep(ctx, time.Minute) || time.Since(start) != 4*time.Second {
			t.Errorf("slept on until %v", time.Since(start))
		}
	})
}
