package replay

import "sync/atomic"

// Encoding keeps the encoding of a frame that several readers of a running session receive, so that
// one of them encodes the frame for all. The zero Encoding keeps nothing yet. It is safe for use by
// many goroutines.
type Encoding struct{ kept atomic.Pointer[encoded] }

// encoded is the encoding for readers whose offsets count from firstAt and that received the frame
// with the block.
type encoded struct {
	firstAt     int64
	block       uint64
	id, message []byte
}

// MostEncoded returns the size up to which the encoding of a frame with so many bytes is kept,
// bytes. It suffices for JSON on one line with an envelope of usual length.
func MostEncoded(raw int) int { return 2*raw + 768 }

// Encoded returns the kept encoding of the frame, for offsets that count from firstAt: its id and
// its message. The caller must not modify them.
func (f *Frame) Encoded(firstAt int64) (id, message []byte, ok bool) {
	if f.Encoding == nil {
		return nil, nil, false
	}
	e := f.Encoding.kept.Load()
	if e == nil || e.firstAt != firstAt || e.block != f.Block {
		return nil, nil, false
	}
	return e.id, e.message, true
}

// KeepEncoded keeps a copy of the frame's encoding for other readers, unless one is kept already or
// it is larger than MostEncoded.
func (f *Frame) KeepEncoded(firstAt int64, id, message []byte) {
	if f.Encoding == nil || len(id)+len(message) > MostEncoded(len(f.Raw)) || f.Encoding.kept.Load() != nil {
		return
	}
	b := append(append(make([]byte, 0, len(id)+len(message)), id...), message...)
	e := &encoded{firstAt: firstAt, block: f.Block, id: b[:len(id):len(id)], message: b[len(id):]}
	f.Encoding.kept.CompareAndSwap(nil, e)
}
