package loom

import "tapedeck/schema"

// event is one event, whichever form it came in.
type event struct {
	kind    kind
	o       *object // its payload
	raw     []byte  // its JSON text
	whole   []byte  // that of all that came with it
	value   []byte  // of a custom event
	session []byte
	node    []byte // the id of its node run
	nodeID  string // the same, to be kept
	name    []byte // the name of its node
	content []byte // of a chunk
	export  bool   // it came in the single-key form
}

// typed reads an event in the specification's form.
func (d *decoder) typed(k kind, o *object, text, wrapper []byte) {
	e := event{
		kind: k, o: o, raw: text, whole: text, value: o.member[fValue],
		session: o.text(fSession), node: o.text(fNode), name: o.text(fID),
	}
	switch k {
	case messageChunk, thoughtChunk:
		e.content = o.text(fContent)
	case gotExpand:
		e.node = nil // here node_id is a node of the graph, not the envelope's
	}
	d.take(&e, wrapper)
}

// exported reads an event of the single-key form. It has no envelope, and what
// it calls node_id is the node's name.
func (d *decoder) exported(o *object, text, wrapper []byte) {
	w, value := o.export, o.inside
	d.frame.Type = w.name
	e := event{
		kind: w.kind, o: &d.payload, raw: value, whole: text, value: value, session: o.text(fSession), export: true,
	}
	if !d.payload.read(value) && w.kind != values && w.kind != custom {
		d.flag(schema.FlagUnknownType)
		return
	}
	e.name = d.payload.text(fNode)
	switch w.kind {
	case messageChunk:
		chunk := d.payload.member[fChunk]
		e.content = textIn(chunk, "content")
		e.name = textIn(d.payload.member[fMetadata], "loom_node")
		if string(textIn(chunk, "kind")) == "Thinking" {
			e.kind = thoughtChunk
		}
		e.node = e.name
	case nodeEnter, nodeExit, updates:
		e.node = e.name
	}
	d.take(&e, wrapper)
	d.payload.clear()
}

// take reads the event into its lane and run.
func (d *decoder) take(e *event, wrapper []byte) {
	if e.kind == unknown {
		d.flag(schema.FlagUnknownType)
	}
	l := d.laneOf(wrapper, e.session)
	d.use(l, d.frame)
	e.nodeID = d.ownNode(l, e.node)
	if d.follow(l, e) {
		d.address(l, e.nodeID)
		return
	}
	if l.run == nil && l.begins(e.kind) {
		l.run = d.openRun(l.session, d.runName(l, e), nil)
	}
	if l.run != nil && e.kind != unknown {
		d.tell(l.run, e)
	}
	d.address(l, e.nodeID)
}

// begins reports whether an event is a sign that a run has begun. What only
// tells of a state may come after its run's end.
func (l *lane) begins(k kind) bool {
	return k != unknown && (l.wrapped || !l.over || !k.passive())
}

// laneOf finds the lane of an event. Without a session it belongs where the
// event before belonged.
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
		// The run began without an envelope: this is its name.
		c.key = string(session)
		c.session, d.named = c.key, true
		return c
	}
	l = d.add(session, false, d.frame)
	d.makeRoom()
	return l
}

// wrappedLane finds the lane of a run on a WebSocket. With its first frame it
// takes up the request that asked for it.
func (d *decoder) wrappedLane(id, session []byte) *lane {
	l := d.find(id, true)
	if l != nil {
		return l
	}
	l = d.add(id, true, d.frame)
	d.makeRoom()
	if l.over {
		l.session = string(session)
		return l
	}
	q := d.requests.answer(id)
	switch {
	case q == nil:
		l.session = string(session)
	case q.run == nil:
		l.session = string(session)
		l.run = d.openRun(l.session, l.key, q)
	default:
		l.session, l.run = q.run.session, q.run
		d.nameRun(q.run, l.key)
	}
	return l
}

// makeRoom gives up the run that nothing was heard of for longest, should too
// many be in progress.
func (d *decoder) makeRoom() {
	if l := d.crowded(); l != nil {
		if l.run != nil {
			d.giveUp(l.run)
			l.ended()
		}
		d.retire(l)
	}
}
