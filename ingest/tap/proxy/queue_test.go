package proxy

import (
	"testing"
	"testing/synctest"

	"golang.org/x/sync/semaphore"
)

// The recorder takes what was put once there is a signal, and without one a
// little later.
func TestSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1<<20, semaphore.NewWeighted(1<<20))
		took := make(chan int)
		go func() {
			defer close(took)
			for items := q.take(nil); items != nil; items = q.take(items) {
				took <- len(items)
			}
		}()
		none := func(when string) {
			t.Helper()
			synctest.Wait()
			select {
			case n := <-took:
				t.Errorf("took %d items %s", n, when)
			default:
			}
		}
		for range 3 { // again and again, also after the timer has run out
			synctest.Wait() // for the recorder to wait
			q.put(item{data: []byte("a")})
			q.put(item{data: []byte("b")})
			none("before the signal")
			q.signal()
			if n := <-took; n != 2 {
				t.Errorf("took %d items at the signal", n)
			}
			q.put(item{data: []byte("c")})
			none("before it is late")
			if n := <-took; n != 1 {
				t.Errorf("took %d items without a signal", n)
			}
		}
		q.put(item{data: []byte("d")})
		q.close()
		if n := <-took; n != 1 {
			t.Errorf("took %d items at the end", n)
		}
		if _, more := <-took; more {
			t.Error("took something after the end")
		}
	})
}
