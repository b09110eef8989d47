package compozy

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"tapedeck/schema"
)

// sequence follows the ids of one execution's events. Only those of workflows
// count the events: on streams of agents and tasks the server makes ids up for
// what it adds, so that they collide with those of stored events.
type sequence struct {
	last     uint64 // the highest so far, 0 before the first
	workflow bool
	past     []uint32 // hashes of what the latest events said; a ring once full
	next     int
}

// remembered is how many events are known again when they are told again: as
// many as the server keeps for replay.
const remembered = 500

// restart begins with another execution.
func (s *sequence) restart() {
	s.last, s.workflow, s.next, s.past = 0, false, 0, s.past[:0]
}

// hash stands for what an event says: its id, type and data.
func (e *event) hash(n uint64) uint32 {
	return uint32(xxhash.Sum64(e.data)>>32) ^ uint32((n+1)*0x9e3779b97f4a7c15>>32) ^ uint32(e.order)<<24
}

// knows reports whether an event says again what was said before.
func (s *sequence) knows(hash uint32, n uint64) bool {
	return n > 0 && n <= s.last && slices.Contains(s.past, hash)
}

// count takes the next event, and marks the frames of workflows whose ids jump.
func (s *sequence) count(d *decoder, e *event, hash uint32, n uint64, again bool) {
	if n == 0 {
		return
	}
	if s.workflow = s.workflow || e.word.workflow; s.workflow {
		s.mark(d, n)
	}
	s.last = max(s.last, n)
	if !again {
		s.remember(hash)
	}
}

// mark flags the present frame for where its id stands after the one before.
func (s *sequence) mark(d *decoder, n uint64) {
	switch {
	case s.last == 0:
	case n == s.last:
		d.Frame.Flags |= schema.FlagEventRepeat
	case n < s.last:
		d.Frame.Flags |= schema.FlagEventBack
	case n > s.last+1 && !d.request.filtered:
		d.Frame.Flags |= schema.FlagEventGap
		d.Emitter.Lost(n - s.last - 1)
	}
}

func (s *sequence) remember(hash uint32) {
	if len(s.past) < remembered {
		s.past = append(s.past, hash)
		return
	}
	s.past[s.next] = hash
	s.next = (s.next + 1) % remembered
}
