package websocket

import (
	"cmp"
	"time"

	"tapedeck/internal/backoff"
)

// Reconnect bounds the wait before connecting again. The wait begins with First and doubles up to
// Most, with a jitter of a fifth. It is First again after a connection that received a message.
type Reconnect struct {
	First time.Duration // default 500 ms
	Most  time.Duration // default 30 s
}

// backoff returns a Backoff with these bounds.
func (r Reconnect) backoff() backoff.Backoff {
	return backoff.Backoff{Min: cmp.Or(r.First, 500*time.Millisecond), Max: cmp.Or(r.Most, 30*time.Second)}
}
