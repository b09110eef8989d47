package copier

import "sync"

// Offsets knows up to which byte of a source its frames are durable. It takes
// four bytes for each frame that is in flight. It is safe for use by several
// goroutines.
type Offsets struct {
	mu      sync.Mutex // guards all below
	next    uint64     // frames below are durable
	offset  int64      // where they end
	lengths []uint32   // of the frames from next on, from head on
	head    int
}

// NewOffsets begins with the frame of seq next, which stands at offset.
func NewOffsets(next uint64, offset int64) *Offsets {
	return &Offsets{next: next, offset: offset}
}

// Add notes the length in bytes of the next frame. It is to be called before
// the frame is recorded, since it may be durable before that call returns; a
// frame that was not taken after all does no harm if it is the last.
func (o *Offsets) Add(length int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.head > 1024 && o.head > len(o.lengths)/2 {
		o.lengths = o.lengths[:copy(o.lengths, o.lengths[o.head:])]
		o.head = 0
	}
	o.lengths = append(o.lengths, uint32(length))
}

// Durable says that all frames with a seq below next are durable, as
// ingest.StreamOptions.Durable does. A stream that was closed without an error
// has all its frames durable, though Durable may be told of it only later.
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

// Get gives the seq of the first frame that is not durable, and where in the
// source it begins.
func (o *Offsets) Get() (next uint64, offset int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.next, o.offset
}
