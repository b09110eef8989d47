package process

import (
	"errors"
	"io"
	"sync"

	"tapedeck/schema"
)

// errBehind ends a recording that is slower than the command.
var errBehind = errors.New("the recorder could not keep up with the output, and the buffer between them is full")

// backlog is output, and recorded input, that waits to be recorded. It is a Source of output alone.
type backlog struct {
	limit int
	ready chan struct{} // holds one token if there may be new output

	mu     sync.Mutex // guards all below
	chunks []chunk
	bytes  int   // bytes in chunks
	seen   int64 // bytes of output that were added, including dropped bytes
	err    error // why the backlog ended, io.EOF for the end of the output
}

type chunk struct {
	data []byte
	at   int64
	way  schema.Direction
}

func newBacklog(limit int) *backlog {
	return &backlog{limit: limit, ready: make(chan struct{}, 1)}
}

// add adds a copy of a chunk. It never waits: if the backlog is full, the backlog ends.
func (b *backlog) add(p []byte, at int64, way schema.Direction) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if way == schema.Receive {
		b.seen += int64(len(p))
	}
	if b.err != nil {
		return
	}
	if b.bytes+len(p) > b.limit {
		b.close(errBehind)
		return
	}
	b.chunks = append(b.chunks, chunk{append([]byte(nil), p...), at, way})
	b.bytes += len(p)
	b.wake()
}

// end ends the backlog at the end of the output.
func (b *backlog) end() { b.fail(io.EOF) }

// fail ends the backlog. Only the first reason counts; waiting chunks are still read.
func (b *backlog) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.close(err)
}

func (b *backlog) close(err error) {
	if b.err == nil {
		b.err = err
		b.wake()
	}
}

func (b *backlog) wake() {
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

func (b *backlog) total() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seen
}

// Next implements copier.Source.
func (b *backlog) Next() (p []byte, at int64, err error) {
	c, err := b.next()
	return c.data, c.at, err
}

// next waits for the next chunk.
func (b *backlog) next() (chunk, error) {
	for {
		b.mu.Lock()
		if len(b.chunks) > 0 {
			c := b.chunks[0]
			b.chunks[0] = chunk{} // release its bytes
			b.chunks = b.chunks[1:]
			b.bytes -= len(c.data)
			b.mu.Unlock()
			return c, nil
		}
		err := b.err
		b.mu.Unlock()
		if err != nil {
			return chunk{}, err
		}
		<-b.ready
	}
}
