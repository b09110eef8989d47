package replayhttp

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// body writes the body of a streaming response. Every write has a deadline, so
// that a client that does not read occupies only its connection, for a limited time.
type body struct {
	timeout time.Duration
	control *http.ResponseController
	// clears is set in HTTP/2, in which a deadline also ends the answer between two writes: it is
	// removed after each.
	clears bool

	mu     sync.Mutex // guards the fields below: the heartbeat writes between frames
	w      http.ResponseWriter
	buf    []byte
	sent   int       // bytes written so far
	until  time.Time // the current deadline
	failed error
}

// errClient reports a failed write to the client: the client has disconnected or does not read.
type errClient struct{ err error }

func (e *errClient) Error() string { return "write to the client: " + e.err.Error() }
func (e *errClient) Unwrap() error { return e.err }

const (
	writeSize = 64 << 10 // a larger buffer is written without a flush
	keepSize  = 1 << 20  // a larger buffer is freed
)

// newBody begins the response to a request and sends its header.
func newBody(w http.ResponseWriter, r *http.Request, contentType string, timeout time.Duration) (*body, error) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	b := &body{w: w, control: http.NewResponseController(w), timeout: timeout, clears: r.ProtoMajor >= 2}
	// A read deadline of the server would look like a client that disconnected.
	if err := b.control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, &errClient{err}
	}
	w.WriteHeader(http.StatusOK)
	return b, b.flush()
}

// append adds to the body under its lock: add receives the buffer and returns it.
func (b *body) append(add func([]byte) []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf = add(b.buf)
	if len(b.buf) >= writeSize {
		return b.settle(b.write())
	}
	return b.failed
}

// flush sends the buffer.
func (b *body) flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.write(); err != nil {
		return err
	}
	return b.settle(b.control.Flush())
}

// settle notes the error of the last write or flush before a pause. The caller holds b.mu.
func (b *body) settle(err error) error {
	if err == nil && b.clears {
		b.until = time.Time{}
		err = b.clear()
	}
	return b.note(err)
}

// write writes the buffer to the connection. The caller holds b.mu.
func (b *body) write() error {
	if b.failed != nil {
		return b.failed
	}
	if err := b.extend(); err != nil {
		return b.note(err)
	}
	n, err := b.w.Write(b.buf)
	b.sent += n
	if b.buf = b.buf[:0]; cap(b.buf) > keepSize {
		b.buf = nil
	}
	return b.note(err)
}

// extend sets the deadline of the next write to timeout, or keeps a deadline that is at most an
// eighth earlier, since setting a deadline costs about as much as encoding a frame. The caller
// holds b.mu.
func (b *body) extend() error {
	now := time.Now()
	if b.until.Sub(now) >= b.timeout-b.timeout/8 {
		return nil
	}
	b.until = now.Add(b.timeout)
	if err := b.control.SetWriteDeadline(b.until); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// note keeps the first error. The caller holds b.mu.
func (b *body) note(err error) error {
	if err != nil && b.failed == nil {
		b.failed = &errClient{err}
	}
	return b.failed
}

// close removes the deadline from the connection, which may serve other requests.
func (b *body) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.clear()
}

// clear removes the deadline.
func (b *body) clear() error {
	if err := b.control.SetWriteDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("remove the deadline of the connection: %w", err)
	}
	return nil
}
