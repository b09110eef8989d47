package slow

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"sync/atomic"
)

// Heads counts the connections of an http.Server that are closed because the header of a request
// did not arrive within the server's ReadHeaderTimeout. ConnContext and ConnState implement the
// functions of the same names in http.Server; Listener wraps the server's listener.
type Heads struct{}

// Listener returns a listener whose connections are counted.
func (Heads) Listener(l net.Listener) net.Listener { return headListener{l} }

// ConnContext adds a connection to the context, for Arrived.
func (Heads) ConnContext(ctx context.Context, c net.Conn) context.Context {
	if h := headOf(c); h != nil {
		return context.WithValue(ctx, headKey{}, h)
	}
	return ctx
}

// ConnState records that a connection waits for its next request.
func (Heads) ConnState(c net.Conn, state http.ConnState) {
	if h := headOf(c); h != nil && state == http.StateIdle {
		h.awaited.Store(false)
		h.served.Store(false)
	}
}

// Arrived records that the header of a request arrived. The server's handler calls it first.
func (Heads) Arrived(r *http.Request) {
	if h, ok := r.Context().Value(headKey{}).(*headConn); ok {
		h.served.Store(true)
	}
}

type headKey struct{}

type headListener struct{ net.Listener }

// Accept implements net.Listener.
func (l headListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	h := &headConn{Conn: c}
	h.awaited.Store(true)
	return h, nil
}

// headConn is a connection on which a deadline may pass between two requests.
type headConn struct {
	net.Conn
	awaited atomic.Bool // a header is expected: the connection is new, or a part of the header has arrived
	served  atomic.Bool // the header is complete: the body's deadlines apply
}

// Read implements net.Conn.
func (c *headConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.awaited.Store(true)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) && c.awaited.Load() && !c.served.Load() {
		clients.WithLabelValues("header-timeout").Inc()
	}
	return n, err
}

// headOf returns the headConn below a connection of the server, nil if there is none.
func headOf(c net.Conn) *headConn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	h, _ := c.(*headConn)
	return h
}
