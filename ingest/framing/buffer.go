// Package framing assembles frames from the reads in which their bytes arrived. The framers of byte
// streams share it. It buffers pending bytes and the arrival time of each read, and derives a
// frame's flags from its bytes.
package framing

import (
	"slices"
	"sync"

	"tapedeck/schema"
)

// MaxCuts bounds the cuts of one frame. A frame that arrived in more reads has the ends of the
// first MaxCuts reads.
const MaxCuts = 4096

// Buffer holds the bytes of an incomplete frame. An empty buffer uses almost no memory. It is not
// safe for use by several goroutines.
type Buffer struct {
	transport schema.Transport
	at        int64  // arrival time of the current read, ns
	read      uint64 // number of the current read, from 1
	ended     uint64 // number of the read that contained the end of the last frame

	pooled  *[]byte // the pooled slice that holds pending; nil while there are no pending bytes
	pending []byte  // bytes of earlier reads, valid from off on
	off     int
	// cuts are the ends of reads as offsets into pending, valid from used on. cuts[0] is the end of
	// read number first.
	cuts  []schema.Cut
	used  int
	first uint64

	frame schema.Frame // reused argument of emit
}

// New returns an empty buffer for frames of a transport.
func New(t schema.Transport) Buffer { return Buffer{transport: t} }

const (
	smallBuffer = 4 << 10
	// A larger buffer is left to the garbage collector instead of the pool.
	largeBuffer = 1 << 20
)

var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, smallBuffer)
	return &b
}}

// Begin starts a read that arrived at the given time, ns. The read must not be empty.
func (b *Buffer) Begin(at int64) {
	b.at = max(at, b.at)
	b.read++
}

// EndRead records where the read ended in the pending bytes.
func (b *Buffer) EndRead() {
	if b.Len() == 0 {
		return
	}
	if len(b.cuts) == b.used {
		b.cuts, b.used = b.cuts[:0], 0
		b.first = b.read
	}
	// The reads in pending are consecutive, so their cuts are too, up to MaxCuts.
	if len(b.cuts)-b.used < MaxCuts && b.first+uint64(len(b.cuts)) == b.read {
		b.cuts = append(b.cuts, schema.Cut{Offset: uint32(len(b.pending)), At: b.at})
	}
}

// Len returns the number of pending bytes.
func (b *Buffer) Len() int { return len(b.pending) - b.off }

// Pending returns the pending bytes. They are valid until the next call.
func (b *Buffer) Pending() []byte { return b.pending[b.off:] }

// Append appends bytes of the current read to the pending bytes.
func (b *Buffer) Append(p []byte) {
	if b.pooled == nil {
		b.pooled = buffers.Get().(*[]byte)
		b.pending = (*b.pooled)[:0]
	}
	b.compact()
	if n := len(b.pending) + len(p); n > cap(b.pending) && cap(b.pending) >= largeBuffer {
		b.pending = slices.Grow(b.pending, cap(b.pending)) // doubled: fewer copies, less garbage
	}
	b.pending = append(b.pending, p...)
}

// compact moves the pending bytes to the front.
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

// release returns the memory to the pool if there are no pending bytes.
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
