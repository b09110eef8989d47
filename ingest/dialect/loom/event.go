package loom

import (
	"tapedeck/ingest/dialect"
)

// event is one event in any form.
type event struct {
	*kind          // nil for an unknown type
	o      *object // its payload
	raw    []byte  // its JSON text
	whole  []byte  // the JSON text of everything that came with it
	node   []byte  // the id of its node run
	nodeID string  // a copy of node
	name   []byte  // the name of its node
	export bool    // it came in the single-key form
}

// typed reads an event in the form of the specification.
func (d *decoder) typed(k *kind, o *object, text, wrapper []byte) {
	if k != nil && k.event == nil {
		k = nil
	}
	e := &d.event
	e.kind, e.o, e.raw, e.whole, e.node, e.name, e.export = k, o, text, text, o.text(fNode), o.text(fID), false
	if k != nil && k.name == typeGotExpand {
		e.node = nil // in these events node_id is a node of the graph
	}
	d.take(e, o.text(fSession), wrapper)
}

// exported reads an event of the single-key form. It has no envelope, and its node_id is the
// node's name.
func (d *decoder) exported(o *object, text, wrapper []byte) {
	k, p := o.export, &d.payload
	d.Frame.Type = k.export
	if !p.read(o.inside) && !k.anyJSON {
		d.Unknown()
		return
	}
	e := &d.event
	*e = event{kind: k, o: p, raw: o.inside, whole: text, export: true, name: p.text(fNode)}
	switch k.name {
	case "message_chunk":
		e.name = dialect.RawText(p.member[fMetadata], "loom_node")
		if string(dialect.RawText(p.member[fChunk], "kind")) == "Thinking" {
			e.kind = byName["thought_chunk"]
		}
		e.node = e.name
	case "node_enter", "node_exit", "updates":
		e.node = e.name
	}
	d.take(e, o.text(fSession), wrapper)
	p.clear()
}

// take reads the event in its lane and run.
func (d *decoder) take(e *event, session, wrapper []byte) {
	if e.kind == nil {
		d.Unknown()
	}
	l := d.laneOf(wrapper, session)
	d.use(l, d.Frame)
	e.nodeID = d.ownNode(l, e.node)
	if !d.follow(l, e) && e.kind != nil {
		if l.run == nil && (l.wrapped || !l.over || !e.passive) {
			l.run = d.openRun(l.session, d.runName(l, e), nil)
		}
		if l.run != nil {
			d.happens(l.run, e)
		}
	}
	d.address(l, e.nodeID)
}

// happens reads an event of a run.
func (d *decoder) happens(r *run, e *event) {
	r.events++
	r.export = e.export && (r.export || r.events == 1)
	if !e.passive {
		r.lastAt = d.Frame.At
	}
	e.event(d, r, e)
}

// laneOf returns the lane of an event. An event without a session belongs to the lane of the
// previous event.
func (d *decoder) laneOf(wrapper, session []byte) *lane {
	if len(wrapper) > 0 {
		return d.wrappedLane(wrapper, session)
	}
	if len(session) == 0 && d.cur != nil && !d.cur.wrapped {
		return d.cur
	}
	l := d.find(session, false)
	if l != nil {
		return l
	}
	if c := d.cur; c != nil && !c.wrapped && c.key == "" && c.run != nil && !d.named {
		// The run began without an envelope, and this is its name.
		c.key = string(session)
		c.session, d.named = c.key, true
		return c
	}
	l = d.add(session, false, d.Frame)
	d.makeRoom()
	return l
}

// wrappedLane returns the lane of a run on a WebSocket. The first frame of the lane takes up the
// request for the run.
func (d *decoder) wrappedLane(id, session []byte) *lane {
	l := d.find(id, true)
	if l != nil {
		return l
	}
	l = d.add(id, true, d.Frame)
	d.makeRoom()
	l.session = string(session)
	if l.over {
		return l
	}
	switch q := d.requests.answer(id); {
	case q == nil:
	case q.run == nil:
		l.run = d.openRun(l.session, l.key, q)
	default:
		l.session, l.run = q.run.Session, q.run
		q.run.named(l.key)
	}
	return l
}

// makeRoom abandons the run without frames for longest, if too many are in progress.
func (d *decoder) makeRoom() {
	if l := d.crowded(); l != nil {
		if l.run != nil {
			d.abandon(l.run)
			l.ended()
		}
		d.retire(l)
	}
}
