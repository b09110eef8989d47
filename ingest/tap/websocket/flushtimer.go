package websocket

import (
	"context"
	"sync/atomic"
	"time"
)

// flushTimer flushes the stream of a client that waits for the acknowledgement of its last frame.
// If that frame cannot be made durable, there is no later frame that would report the failure. It
// runs only while there are frames that are not durable.
type flushTimer struct {
	of      *served
	timer   *time.Timer
	running atomic.Bool
	awaited int64 // highest recorded seq when the timer was started; owned by the goroutine that set running
}

func (w *flushTimer) init(of *served) {
	w.of = of
	w.timer = time.AfterFunc(of.handler.opts.Timeout, w.check)
	w.timer.Stop()
}

// begin starts the timer after a frame was recorded.
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
