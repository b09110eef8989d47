package redact

import (
	"bytes"

	"tapedeck/internal/jsonstring"
	"tapedeck/schema"
)

// layout holds the bytes that successive frames of a stream have in common: the bytes between their
// growing texts and their numbers. A frame that fits the layout has the same texts at the same
// paths. Such a frame is not walked, and a secret can begin only in the bytes that differ.
type layout struct {
	transport schema.Transport
	direction schema.Direction
	identity  uint64
	parts     []part
	texts     []byte // the bytes of all parts
	near      []near
	learnt    bool
	used      bool   // a frame has matched the layout
	last      uint64 // fingerprint of the latest frame that was walked
	pause     int    // number of frames to walk before the next layout is learnt
	paused    int    // number of frames in the latest pause
}

// part is a range of bytes that all frames of a layout have in common, with the kind of content
// after it.
type part struct {
	from, to int // range in layout.texts
	gap      gap
	path     uint64 // path of the text that follows
}

// gap is the kind of content between two parts.
type gap uint8

const (
	end     gap = iota // end of the frame
	growing            // a text that grows over frames
	number             // digits and dots
)

// near is a byte of a part at which a keyword may begin, judging by the part alone.
type near struct{ part, offset int }

// Bounds on the size of a layout.
const (
	layoutMost = 1024 // bytes of all parts
	gapsMost   = 32
	nearMost   = 8
	pauseMost  = 127
)

// fits finds the texts of a frame that has this layout. It returns false for a frame of another
// layout, and for a frame in which a secret may begin. No secret begins before byte clean of the
// frame.
func (s *layout) fits(m *Masker, f *schema.Frame) (ok bool, clean int) {
	if !s.learnt || f.Transport != s.transport || f.Direction != s.direction ||
		f.Flags&(schema.FlagOversize|schema.FlagNote) != 0 {
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
		switch part.gap {
		case end:
			s.used = s.used || from == len(raw)
			return from == len(raw), from
		case growing:
			to = jsonstring.End(raw, from)
			w.growing(from, to, part.path)
		case number:
			if to = numberEnd(raw, from); to == from {
				return false, at // these bytes were not checked when the layout was learnt
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

// learn stores the layout of a clean frame that was walked, if the previous frame had the same
// layout. If no frame matches a learnt layout, learn pauses before it learns another one; each such
// pause is longer than the last.
func (s *layout) learn(p *prefilter, f *schema.Frame, w *walker) {
	print := w.identity ^ uint64(len(w.numbers))
	for i := range w.leaves {
		print = member(print, w.leaves[i].path)
	}
	if s.pause > 0 || print != s.last {
		s.pause, s.last = max(s.pause-1, 0), print
		return
	}
	opens := opening(f)
	if n := len(w.leaves); n > 0 && w.leaves[n-1].to == len(f.Raw) { // a text that continues beyond the frame
		return
	}
	if p.escapes || opens < 0 || len(w.leaves)+len(w.numbers) > gapsMost ||
		len(w.leaves) > 0 && w.leaves[0].from <= opens {
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
			s.add(p, f.Raw, at, leaves[0].from, part{gap: growing, path: leaves[0].path})
			at, leaves = leaves[0].to, leaves[1:]
		} else {
			s.add(p, f.Raw, at, numbers[0].from, part{gap: number})
			at, numbers = numbers[0].to, numbers[1:]
		}
	}
	s.add(p, f.Raw, at, len(f.Raw), part{gap: end})
}

// add adds bytes [from, to) of a frame as a part. A layout that would be too large is dropped.
func (s *layout) add(p *prefilter, raw []byte, from, to int, part part) {
	part.from = len(s.texts)
	if part.from+to-from > layoutMost {
		s.learnt = false
		return
	}
	s.texts = append(s.texts, raw[from:to]...)
	part.to = len(s.texts)
	for i := from; i < to; i++ {
		if i+2 < to && p.first.has(raw[i], raw[i+1], raw[i+2]) == 0 {
			continue
		}
		if p.mayBegin(raw[i:to], part.gap) && !decided(raw, from, i, to) {
			s.near = append(s.near, near{len(s.parts), i - from})
		}
	}
	s.parts = append(s.parts, part)
	s.learnt = s.learnt && len(s.near) <= nearMost
}

// decided reports whether only bytes of the part [from, to) determine whether a secret begins at byte
// i: contextMost bytes before it, and those after it up to the byte after a quote.
func decided(raw []byte, from, i, to int) bool {
	quote := bytes.IndexByte(raw[i:to], '"')
	return (from == 0 || i-from > contextMost) && quote >= 0 && i+quote+1 < to
}

// contextMost is more than the length of what prefilter.begins reads before a keyword: an escape, a
// control sequence, or the name of a member that no other frame continues.
const contextMost = 48

// opening returns the offset at which the JSON of a frame begins, or -1 for a frame that may not be
// JSON. The bytes before the offset are part of that decision.
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
	if !composed(f.Raw[at:]) || !opens(f.Raw[at:]) { // a string alone may be part of a plain text
		return -1
	}
	return at
}
