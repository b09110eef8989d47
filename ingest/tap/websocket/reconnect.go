package websocket

import (
	"cmp"
	"time"

	"tapedeck/internal/backoff"
)

// Reconnect bounds the wait before connecting again: First, then twice as long each time up to
// Most, varied by a fifth. It starts again at First after a connection that received a message.
type Reconnect struct {
	First time.Duration // default 500 ms
	Most  time.Duration // default 30 s
}

// backoff returns the waits within the bounds.
func (r Reconnect) backoff() backoff.Backoff {
	return backoff.Backoff{Min: cmp.Or(r.First, 500*time.Millisecond), Max: cmp.Or(r.Most, 30*time.Second)}
}
