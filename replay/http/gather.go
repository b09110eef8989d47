package replayhttp

import (
	"bufio"
	"net"
	"net/http"
	"sync"
)

// gatherSize is the number of bytes from which gathered messages are written without a flush.
const gatherSize = 16 << 10

// gatherer is the connection of a WebSocket. It writes the messages of frames that are due together
// in one write, since the write of each message would cost the server and the client more than the
// message itself. While nothing is gathered, it writes at once.
type gatherer struct {
	net.Conn

	mu     sync.Mutex // guards the fields below, and serialises writes
	on     bool       // writes are gathered
	buf    []byte
	failed error // of a write of gathered bytes
}

// gather begins to gather what is written.
func (g *gatherer) gather() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.on = true
}

// flush writes what was gathered. Further writes are not gathered.
func (g *gatherer) flush() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.on = false
	return g.send()
}

// Write implements net.Conn.
func (g *gatherer) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.on {
		if err := g.send(); err != nil {
			return 0, err
		}
		return g.Conn.Write(p)
	}
	if g.buf = append(g.buf, p...); len(g.buf) < gatherSize {
		return len(p), g.failed
	}
	return len(p), g.send()
}

// send writes the gathered bytes. The caller holds mu.
func (g *gatherer) send() error {
	if g.failed == nil && len(g.buf) > 0 {
		_, g.failed = g.Conn.Write(g.buf)
	}
	if g.buf = g.buf[:0]; cap(g.buf) > 2*gatherSize {
		g.buf = nil
	}
	return g.failed
}

// gathering is an http.ResponseWriter whose hijacked connection is a gatherer.
type gathering struct {
	http.ResponseWriter
	conn *gatherer // set by Hijack
}

// Hijack implements http.Hijacker.
func (w *gathering) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	w.conn = &gatherer{Conn: conn}
	return w.conn, bufio.NewReadWriter(buffered.Reader, bufio.NewWriterSize(w.conn, buffered.Writer.Size())), nil
}
