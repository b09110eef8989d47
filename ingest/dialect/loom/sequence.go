package loom

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// sequence tracks the event_ids of one lane. They count up by one from 1 (0 in the
// specification's example). A gap means that the server dropped frames under backpressure. A
// reply or run_end has the next id: in the code the following event has the same id, in the
// specification the next one. Both are accepted. After the end of a run, ids may continue or
// start again.
type sequence struct {
	prev, max uint64
	reply     uint64 // the id on the latest reply
	hash      uint64 // of the frame with prev
	seen      bool   // an id was seen
	replied   bool   // the previous frame was a reply
	ended     bool   // a run has ended: the next frame may start again
}

// repeats reports whether an event with this id and hash of its content repeats the previous one.
func (s *sequence) repeats(id, hash uint64) bool {
	return s.seen && !s.ended && id == s.prev && hash == s.hash
}

// starts reports whether ids begin with this one.
func (s *sequence) starts(id uint64) bool { return !s.seen || s.ended && id <= s.max }

// next takes the id of an event. lost is the number of frames missing before it.
func (s *sequence) next(id, hash uint64) (flags schema.Flags, lost uint64) {
	before, highest := s.prev, s.max
	if s.ended {
		before = 0
	}
	if s.replied {
		highest = max(highest, s.reply)
	}
	if !s.starts(id) {
		flags, lost = dialect.Step(id, before, highest)
	} else if s.max = id; id > 1 {
		flags, lost = dialect.Step(id, 0, 0)
	}
	s.prev, s.max, s.hash = id, max(s.max, id), hash
	s.seen, s.replied, s.ended = true, false, false
	return flags, lost
}

// last takes the id of a reply.
func (s *sequence) last(id uint64) (flags schema.Flags, lost uint64) {
	if s.starts(id) {
		if s.max = max(id, 1) - 1; id > 1 {
			flags, lost = dialect.Step(id, 0, 0)
		}
	} else if flags, lost = dialect.Step(id, s.max, s.max); lost > 0 {
		s.max = id - 1
	}
	s.reply, s.replied, s.seen = id, true, true
	return flags, lost
}
