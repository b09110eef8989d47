package redact

import (
	"encoding/binary"
	"math/bits"
)

// head caches the beginning of the previous frame and the walker's state after each of its
// members. Frames of a stream often begin with the same members, which are then not walked again.
type head struct {
	raw   []byte // at most headMost bytes
	base  uint64
	marks []mark
}

// mark is the state of a walker after a comma of the outermost value.
type mark struct {
	next     int // the offset of the byte after the comma
	here     level
	whole    bool
	leaves   int // how many were found before
	identity uint64
}

const (
	headMost  = 512
	marksMost = 16
)

func (h *head) forget() { h.raw, h.marks = h.raw[:0], h.marks[:0] }

// resume returns the last mark that is valid for a frame, nil for none. Later marks are removed.
func (h *head) resume(raw []byte, base uint64) *mark {
	n := 0
	if h.base == base {
		n = common(h.raw, raw)
	}
	for len(h.marks) > 0 && h.marks[len(h.marks)-1].next > n {
		h.marks = h.marks[:len(h.marks)-1]
	}
	if len(h.marks) == 0 {
		return nil
	}
	return &h.marks[len(h.marks)-1]
}

// passed adds a mark.
func (h *head) passed(m mark) {
	if m.next <= headMost && len(h.marks) < marksMost {
		h.marks = append(h.marks, m)
	}
}

// keep copies the beginning of the frame that the marks are of.
func (h *head) keep(raw []byte, base uint64) {
	h.base = base
	if len(h.marks) == 0 {
		h.raw = h.raw[:0]
		return
	}
	h.raw = append(h.raw[:0], raw[:h.marks[len(h.marks)-1].next]...)
}

// common returns how many bytes two texts have in common at their beginning.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
