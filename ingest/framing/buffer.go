// Package framing puts frames together out of the reads that their bytes came
// in. It is what the framers of byte streams share: which bytes wait, when each
// of them arrived, and what the bytes of a frame say about it.
package framing

import (
	"sync"

	"tapedeck/schema"
)

// MaxCuts bounds the cuts of one frame. Of a frame that came in more reads than
// that, the ends of the first ones are kept.
const MaxCuts = 4096

// Buffer holds the bytes of a frame that is not complete. While it is empty it
// holds next to no memory. It is not safe for use by several goroutines.
type Buffer struct {
	transport schema.Transport
	at        int64  // arrival of the current read, ns
	read      uint64 // number of the current read, from 1
	ended     uint64 // number of the read that brought the end of the last frame

	pooled  *[]byte // where pending came from, nil while nothing waits
	pending []byte  // bytes of reads so far that wait, from off on
	off     int
	// cuts are the ends of reads within pending, with offsets into it, from
	// used on. cuts[0] is the end of read number first.
	cuts  []schema.Cut
	used  int
	first uint64

	frame schema.Frame // what emit is given
}

// New makes an empty buffer for frames of a transport.
func New(t schema.Transport) Buffer { return Buffer{transport: t} }

const (
	smallBuffer = 4 << 10
	// A larger buffer is left to the collector rather than kept for others.
	largeBuffer = 1 << 20
)

var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, smallBuffer)
	return &b
}}

// Begin starts a read that arrived at the given time, ns. The read must not be
// empty.
func (b *Buffer) Begin(at int64) {
	b.at = max(at, b.at)
	b.read++
}

// EndRead notes where the read ended in the bytes that wait.
func (b *Buffer) EndRead() {
	if b.Len() == 0 {
		return
	}
	if len(b.cuts) == b.used {
		b.cuts, b.used = b.cuts[:0], 0
		b.first = b.read
	}
	// The reads that brought pending follow on each other, so cuts do, too,
	// until there are too many of them.
	if len(b.cuts)-b.used < MaxCuts && b.first+uint64(len(b.cuts)) == b.read {
		b.cuts = append(b.cuts, schema.Cut{Offset: uint32(len(b.pending)), At: b.at})
	}
}

// Len is the number of bytes that wait.
func (b *Buffer) Len() int { return len(b.pending) - b.off }

// Pending is the bytes that wait. They are valid until the next call.
func (b *Buffer) Pending() []byte { return b.pending[b.off:] }

// Append has bytes of the current read wait; they are copied.
func (b *Buffer) Append(p []byte) {
	if b.pooled == nil {
		b.pooled = buffers.Get().(*[]byte)
		b.pending = (*b.pooled)[:0]
	}
	b.compact()
	b.pending = append(b.pending, p...)
}

// compact moves what waits to the front.
func (b *Buffer) compact() {
	if b.off == 0 {
		return
	}
	n := copy(b.pending, b.pending[b.off:])
	b.pending = b.pending[:n]
	b.cuts = b.cuts[:copy(b.cuts, b.cuts[b.used:])]
	for i := range b.cuts {
		b.cuts[i].Offset -= uint32(b.off)
	}
	b.first += uint64(b.used)
	b.off, b.used = 0, 0
}

// release gives the memory up once nothing waits.
func (b *Buffer) release() {
	if b.Len() > 0 {
		return
	}
	if b.pooled != nil && cap(b.pending) <= largeBuffer {
		*b.pooled = b.pending[:0]
		buffers.Put(b.pooled)
	}
	b.pooled, b.pending, b.off = nil, nil, 0
	if cap(b.cuts) > 8 {
		b.cuts = nil
	}
	b.cuts, b.used = b.cuts[:0], 0
}
