package copier

import "sync"

// Offsets tracks the byte of a source up to which the frames are durable. It needs four bytes for
// each frame in flight. It is safe for use by several goroutines.
type Offsets struct {
	mu      sync.Mutex // guards all below
	next    uint64     // all frames below are durable
	offset  int64      // offset of the first byte after the durable frames
	lengths []uint32   // of the frames from next on, beginning at head
	head    int
}

// NewOffsets returns Offsets that start at the frame with seq next, which begins at offset.
func NewOffsets(next uint64, offset int64) *Offsets {
	return &Offsets{next: next, offset: offset}
}

// Add adds the length in bytes of the next frame. It must be called before the frame is
// recorded, since the frame may be durable before that call returns. A last frame that was
// added and then not recorded is harmless.
func (o *Offsets) Add(length int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.head > 1024 && o.head > len(o.lengths)/2 {
		o.lengths = o.lengths[:copy(o.lengths, o.lengths[o.head:])]
		o.head = 0
	}
	o.lengths = append(o.lengths, uint32(length))
}

// Durable marks all frames with a seq below next as durable. It is a callback for
// ingest.StreamOptions.Durable. If a stream was closed without an error, all its frames are
// durable, although Durable may be called for the last ones later.
func (o *Offsets) Durable(next uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for ; o.next < next && o.head < len(o.lengths); o.next++ {
		o.offset += int64(o.lengths[o.head])
		o.head++
	}
	if o.head == len(o.lengths) {
		o.lengths, o.head = nil, 0
	}
}

// Get returns the seq of the first frame that is not durable, and its offset in the source.
func (o *Offsets) Get() (next uint64, offset int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.next, o.offset
}
