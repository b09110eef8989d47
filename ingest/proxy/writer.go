package proxy

import (
	"bufio"
	"net"
	"net/http"
)

// writer is the client's side of an exchange. It has net/http add nothing to
// the answer, and loses nothing of what a client sends early.
type writer struct {
	http.ResponseWriter
	exchange *exchange
}

// Unwrap is for http.ResponseController.
func (w writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w writer) WriteHeader(status int) {
	if status >= http.StatusOK {
		h := w.Header()
		for _, name := range []string{"Content-Type", "Date"} {
			if _, ok := h[name]; !ok {
				h[name] = nil // present, and so not filled in
			}
		}
		if !w.exchange.asked() {
			w.answerEarly(h)
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// answerEarly prepares for an answer that begins before the request has ended:
// the server is not to read the rest of the request first. Nor can it tell,
// then, where the next request on this connection begins, so there is none.
func (w writer) answerEarly(h http.Header) {
	if http.NewResponseController(w.ResponseWriter).EnableFullDuplex() == nil {
		h.Set("Connection", "close")
	}
}

// Hijack implements http.Hijacker. What the client sent before the answer to
// its upgrade is read from the connection like all that comes after.
func (w writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil || rw.Reader.Buffered() == 0 {
		return conn, rw, err
	}
	return &earlyConn{Conn: conn, early: rw.Reader}, rw, nil
}

// earlyConn is a connection of which some was read already.
type earlyConn struct {
	net.Conn
	early *bufio.Reader
}

// Read implements net.Conn.
func (c *earlyConn) Read(p []byte) (int, error) {
	if n := c.early.Buffered(); n > 0 {
		return c.early.Read(p[:min(n, len(p))])
	}
	return c.Conn.Read(p)
}

// CloseWrite passes on that the upstream will send no more.
func (c *earlyConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
