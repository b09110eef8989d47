package websocket

import (
	"context"
	"sync"
)

// roster knows the connections of a Handler, and can be closed.
type connSet struct {
	mu     sync.Mutex // guards all below
	count  int        // connections, also those that are being made
	open   map[*served]struct{}
	closed bool
	empty  chan struct{} // closed once the roster is, and no connection is left
}

func (r *connSet) init() { r.open, r.empty = map[*served]struct{}{}, make(chan struct{}) }

// enter counts a connection that is being made. It is false once the roster is
// closed.
func (r *connSet) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.count++
	return true
}

// add adds a connection that entered and was made.
func (r *connSet) add(s *served) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[s] = struct{}{}
	if r.closed {
		s.endEarly(s.leave)
	}
}

// leave takes out a connection that entered, whether it was added or not.
func (r *connSet) leave(s *served) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, s)
	r.count--
	if r.closed && r.count == 0 {
		close(r.empty)
	}
}

// close ends all connections. It gives what is closed once they have ended.
func (r *connSet) close() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return r.empty
	}
	r.closed = true
	for s := range r.open {
		s.endEarly(s.leave)
	}
	if r.count == 0 {
		close(r.empty)
	}
	return r.empty
}

// Shutdown takes no more connections, and ends those there are: what came on
// them is made durable and acknowledged, and they are closed with code 1001. It
// returns when that is done, or with ctx's error. A server that the handler is
// used in does not know of connections that were upgraded, so this is called
// beside the server's own Shutdown.
func (h *Handler) Shutdown(ctx context.Context) error {
	empty := h.conns.close()
	select {
	case <-empty:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
