package emulate

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
)

// Body writes the body of an answer. Every write has a deadline of its own, so
// that a client that does not read costs one connection for a while and nothing
// else. It is safe for concurrent use.
type Body struct {
	// Merge: what is due at once goes out at once, chunks are not kept apart.
	Merge   bool
	timeout time.Duration
	control *http.ResponseController

	mu   sync.Mutex // guards what follows: a heartbeat writes between frames
	w    http.ResponseWriter
	buf  []byte
	Sent int64 // bytes written so far; read when nobody writes
	err  error
	last read
}

// read says which read of which stream bytes came in.
type read struct {
	stream string
	at     int64
}

// A ClientError is the client's fault or wish: it is gone, or does not read.
type ClientError struct{ Err error }

func (e *ClientError) Error() string { return "write to the client: " + e.Err.Error() }
func (e *ClientError) Unwrap() error { return e.Err }

// NewBody makes the body of an answer whose head is still to be written.
func (s *Stage) NewBody(w http.ResponseWriter) *Body {
	return &Body{w: w, control: http.NewResponseController(w), timeout: s.opts.WriteTimeout}
}

// Write adds to the body; Flush sends it.
func (b *Body) Write(p []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf = append(b.buf, p...)
	if len(b.buf) >= 64<<10 {
		return b.send()
	}
	return b.err
}

// WriteRead adds recorded bytes of a frame, and sends what came in another read
// before them, so that chunks stay as they were.
func (b *Body) WriteRead(f *replay.Frame, from, to int) error {
	at, joined := f.At, f.Flags.Has(schema.FlagJoined)
	for _, c := range f.Cuts {
		if from < int(c.Offset) {
			at = c.At
			break
		}
	}
	if len(f.Cuts) > 0 && from == 0 { // it began in the read that the one before ended in
		joined = f.Cuts[0].At == b.last.at
	}
	if !b.Merge && (from > 0 || !joined || b.last.stream != f.Stream.StreamID) {
		if err := b.Flush(); err != nil {
			return err
		}
	}
	b.last = read{f.Stream.StreamID, at}
	return b.Write(f.Raw[from:to])
}

// Flush sends what there is.
func (b *Body) Flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.send(); err != nil {
		return err
	}
	return b.note(b.control.Flush())
}

// send hands the buffer on. b.mu is held.
func (b *Body) send() error {
	if b.err != nil || len(b.buf) == 0 {
		return b.err
	}
	if err := b.control.SetWriteDeadline(time.Now().Add(b.timeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return b.note(err)
	}
	n, err := b.w.Write(b.buf)
	b.Sent += int64(n)
	if b.buf = b.buf[:0]; cap(b.buf) > 1<<20 {
		b.buf = nil
	}
	return b.note(err)
}

// note keeps the first error. b.mu is held.
func (b *Body) note(err error) error {
	if err != nil && b.err == nil {
		b.err = &ClientError{err}
	}
	return b.err
}

// Close sends the rest and takes the deadline off the connection, which may
// serve other requests.
func (b *Body) Close() error {
	err := b.Flush()
	b.mu.Lock()
	defer b.mu.Unlock()
	if clear := b.control.SetWriteDeadline(time.Time{}); clear != nil && !errors.Is(clear, http.ErrNotSupported) {
		return b.note(clear)
	}
	return err
}
