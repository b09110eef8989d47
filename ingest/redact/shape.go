package redact

import (
	"bytes"

	"tapedeck/schema"
)

// shape is what successive frames of a stream have in common: the bytes between their growing
// texts and their numbers. A frame that fits has the same texts at the same paths, so that it is
// not walked, and secrets can begin only where it differs.
type shape struct {
	transport schema.Transport
	direction schema.Direction
	identity  uint64
	parts     []part
	texts     []byte // of all parts
	near      []near
	learnt    bool
	used      bool   // a frame fitted
	last      uint64 // the fingerprint of the frame that was walked last
	pause     int    // frames that are walked before the next shape is learnt
	paused    int    // how many the last pause had
}

// part is a run of bytes that all frames of a shape have, with what follows it.
type part struct {
	from, to int // in the shape's texts
	hole     hole
	path     uint64 // of the text that follows
}

// hole is what stands between two parts.
type hole uint8

const (
	end     hole = iota // of the frame
	growing             // a text that grows over frames
	number              // digits and dots
)

// near is a byte of a part at which a keyword may begin, as far as the part shows.
type near struct{ part, offset int }

// Bounds on what is kept of a shape.
const (
	shapeMost = 1024 // bytes of its parts
	holesMost = 32
	nearMost  = 8
	pauseMost = 127
)

// fits finds the texts of a frame of the shape. It returns false for a frame of another shape, and
// for one in which a secret may begin; no secret begins before byte clean of the frame.
func (s *shape) fits(m *Masker, f *schema.Frame) (ok bool, clean int) {
	if !s.learnt || f.Transport != s.transport || f.Direction != s.direction || f.Flags&(schema.FlagOversize|schema.FlagNote) != 0 {
		return false, 0
	}
	w, p, raw := &m.walker, m.engine.prefilter, f.Raw
	w.leaves, w.identity = w.leaves[:0], s.identity
	nears := s.near
	at := 0
	for i := range s.parts {
		part := &s.parts[i]
		text := s.texts[part.from:part.to]
		if len(raw)-at < len(text) || string(raw[at:at+len(text)]) != string(text) {
			return false, at
		}
		for len(nears) > 0 && nears[0].part == i {
			if p.begins(&m.machine, raw, at+nears[0].offset) {
				return false, at
			}
			nears = nears[1:]
		}
		from := at + len(text)
		to := from
		switch part.hole {
		case end:
			s.used = s.used || from == len(raw)
			return from == len(raw), from
		case growing:
			to = stringEnd(raw, from)
			w.growing(from, to, part.path)
		case number:
			if to = numberEnd(raw, from); to == from {
				return false, at // what stands there was not looked at when the shape was learnt
			}
			if !p.digits && bytes.IndexByte(raw[from:to], '.') < 0 {
				at = to
				continue
			}
		}
		if !p.cleanBetween(&m.machine, raw, from, to) {
			return false, from
		}
		at = to
	}
	return false, at
}

// learn takes the shape of a clean frame that was walked, if the one before it had the same. After a shape that
// no frame fitted it pauses, for longer each time.
func (s *shape) learn(p *prefilter, f *schema.Frame, w *walker) {
	print := w.identity ^ uint64(len(w.numbers))
	for i := range w.leaves {
		print = member(print, w.leaves[i].path)
	}
	if s.pause > 0 || print != s.last {
		s.pause, s.last = max(s.pause-1, 0), print
		return
	}
	opens := opening(f)
	if n := len(w.leaves); n > 0 && w.leaves[n-1].to == len(f.Raw) { // a text that the frame does not end
		return
	}
	if p.escapes || opens < 0 || len(w.leaves)+len(w.numbers) > holesMost || len(w.leaves) > 0 && w.leaves[0].from <= opens {
		return
	}
	if s.paused = min(2*s.paused+1, pauseMost); s.used {
		s.paused = 0
	}
	s.transport, s.direction, s.identity = f.Transport, f.Direction, w.identity
	s.parts, s.texts, s.near = s.parts[:0], s.texts[:0], s.near[:0]
	s.learnt, s.used, s.pause = true, false, s.paused
	leaves, numbers, at := w.leaves, w.numbers, 0
	for s.learnt && len(leaves)+len(numbers) > 0 {
		if len(numbers) == 0 || len(leaves) > 0 && leaves[0].from < numbers[0].from {
			s.add(p, f.Raw, at, leaves[0].from, part{hole: growing, path: leaves[0].path})
			at, leaves = leaves[0].to, leaves[1:]
		} else {
			s.add(p, f.Raw, at, numbers[0].from, part{hole: number})
			at, numbers = numbers[0].to, numbers[1:]
		}
	}
	s.add(p, f.Raw, at, len(f.Raw), part{hole: end})
}

// add adds bytes [from, to) of a frame as a part. A shape that would be too large is dropped.
func (s *shape) add(p *prefilter, raw []byte, from, to int, part part) {
	part.from = len(s.texts)
	if part.from+to-from > shapeMost {
		s.learnt = false
		return
	}
	s.texts = append(s.texts, raw[from:to]...)
	part.to = len(s.texts)
	for i := from; i < to; i++ {
		if i+2 < to && !p.first.has(raw[i], raw[i+1], raw[i+2]) {
			continue
		}
		if p.mayBegin(raw[i:to], part.hole) {
			s.near = append(s.near, near{len(s.parts), i - from})
		}
	}
	s.parts = append(s.parts, part)
	s.learnt = s.learnt && len(s.near) <= nearMost
}

// opening returns where the JSON of a frame begins, -1 for a frame that is not sure to be JSON. What stands before it
// in the frame decides about that together with it.
func opening(f *schema.Frame) int {
	at := 0
	switch f.Transport {
	case schema.EventStream:
		return -1
	case schema.SSE:
		at = bytes.Index(f.Raw, []byte("data:"))
		if at < 0 {
			return -1
		}
		at += len("data:")
	}
	for at < len(f.Raw) && (f.Raw[at] == ' ' || f.Raw[at] == '\n') {
		at++
	}
	if !composed(f.Raw[at:]) || !opens(f.Raw[at:]) { // a string alone may be a piece of a plain text
		return -1
	}
	return at
}
