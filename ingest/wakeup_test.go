package ingest

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestWakeup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w wakeup
		var mu sync.Mutex // as the stream's lock
		began := time.Now()
		var calls []time.Duration
		w.fire = func() {
			mu.Lock()
			defer mu.Unlock()
			w.fired()
			calls = append(calls, time.Since(began))
		}
		expect := func(want ...time.Duration) {
			t.Helper()
			time.Sleep(time.Minute) // virtual time: longer than all delays
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if len(calls) != len(want) || len(want) == 1 && calls[0] != want[0] {
				t.Errorf("called after %v, want %v", calls, want)
			}
			calls, began = nil, time.Now()
		}
		within := func(d time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			w.within(d)
		}
		within(time.Second)
		within(5 * time.Millisecond) // the shortest counts
		within(10 * time.Millisecond)
		expect(5 * time.Millisecond)
		within(time.Second)
		expect(time.Second)
		within(time.Second)
		mu.Lock()
		w.end()
		mu.Unlock()
		within(time.Millisecond)
		expect()
	})
}
