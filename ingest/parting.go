package ingest

import "tapedeck/schema/block"

// parting is a part that was left and of which nothing is to be told but its
// end: the stream's next block tells that, so that no block goes out for it alone.
type parting struct {
	part *part
	at   uint64 // the stream's next frame when it was left
}

// partingsPerBlock bounds how many ends one block tells.
const partingsPerBlock = 64

// makeRoom closes the part that was left longest, if there are too many.
func (s *Stream) makeRoom() {
	if !s.parts.tooMany() {
		return
	}
	p := s.parts.oldest()
	p.state.Ended, p.state.EndReason = p.state.LastAt, "left"
	s.parts.remove(p)
	if p.waiting() || s.recalling() {
		s.enqueue(p)
		return
	}
	p.state.Version = stateVersion(p)
	s.partings = append(s.partings, parting{p, s.taken})
	s.arm(s.recorder.settings.BlockAge)
}

// takePartings returns the ends of other parts that a block carries.
func (s *Stream) takePartings() []block.Left {
	if len(s.partings) == 0 {
		return nil
	}
	left := make([]block.Left, min(len(s.partings), partingsPerBlock))
	for i := range left {
		p := s.partings[i].part
		left[i] = block.Left{Session: p.session, State: p.state}
	}
	rest := copy(s.partings, s.partings[len(left):])
	clear(s.partings[rest:])
	s.partings = s.partings[:rest]
	return left
}

// tellPartings cuts blocks for those that no other block took.
func (s *Stream) tellPartings() {
	for len(s.partings) > 0 {
		s.enqueue(s.partings[0].part)
	}
}
