package natstap

import (
	"maps"
	"slices"
	"time"
)

// save writes the position.
func (t *tap) save() error {
	if t.position == nil {
		return nil
	}
	list := slices.Collect(maps.Values(t.sources))
	t.mu.Lock()
	list = append(list, slices.Collect(maps.Keys(t.closing))...)
	t.mu.Unlock()
	s := state{Created: t.position.state.Created, Opened: t.opened, LastAt: t.lastAt}
	for _, of := range list {
		settled := of.stream.Settled() // takes the lock of the stream, under which t.mu may be taken
		t.mu.Lock()
		own := sourceState{
			Number: of.number, Key: of.shown, Settled: settled, StreamID: of.stream.ID(), Durable: of.durable, Attempt: of.attempt,
			First: of.first, Last: of.last, Count: of.count, Intact: of.intact,
		}
		for _, p := range of.pending {
			own.Pending = append(own.Pending, pendingState{Number: p.number, Frames: p.frames, Note: p.note})
		}
		if len(own.Pending) > 0 { // of a message that is durable in part, all frames are recorded again
			own.Durable = of.pending[0].end - of.pending[0].frames
		}
		t.mu.Unlock()
		s.Sources = append(s.Sources, own)
	}
	t.mu.Lock()
	s.Last, s.Floor, s.Done = t.known.last, t.known.floor, t.known.ranges()
	t.mu.Unlock()
	return t.position.save(&s)
}

// saveIfDue writes the position if the last write was some time ago. It only logs a failure, since
// the log has the entries that the state lacks.
func (t *tap) saveIfDue() {
	if t.position == nil || time.Since(t.position.saved) < tick {
		return
	}
	if err := t.save(); err != nil {
		t.log.Warn("nats tap: the position could not be written; a restart reads more messages again", "error", err)
	}
}
