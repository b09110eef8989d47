package compozy

import (
	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
)

// sequence tracks the ids of one execution's events. Only the ids of workflows count events. On
// streams of agents and tasks the server makes up ids for events that it adds, so that they
// collide with ids of stored events.
type sequence struct {
	last     uint64 // the highest so far, 0 before the first
	workflow bool
	past     dialect.Recent // hashes of the latest events
}

// remembered bounds the events that are recognised when they come again. The server keeps as many
// for replay.
const remembered = 500

// restart begins another execution.
func (s *sequence) restart() {
	s.last, s.workflow = 0, false
	s.past.Clear()
}

// hash returns a hash of an event's id, type and data.
func (e *event) hash(n uint64) uint64 {
	return xxhash.Sum64(e.data) ^ (n+1)*0x9e3779b97f4a7c15 ^ uint64(e.order)<<56
}

// knows reports whether an event is a repeat.
func (s *sequence) knows(hash uint64, n uint64) bool {
	return n > 0 && n <= s.last && s.past.HasHash(hash)
}

// count takes the next event, and marks frames of workflows whose ids are not consecutive.
func (s *sequence) count(d *decoder, e *event, hash uint64, n uint64, again bool) {
	if n == 0 {
		return
	}
	if s.workflow = s.workflow || e.workflow; s.workflow {
		s.mark(d, n)
	}
	s.last = max(s.last, n)
	if !again {
		s.past.AddHash(hash, remembered)
	}
}

// mark flags the present frame by its id and the previous one.
func (s *sequence) mark(d *decoder, n uint64) {
	if s.last == 0 {
		return
	}
	flags, lost := dialect.Step(n, s.last, s.last)
	if lost == 0 || !d.request.filtered {
		d.Emitter.Mark(d.Frame, flags, lost)
	}
}
