package websocket

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/copier"
	"tapedeck/schema"
)

// listener reads between a connection and the WebSocket library, and records what the library
// reads. So the arrival time is the time of the read, and a message that is cut off is recorded,
// which the library's messages do not allow.
//
// Reading waits for recording, which is the backpressure. If a frame cannot be recorded, nothing
// more is recorded, but reading continues so that the connection can be closed normally.
type listener struct {
	from   source
	conn   net.Conn // of a server; its deadline bounds the silence in the midst of a charged message
	waits  bool     // a deadline is set
	unread []byte   // received and recorded, but not yet returned by Read
	err    error    // error of from, returned after unread

	record   func(*schema.Frame) error
	failed   func(error)     // called once, when recording fails
	panicked func(cause any) // nil if a panic is not handled as a failure of the recording

	mu      sync.Mutex // guards all below, and calls of the functions above
	framer  *Framer
	charged *copier.Charged // the framer with its charge; nil if nothing is charged
	stopped bool            // nothing more is recorded
	cut     error           // the connection's error, unless it was closed normally
}

// Read implements io.Reader. It is for one goroutine at a time.
func (l *listener) Read(p []byte) (int, error) {
	if len(l.unread) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.limitSilence()
		l.unread, l.err = l.from.receive(p)
		l.recordRead()
		if len(l.unread) == 0 {
			return 0, l.err
		}
	}
	n := copy(p, l.unread)
	if l.unread = l.unread[n:]; len(l.unread) == 0 {
		l.unread = nil
		l.from.release()
	}
	return n, nil
}

// limitSilence sets the deadline of the next read: a client that sends nothing in the midst of a
// charged message must not keep its memory from others.
func (l *listener) limitSilence() {
	if l.charged == nil || l.conn == nil {
		return
	}
	l.mu.Lock()
	charges := l.charged.Charges()
	l.mu.Unlock()
	switch {
	case charges:
		_ = l.conn.SetReadDeadline(time.Now().Add(copier.ChargedSilence)) // a broken connection fails to be read
	case l.waits:
		_ = l.conn.SetReadDeadline(time.Time{})
	}
	l.waits = charges
}

// split splits the bytes of a read into frames, which are recorded. mu is held.
func (l *listener) split(p []byte) error {
	if l.charged != nil {
		return l.charged.Split(p, ingest.Now(), l.record)
	}
	return l.framer.Split(p, ingest.Now(), l.record)
}

// recordRead records what was received.
func (l *listener) recordRead() {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.recovered()
	l.cut = l.err
	if len(l.unread) > 0 && !l.stopped {
		l.check(l.split(l.unread))
	}
}

// end records the remaining bytes after the connection has ended, and returns the error that ended
// the connection, nil if there was none.
func (l *listener) end() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.stopped {
		l.check(l.framer.End(ingest.Now(), l.record))
		l.stopped = true
	}
	if l.charged != nil {
		l.charged.Release()
	}
	return l.cut
}

// stop stops recording. When it returns, no frame is being recorded.
func (l *listener) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
}

// recovered is deferred. It stops recording after a panic, if panicked is set.
func (l *listener) recovered() {
	if l.panicked == nil {
		return
	}
	if cause := recover(); cause != nil {
		l.panicked(cause)
		l.check(fmt.Errorf("recording failed: %v", cause))
	}
}

func (l *listener) check(err error) {
	if err != nil {
		l.stopped = true
		l.failed(err)
	}
}

// clientSide inserts a listener into the connection of a client's handshake.
type clientSide struct {
	base     http.RoundTripper
	listener *listener
}

// RoundTrip implements http.RoundTripper.
func (c clientSide) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := c.base.RoundTrip(r)
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		return answer, err
	}
	if conn, ok := answer.Body.(io.ReadWriteCloser); ok {
		c.listener.from.from = conn
		answer.Body = struct {
			io.Reader
			io.WriteCloser
		}{c.listener, conn}
	}
	return answer, nil
}

// serverSide inserts a listener into the connection of a server's handshake.
type serverSide struct {
	http.ResponseWriter
	listener *listener
}

// Unwrap implements the unwrapping of http.ResponseController.
func (s serverSide) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// Hijack implements http.Hijacker.
func (s serverSide) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(s.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	// Bytes of a client that did not wait for the response come first.
	early, err := buffered.Reader.Peek(buffered.Reader.Buffered())
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	s.listener.from.from, s.listener.conn = conn, conn
	if len(early) > 0 {
		s.listener.from.from = io.MultiReader(bytes.NewReader(bytes.Clone(early)), conn)
	}
	recorded := recordedConn{conn, s.listener}
	return recorded, bufio.NewReadWriter(bufio.NewReaderSize(recorded, readRoom),
		bufio.NewWriterSize(recorded, answerRoom)), nil
}

// readRoom and answerRoom are the sizes of the library's buffers, bytes. Each connection holds them
// while it is idle. A read returns at most readRoom bytes, unless the previous read filled the
// buffer; answerRoom holds the short messages of the server.
const (
	readRoom   = 1 << 10
	answerRoom = 128
)

// recordedConn is a connection that is read through a listener.
type recordedConn struct {
	net.Conn
	listener *listener
}

// Read implements net.Conn.
func (c recordedConn) Read(p []byte) (int, error) { return c.listener.Read(p) }
