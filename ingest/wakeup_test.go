package ingest

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestWakeup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w wakeup
		began := time.Now()
		var calls []time.Duration
		w.fire = func() {
			w.fired()
			calls = append(calls, time.Since(began))
		}
		expect := func(want ...time.Duration) {
			t.Helper()
			time.Sleep(time.Minute)
			synctest.Wait()
			if len(calls) != len(want) || len(want) == 1 && calls[0] != want[0] {
				t.Errorf("called after %v, want %v", calls, want)
			}
			calls, began = nil, time.Now()
		}
		w.within(time.Second)
		w.within(5 * time.Millisecond) // the shortest counts
		w.within(10 * time.Millisecond)
		expect(5 * time.Millisecond)
		w.within(time.Second)
		expect(time.Second)
		w.within(time.Second)
		w.end()
		w.within(time.Millisecond)
		expect()
	})
}
