package loom

import (
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// follow checks the event's id. It also checks whether a new run begins with the event while
// another is in progress. again reports that the event repeats the previous one.
func (d *decoder) follow(l *lane, e *event) (again bool) {
	var id, hash uint64
	counted := false
	if !e.export { // the single-key form has no envelope: an event_id is a member of the payload
		id, counted = d.eventIDOf(e.o)
	}
	if counted {
		if hash = xxhash.Sum64(e.whole); l.count.repeats(id, hash) {
			d.Frame.Flags |= schema.FlagEventRepeat
			return true
		}
	}
	if l.run != nil && !l.wrapped && l.run.events > 0 && e.kind != nil &&
		(e.first || counted && e.numbers && id <= 1 && l.count.max > 1) {
		d.abandon(l.run)
		l.ended()
	}
	if counted {
		d.mark = mark{true, id, hash}
		flags, lost := l.count.next(id, hash)
		d.missed(l, flags, lost)
	}
	return false
}

// missed marks the frame and counts the frames lost before it. A tool call in progress may have
// ended in one of them.
func (d *decoder) missed(l *lane, flags schema.Flags, lost uint64) {
	d.Emitter.Mark(d.Frame, flags, lost)
	if lost > 0 && l.run != nil {
		l.run.Leave(nil)
	}
}

// eventIDOf sets an event_id in the envelope. It reports whether it is a number.
func (d *decoder) eventIDOf(o *object) (uint64, bool) {
	raw := o.member[fEventID]
	if !isThere(raw) {
		return 0, false
	}
	n, ok := dialect.RawUint(raw)
	switch {
	case ok:
		d.number = strconv.AppendUint(d.number[:0], n, 10)
	case isString(raw):
		d.number = append(d.number[:0], o.text(fEventID)...)
	default:
		d.number = append(d.number[:0], raw...)
	}
	d.Frame.EventID = dialect.Alias(d.number)
	return n, ok
}

// address sets the envelope.
func (d *decoder) address(l *lane, node string) {
	e := &d.Frame.Envelope
	e.Session, e.Node = l.session, node
	if l.run != nil {
		e.Run, e.Agent = l.run.RunID, l.run.Agent
	} else if l.wrapped {
		e.Run = l.key
	}
}

// runName returns the name in frames of a run that begins with an event.
func (d *decoder) runName(l *lane, e *event) string {
	if l.wrapped {
		return l.key
	}
	if e != nil && e.first {
		if id := e.o.text(fRunID); len(id) > 0 {
			return string(id)
		}
	}
	if strings.HasPrefix(l.session, "run-") {
		return l.session // the server and the command line tool use names of runs as sessions
	}
	return ""
}

// ownNode returns a copy of a node run's id, or the id of the node run in progress if it is the
// same.
func (d *decoder) ownNode(l *lane, id []byte) string {
	if l.run != nil {
		if n := len(l.run.nodes); n > 0 && l.run.nodes[n-1].Node == string(id) {
			return l.run.nodes[n-1].Node
		}
	}
	return d.node.Own(id)
}
