package copier

import (
	"context"
	"io"

	"tapedeck/ingest"
)

const (
	// SmallRead and LargeRead bound the read buffer, bytes. It starts small, since most
	// streams are slow, and doubles when a read fills it.
	SmallRead = 1 << 10
	LargeRead = 256 << 10
	// calm is the number of consecutive small reads after which the buffer shrinks to SmallRead.
	calm = 32
)

// Reader is the Source of an io.Reader. It is not safe for use by several
// goroutines.
type Reader struct {
	from  io.Reader
	size  int // of the read buffer
	small int // consecutive reads that would have fit into a small buffer
	buf   []byte
	err   error // the error that ended the stream
}

// NewReader returns a Reader of r. It never closes r.
func NewReader(r io.Reader) *Reader { return &Reader{from: r, size: SmallRead} }

// NewFileReader returns a Reader for input that exists already and is read at full speed: its
// buffer has LargeRead bytes from the start.
func NewFileReader(r io.Reader) *Reader { return &Reader{from: r, size: LargeRead} }

// Next implements Source.
func (r *Reader) Next() (p []byte, at int64, err error) {
	if r.err != nil {
		return nil, 0, r.err
	}
	if len(r.buf) != r.size {
		r.buf = make([]byte, r.size)
	}
	const attempts = 100 // consecutive empty reads, the limit of package bufio
	for range attempts {
		n, err := r.from.Read(r.buf)
		at := ingest.Now()
		r.err = err
		if n > 0 {
			r.fit(n)
			return r.buf[:n], at, nil
		}
		if err != nil {
			return nil, 0, err
		}
	}
	r.err = io.ErrNoProgress
	return nil, 0, r.err
}

// fit sets the buffer size for the next read.
func (r *Reader) fit(n int) {
	switch {
	case n == len(r.buf) && n < LargeRead:
		r.size, r.small = 2*n, 0
	case n > SmallRead:
		r.small = 0
	default:
		if r.small++; r.small >= calm {
			r.size, r.small = SmallRead, 0
		}
	}
}

// Interruptible returns a reader whose reads end with ctx, for readers that another
// goroutine cannot close, such as standard input. A pending read of r is abandoned, with
// the goroutine that waits for it.
func Interruptible(ctx context.Context, r io.Reader) io.Reader {
	return &interruptible{ctx: ctx, from: r, done: make(chan result, 1)}
}

type interruptible struct {
	ctx  context.Context
	from io.Reader
	buf  []byte // not the caller's: an abandoned read still writes to it
	done chan result
}

type result struct {
	n   int
	err error
}

func (r *interruptible) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	if len(r.buf) < len(p) {
		r.buf = make([]byte, len(p))
	}
	buf := r.buf[:len(p)]
	go func() {
		n, err := r.from.Read(buf)
		r.done <- result{n, err}
	}()
	select {
	case got := <-r.done:
		return copy(p, buf[:got.n]), got.err
	case <-r.ctx.Done():
		return 0, context.Cause(r.ctx)
	}
}
