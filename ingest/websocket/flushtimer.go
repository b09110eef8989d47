package websocket

import (
	"context"
	"sync/atomic"
	"time"
)

// watch looks after a client that sent its last frame and waits for its
// acknowledgement: should the frame be given up, no further frame tells so. It
// runs only while there are frames that are not durable.
type flushTimer struct {
	of      *served
	timer   *time.Timer
	running atomic.Bool
	awaited int64 // what was recorded when the timer was started; of who set running
}

func (w *flushTimer) init(of *served) {
	w.of = of
	w.timer = time.AfterFunc(of.handler.opts.Timeout, w.check)
	w.timer.Stop()
}

// begin is told that a frame was recorded.
func (w *flushTimer) begin() {
	if !w.running.Swap(true) {
		w.awaited = w.of.recorded.Load()
		w.timer.Reset(w.of.handler.opts.Timeout)
	}
}

func (w *flushTimer) check() {
	s := w.of
	if s.acks.next.Load() < w.awaited {
		ctx, cancel := context.WithTimeoutCause(context.Background(), s.handler.opts.Timeout, errTimeout)
		defer cancel()
		if err := s.stream.Flush(ctx); err != nil {
			s.fail(err)
			return
		}
	}
	w.running.Store(false)
	if s.acks.next.Load() < s.recorded.Load() {
		w.begin()
	}
}

func (w *flushTimer) stop() { w.timer.Stop() }
