package websocket

import (
	"context"
	"time"
)

// Reconnect configures the wait before connecting again: First, then twice as long each
// time up to Most. It starts again at First after a connection that received a message.
type Reconnect struct {
	First time.Duration // default 500 ms
	Most  time.Duration // default 30 s
}

func (r Reconnect) withDefaults() Reconnect {
	if r.First == 0 {
		r.First = 500 * time.Millisecond
	}
	if r.Most == 0 {
		r.Most = 30 * time.Second
	}
	return r
}

// backoff is the wait before the next attempt.
type backoff struct {
	bounds Reconnect
	last   time.Duration
}

func (b *backoff) reset() { b.last = 0 }

// sleep waits; it returns false if ctx ended meanwhile.
func (b *backoff) sleep(ctx context.Context) bool {
	b.last = min(max(2*b.last, b.bounds.First), b.bounds.Most)
	timer := time.NewTimer(b.last)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
