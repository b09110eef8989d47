package websocket

import (
	"context"
	"sync"
)

// connSet tracks the connections of a Handler, and can be closed.
type connSet struct {
	mu     sync.Mutex // guards all below
	count  int        // connections, including those in a handshake
	open   map[*served]struct{}
	closed bool
	empty  chan struct{} // closed once the set is closed and empty
}

func (r *connSet) init() { r.open, r.empty = map[*served]struct{}{}, make(chan struct{}) }

// enter counts a connection before its handshake. It returns false once the set is closed.
func (r *connSet) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.count++
	return true
}

// add adds a connection after its handshake.
func (r *connSet) add(s *served) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[s] = struct{}{}
	if r.closed {
		s.endEarly(s.leave)
	}
}

// leave removes a connection that entered, whether it was added or not.
func (r *connSet) leave(s *served) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, s)
	r.count--
	if r.closed && r.count == 0 {
		close(r.empty)
	}
}

// close ends all connections. It returns a channel that is closed once they have ended.
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

// Shutdown accepts no more connections, and ends the existing ones: it makes received
// frames durable, acknowledges them, and closes the connections with code 1001. It returns
// when that is done, or with the error of ctx. The Shutdown of an http.Server does not
// cover upgraded connections, so this is called in addition to it.
func (h *Handler) Shutdown(ctx context.Context) error {
	empty := h.conns.close()
	select {
	case <-empty:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
