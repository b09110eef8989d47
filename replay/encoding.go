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

// Kept returns the kept encoding of the frame, for offsets that count from firstAt and the block
// with which the frame arrived: its id and its message. The caller must not modify them. A nil
// Encoding keeps none.
func (k *Encoding) Kept(firstAt int64, block uint64) (id, message []byte, ok bool) {
	if k == nil {
		return nil, nil, false
	}
	e := k.kept.Load()
	if e == nil || e.firstAt != firstAt || e.block != block {
		return nil, nil, false
	}
	return e.id, e.message, true
}

// Keep keeps a copy of the frame's encoding for other readers, unless one is kept already or it is
// larger than MostEncoded of the frame's bytes. A nil Encoding keeps none.
func (k *Encoding) Keep(firstAt int64, block uint64, raw int, id, message []byte) {
	if k == nil || len(id)+len(message) > MostEncoded(raw) || k.kept.Load() != nil {
		return
	}
	b := append(append(make([]byte, 0, len(id)+len(message)), id...), message...)
	e := &encoded{firstAt: firstAt, block: block, id: b[:len(id):len(id)], message: b[len(id):]}
	k.kept.CompareAndSwap(nil, e)
}
