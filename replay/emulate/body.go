package emulate

import (
	"net/http"
	"sync"

	"tapedeck/internal/slow"
	"tapedeck/replay"
	"tapedeck/schema"
)

// Body writes the body of an answer. Every write has its own deadline, so
// that a client that does not read occupies only its connection, for a limited time. It
// is safe for concurrent use.
type Body struct {
	// Merge sends data due at the same time together, without separate chunks.
	Merge bool

	mu   sync.Mutex // guards the fields below: a heartbeat writes between frames
	out  *slow.Writer
	buf  []byte
	Sent int64 // bytes written so far; read after the last write
	err  error
	last read
}

// read identifies the read of a stream in which bytes arrived.
type read struct {
	stream string
	at     int64
}

// ClientError reports a failed write to the client: the client has disconnected or does not read.
type ClientError struct{ Err error }

func (e *ClientError) Error() string { return "write to the client: " + e.Err.Error() }
func (e *ClientError) Unwrap() error { return e.Err }

// NewBody returns the body of an answer whose header is not written yet.
func (s *Stage) NewBody(w http.ResponseWriter) *Body {
	return &Body{out: slow.NewWriter(w, s.opts.WriteTimeout)}
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

// WriteRead adds recorded bytes of a frame, after sending buffered bytes of another
// read, so that the recorded chunks are preserved.
func (b *Body) WriteRead(f *replay.Frame, from, to int) error {
	at, joined := f.At, f.Flags.Has(schema.FlagJoined)
	for _, c := range f.Cuts {
		if from < int(c.Offset) {
			at = c.At
			break
		}
	}
	if len(f.Cuts) > 0 && from == 0 { // the frame began in the read in which the previous frame ended
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

// Flush sends the buffer.
func (b *Body) Flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.send(); err != nil {
		return err
	}
	return b.note(b.out.Close())
}

// send writes the buffer to the connection. The caller holds b.mu.
func (b *Body) send() error {
	if b.err != nil || len(b.buf) == 0 {
		return b.err
	}
	n, err := b.out.Write(b.buf)
	b.Sent += int64(n)
	if b.buf = b.buf[:0]; cap(b.buf) > 1<<20 {
		b.buf = nil
	}
	return b.note(err)
}

// note keeps the first error. The caller holds b.mu.
func (b *Body) note(err error) error {
	if err != nil && b.err == nil {
		b.err = &ClientError{err}
	}
	return b.err
}

// Close sends the remaining bytes.
func (b *Body) Close() error { return b.Flush() }
