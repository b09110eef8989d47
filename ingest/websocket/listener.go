package websocket

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"

	"tapedeck/ingest"
	"tapedeck/schema"
)

// listener stands between a connection and the library that speaks WebSocket
// on it, and records what the library reads. So arrival is the time of the
// read, and a message that is cut off shows as such, which a library that
// hands out messages does not tell.
//
// Recording holds up reading: that is the back-pressure. Once a frame could not
// be recorded nothing more is, and reading goes on, for the connection to be
// closed in good order.
type listener struct {
	from   io.Reader
	buf    []byte
	unread []byte // of buf: recorded, and not given to the library so far
	err    error  // of from, for after unread

	record func(*schema.Frame) error
	failed func(error) // called once, when recording fails

	mu     sync.Mutex // guards all below, and calls of record and failed
	cutter *Cutter
	mute   bool  // nothing more is recorded
	cut    error // the connection's end, if it was not closed but cut
}

// readSize is how much is read at a time at most, bytes.
const readSize = 32 << 10

// Read implements io.Reader. It is for one goroutine at a time.
func (l *listener) Read(p []byte) (int, error) {
	if len(l.unread) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		if l.buf == nil {
			l.buf = make([]byte, readSize)
		}
		var n int
		n, l.err = l.from.Read(l.buf)
		l.unread = l.buf[:n]
		l.hear(l.unread, l.err)
		if n == 0 {
			return 0, l.err
		}
	}
	n := copy(p, l.unread)
	l.unread = l.unread[n:]
	return n, nil
}

func (l *listener) hear(p []byte, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = err
	if len(p) > 0 && !l.mute {
		l.check(l.cutter.Cut(p, ingest.Now(), l.record))
	}
}

// end records what is left once the connection has ended, and gives the error
// of the connection, nil if it was not what ended it.
func (l *listener) end() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.mute {
		l.check(l.cutter.End(ingest.Now(), l.record))
		l.mute = true
	}
	return l.cut
}

// drop has nothing more recorded. It returns once no frame is being recorded.
func (l *listener) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mute = true
}

func (l *listener) check(err error) {
	if err != nil {
		l.mute = true
		l.failed(err)
	}
}

// clientSide puts a listener on the connection that a handshake gives a client.
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
		c.listener.from = conn
		answer.Body = struct {
			io.Reader
			io.WriteCloser
		}{c.listener, conn}
	}
	return answer, nil
}

// serverSide puts a listener on the connection that a handshake gives a server.
type serverSide struct {
	http.ResponseWriter
	listener *listener
}

// Unwrap is for http.ResponseController.
func (s serverSide) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// Hijack implements http.Hijacker.
func (s serverSide) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(s.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	// A client that did not wait for the answer: its bytes come first.
	early, err := buffered.Reader.Peek(buffered.Reader.Buffered())
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	s.listener.from = io.MultiReader(bytes.NewReader(bytes.Clone(early)), conn)
	heard := heardConn{conn, s.listener}
	buffered.Reader.Reset(heard)
	return heard, buffered, nil
}

// heardConn is a connection that a listener reads.
type heardConn struct {
	net.Conn
	listener *listener
}

// Read implements net.Conn.
func (c heardConn) Read(p []byte) (int, error) { return c.listener.Read(p) }
