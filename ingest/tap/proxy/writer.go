package proxy

import (
	"bufio"
	"net"
	"net/http"
)

// writer is the client's side of an exchange. It prevents net/http from adding header fields to the
// response, and from discarding bytes that a client sends early.
type writer struct {
	http.ResponseWriter
	exchange *exchange
}

// Unwrap returns the writer that http.ResponseController uses.
func (w writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w writer) WriteHeader(status int) {
	if status >= http.StatusOK {
		h := w.Header()
		for _, name := range []string{"Content-Type", "Date"} {
			if _, ok := h[name]; !ok {
				h[name] = nil // present, so net/http does not set it
			}
		}
		if !w.exchange.http2 && !w.exchange.requestEnded() {
			w.answerEarly(h)
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// answerEarly prepares for a response over HTTP/1 that begins before the request has ended: it prevents
// the server from reading the rest of the request first. The connection is closed afterwards, since the
// server cannot know where the next request begins.
func (w writer) answerEarly(h http.Header) {
	if http.NewResponseController(w.ResponseWriter).EnableFullDuplex() == nil {
		h.Set("Connection", "close")
	}
}

// Hijack implements http.Hijacker. Bytes that the client sent before the response to its
// upgrade are read from the connection like all later ones.
func (w writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil || rw.Reader.Buffered() == 0 {
		return conn, rw, err
	}
	return &earlyConn{Conn: conn, early: rw.Reader}, rw, nil
}

// earlyConn is a connection with bytes that were read already.
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

// CloseWrite forwards the end of the upstream's output.
func (c *earlyConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
