package websocket

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A few do the work, however much there is; while they are held up there are
// more; without work there is nobody.
func TestCrew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newWorkers()
		var begun, done atomic.Int32
		hold := make(chan struct{})
		all := int32(8 * c.size)
		for range all {
			c.do(func() {
				begun.Add(1)
				<-hold
				done.Add(1)
			})
		}
		time.Sleep(stallTimeout / 2) // between the looks of who relieves
		for _, want := range []int32{1, 2, 4, 8} {
			synctest.Wait()
			if got := begun.Load(); got != want*int32(c.size) {
				t.Errorf("%d at work, want %d times %d", got, want, c.size)
			}
			time.Sleep(2 * stallTimeout) // it takes one look without work begun
		}
		close(hold)
		synctest.Wait()
		if got := done.Load(); got != all {
			t.Errorf("%d done of %d", got, all)
		}

		// The usual number again.
		begun.Store(0)
		hold = make(chan struct{})
		for range all {
			c.do(func() { begun.Add(1); <-hold })
		}
		synctest.Wait()
		if got := begun.Load(); got != int32(c.size) {
			t.Errorf("%d at work after the crowd, want %d", got, c.size)
		}
		close(hold)
		time.Sleep(2 * stallTimeout)
		synctest.Wait()
		if c.running != 0 || c.watched {
			t.Errorf("%d members without work, watched %t", c.running, c.watched)
		}
	})
}
