package loom

import "tapedeck/schema"

// sequence follows the event_ids of one lane. They count up by one from 1 (0
// in the specification's example); a gap means that the server dropped frames
// under back-pressure. A reply or run_end carries the next id without using it
// up, in the code, or uses it up, in the specification: both are taken. Where a
// run has ended, ids may go on or start over.
type sequence struct {
	prev, max uint64
	reply     uint64 // the id on the latest reply
	hash      uint64 // of the frame that carried prev
	seen      bool   // an id was seen
	replied   bool   // the frame before was a reply
	ended     bool   // a run has ended: the next frame may start over
}

// repeats reports whether an event with this id, and with this content by its
// hash, is the one before once more.
func (s *sequence) repeats(id, hash uint64) bool {
	return s.seen && !s.ended && id == s.prev && hash == s.hash
}

// next takes the id of an event. lost is the number of frames missing before it.
func (s *sequence) next(id, hash uint64) (flags schema.Flags, lost uint64) {
	until := s.max
	if s.replied {
		until = max(until, s.reply)
	}
	switch {
	case !s.seen, s.ended && id <= s.max:
		s.max = id
		if id > 1 {
			flags, lost = schema.FlagEventGap, id-1
		}
	case !s.ended && id == s.prev:
		flags = schema.FlagEventRepeat
	case !s.ended && id < s.prev:
		flags = schema.FlagEventBack
	case id > until && id-until > 1:
		flags, lost = schema.FlagEventGap, id-until-1
	}
	s.prev, s.max, s.hash = id, max(s.max, id), hash
	s.seen, s.replied, s.ended = true, false, false
	return flags, lost
}

// last takes the id of a reply.
func (s *sequence) last(id uint64) (flags schema.Flags, lost uint64) {
	switch {
	case !s.seen, s.ended && id <= s.max:
		s.max = max(id, 1) - 1
		if id > 1 {
			flags, lost = schema.FlagEventGap, id-1
		}
	case id == s.max:
		flags = schema.FlagEventRepeat
	case id < s.max:
		flags = schema.FlagEventBack
	case id-s.max > 1:
		flags, lost = schema.FlagEventGap, id-s.max-1
		s.max = id - 1
	}
	s.reply, s.replied, s.seen = id, true, true
	return flags, lost
}
