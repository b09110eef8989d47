package loom

import (
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// follow checks the event's id, and whether a new run begins with it while
// another is in progress. It reports whether the event is the one before once
// more, of which nothing new is to be learned.
func (d *decoder) follow(l *lane, e *event) (again bool) {
	var id, hash uint64
	counted := false
	if !e.export { // that form has no envelope: this would be a member of the payload
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

// missed marks the frame and counts the frames lost before it. What a tool
// executes may have ended among them.
func (d *decoder) missed(l *lane, flags schema.Flags, lost uint64) {
	d.Emitter.Mark(d.Frame, flags, lost)
	if lost > 0 && l.run != nil {
		l.run.Leave(nil)
	}
}

// eventIDOf reads an event_id into the envelope and reports whether it counts.
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

// address fills in the envelope.
func (d *decoder) address(l *lane, node string) {
	e := &d.Frame.Envelope
	e.Session, e.Node = l.session, node
	if l.run != nil {
		e.Run, e.Agent = l.run.RunID, l.run.Agent
	} else if l.wrapped {
		e.Run = l.key
	}
}

// runName is what the frames call a run that begins with an event.
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
		return l.session // the server and the command line tool name sessions after runs
	}
	return ""
}

// ownNode copies a node run's id, unless it is that of the node run in progress.
func (d *decoder) ownNode(l *lane, id []byte) string {
	if l.run != nil {
		if n := len(l.run.nodes); n > 0 && l.run.nodes[n-1].Node == string(id) {
			return l.run.nodes[n-1].Node
		}
	}
	return d.node.Own(id)
}
