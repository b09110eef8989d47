package ingest

import (
	"container/list"
	"iter"
	"maps"
	"strings"

	"tapedeck/ingest/redact"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// segment is one session's contiguous share of a stream: its state, and the frames and facts that
// wait for a block.
type segment struct {
	session string
	state   schema.StreamState
	lastSeq uint64         // seq of the last frame
	builder *block.Builder // the frames that wait; nil while there are none
	first   uint64         // seq of the first waiting frame
	facts   block.Facts    // the facts that wait
	answer  FirstAnswer
	limits  schema.Limits // state.Limits has their text
	element *list.Element
}

// waits reports whether frames or facts wait for a block.
func (g *segment) waits() bool { return g.builder != nil || g.facts.Len() > 0 }

// count counts a frame.
func (g *segment) count(f *schema.Frame, lost uint64) {
	st := &g.state
	g.lastSeq = f.Seq
	st.LastAt = f.At
	st.Frames++
	st.Bytes += uint64(len(f.Raw))
	Count(&st.Counters, f.Flags, lost)
	CountMasked(st, f)
}

// CountMasked adds the secrets that were masked in a frame to a state. Copies of the state keep
// their counts.
func CountMasked(st *schema.StreamState, f *schema.Frame) {
	if !f.Flags.Has(schema.FlagRedacted) {
		return
	}
	own := false
	for rule := range redact.Masks(f.Raw) {
		if !own {
			own = true
			counts := make(map[string]uint64, len(st.Redacted)+1)
			maps.Copy(counts, st.Redacted)
			st.Redacted = counts
		}
		st.Redacted[rule]++
	}
}

// Count adds the marks of a frame, by its flags, and the number of frames that were lost before it.
func Count(c *schema.Counters, flags schema.Flags, lost uint64) {
	c.Lost += lost
	if flags == 0 {
		return
	}
	if lost == 0 && flags.Has(schema.FlagNote|schema.FlagEventGap) {
		c.Lost++ // a note of a tap: at least one message is missing
	}
	for _, of := range [...]struct {
		flag  schema.Flags
		count *uint64
	}{
		{schema.FlagNotJSON, &c.NotJSON}, {schema.FlagInvalidUTF8, &c.InvalidUTF8}, {schema.FlagOversize, &c.Oversize},
		{schema.FlagUnknownType, &c.Unknown}, {schema.FlagEventRepeat, &c.Repeated}, {schema.FlagEventBack, &c.Back},
	} {
		if flags.Has(of.flag) {
			*of.count++
		}
	}
}

// StateVersion returns the version of the state of a segment whose last frame is lastSeq. It is
// derived from the frames alone, so that frames that are recorded again after a restart lead to the
// same versions: twice the number of frames, plus one at the end.
func StateVersion(state schema.StreamState, lastSeq uint64) uint64 {
	v := 2 * (lastSeq + 1)
	if state.Ended != 0 {
		v++
	}
	return v
}

// segments holds the open segments of a stream, by session. If there are too many, the least
// recently used one is evicted.
type segments struct {
	limit     int
	bySession map[string]*segment
	order     *list.List // of *segment, the most recently used first
	last      *segment   // the last one used, which is nearly always the next one as well
}

func newSegments(limit int) segments {
	return segments{limit: limit, bySession: map[string]*segment{}, order: list.New()}
}

// use returns the segment of a session, nil if there is none, and marks it as the most recently
// used.
func (s *segments) use(session string) *segment {
	if s.last != nil && s.last.session == session {
		return s.last
	}
	g := s.bySession[session]
	if g != nil {
		s.order.MoveToFront(g.element)
		s.last = g
	}
	return g
}

// tooMany reports whether a segment has to be evicted.
func (s *segments) tooMany() bool { return s.order.Len() > s.limit }

// open adds a segment for a session that has none.
func (s *segments) open(session string, state schema.StreamState) *segment {
	g := &segment{session: strings.Clone(session), state: state}
	g.element = s.order.PushFront(g)
	s.bySession[g.session] = g
	s.last = g
	return g
}

// evict removes the least recently used segment and returns it.
func (s *segments) evict() *segment {
	g := s.order.Remove(s.order.Back()).(*segment)
	delete(s.bySession, g.session)
	if s.last == g {
		s.last = nil
	}
	return g
}

// all iterates over the segments, the least recently used first.
func (s *segments) all() iter.Seq[*segment] {
	return func(yield func(*segment) bool) {
		for e := s.order.Back(); e != nil; {
			before := e.Prev()
			if !yield(e.Value.(*segment)) {
				return
			}
			e = before
		}
	}
}
