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
	from   source
	unread []byte // received and recorded, and not given to the library so far
	err    error  // of from, for after unread

	record func(*schema.Frame) error
	failed func(error) // called once, when recording fails
	// beside, if set, calls hear in another goroutine, and returns when that
	// is done.
	recordAsync func()

	mu      sync.Mutex // guards all below, and calls of record and failed
	framer  *Framer
	stopped bool  // nothing more is recorded
	cut     error // the connection's end, if it was not closed but cut
}

// Read implements io.Reader. It is for one goroutine at a time.
func (l *listener) Read(p []byte) (int, error) {
	if len(l.unread) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.unread, l.err = l.from.receive(p)
		if l.recordAsync != nil && len(l.unread) > 0 {
			l.recordAsync()
		} else {
			l.recordRead()
		}
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

// hear records what was received.
func (l *listener) recordRead() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = l.err
	if len(l.unread) > 0 && !l.stopped {
		l.check(l.framer.Split(l.unread, ingest.Now(), l.record))
	}
}

// end records what is left once the connection has ended, and gives the error
// of the connection, nil if it was not what ended it.
func (l *listener) end() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.stopped {
		l.check(l.framer.End(ingest.Now(), l.record))
		l.stopped = true
	}
	return l.cut
}

// drop has nothing more recorded. It returns once no frame is being recorded.
func (l *listener) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
}

// giveUp has nothing more recorded, because err happened.
func (l *listener) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.check(err)
}

func (l *listener) check(err error) {
	if err != nil {
		l.stopped = true
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
		c.listener.from = &plain{from: conn}
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
	early = bytes.Clone(early)
	if from := newSocket(conn, early); from != nil {
		s.listener.from = from
	} else {
		s.listener.from = &plain{from: io.MultiReader(bytes.NewReader(early), conn)}
	}
	heard := recordedConn{conn, s.listener}
	// The library's own buffers hold headers, and what the server says, which is
	// short: messages go past them.
	return heard, bufio.NewReadWriter(bufio.NewReaderSize(heard, headerRoom), bufio.NewWriterSize(heard, answerRoom)), nil
}

// Sizes of the library's buffers, bytes.
const (
	headerRoom = 128
	answerRoom = 128
)

// heardConn is a connection that a listener reads.
type recordedConn struct {
	net.Conn
	listener *listener
}

// Read implements net.Conn.
func (c recordedConn) Read(p []byte) (int, error) { return c.listener.Read(p) }
