package loom

import (
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// event is one event, whichever form it came in.
type event struct {
	kind    kind
	o       *object         // its payload
	value   *fastjson.Value // of a custom event
	session []byte
	node    []byte // the id of its node run
	nodeID  string // the same, to be kept
	name    []byte // the name of its node
	content []byte // of a chunk
	export  bool   // it came in the single-key form
	text    []byte // the JSON text that holds it
	member  string // where in the text it stands; "" for all of it
}

// raw is the event's own JSON text.
func (e *event) raw() []byte { return memberOf(e.text, e.member) }

func memberOf(text []byte, name string) []byte {
	if name == "" {
		return text
	}
	return dialect.RawMember(text, name)
}

// typed reads an event in the specification's form.
func (d *decoder) typed(k kind, o *object, text []byte, member string, wrapper []byte) {
	e := event{
		kind: k, o: o, value: o.member[fValue],
		session: o.text(fSession), node: o.text(fNode), name: o.text(fID), content: o.text(fContent),
		text: text, member: member,
	}
	if k == gotExpand {
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
		kind: w.kind, o: &d.payload, value: value, session: o.text(fSession), text: text, member: w.name, export: true,
	}
	if !d.payload.read(value) && w.kind != values && w.kind != custom {
		d.flag(schema.FlagUnknownType)
		return
	}
	e.name = d.payload.text(fNode)
	switch w.kind {
	case messageChunk:
		chunk := d.payload.member[fChunk]
		e.content = chunk.GetStringBytes("content")
		e.name = d.payload.member[fMetadata].GetStringBytes("loom_node")
		if string(chunk.GetStringBytes("kind")) == "Thinking" {
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

// ownNode copies a node run's id, unless it is that of the node run in progress.
func (d *decoder) ownNode(l *lane, id []byte) string {
	if l.run != nil {
		if n := len(l.run.nodes); n > 0 && l.run.nodes[n-1].id == string(id) {
			return l.run.nodes[n-1].id
		}
	}
	return d.node.Own(id)
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
	l = d.add(session, false)
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
	l = d.add(id, true)
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

// follow checks the event's id, and whether a new run begins with it while
// another is in progress. It reports whether the event is the one before once
// more, of which nothing new is to be learned.
func (d *decoder) follow(l *lane, e *event) (again bool) {
	id, counted := d.eventIDOf(e.o)
	inRun := l.run != nil && !l.wrapped && l.run.events > 0
	if !counted {
		if inRun && e.kind == runStart {
			d.giveUp(l.run)
			l.ended()
		}
		return false
	}
	hash := xxhash.Sum64(e.text)
	if l.count.repeats(id, hash) {
		d.flag(schema.FlagEventRepeat)
		return true
	}
	if inRun && (e.kind == runStart || e.kind == nodeEnter && id <= 1 && l.count.max > 1) {
		d.giveUp(l.run)
		l.ended()
	}
	flags, lost := l.count.next(id, hash)
	d.missed(l, flags, lost)
	return false
}

// missed marks the frame and counts the frames lost before it.
func (d *decoder) missed(l *lane, flags schema.Flags, lost uint64) {
	if flags == 0 {
		return
	}
	d.flag(flags)
	if lost > 0 {
		d.book.Lost(lost)
		if l.run != nil {
			l.run.gaps++
		}
	}
}

// eventIDOf reads an event_id into the envelope and reports whether it counts.
func (d *decoder) eventIDOf(o *object) (uint64, bool) {
	v := o.member[fEventID]
	if v == nil || v.Type() == fastjson.TypeNull {
		return 0, false
	}
	n, ok := dialect.Uint(v)
	switch {
	case ok:
		d.number = strconv.AppendUint(d.number[:0], n, 10)
	case v.Type() == fastjson.TypeString:
		d.number = append(d.number[:0], v.GetStringBytes()...)
	default:
		d.number = v.MarshalTo(d.number[:0])
	}
	d.frame.EventID = dialect.Alias(d.number)
	return n, ok
}

// address fills in the envelope.
func (d *decoder) address(l *lane, node string) {
	e := &d.frame.Envelope
	e.Session, e.Node = l.session, node
	if l.run != nil {
		e.Run, e.Agent = l.run.name, l.run.agent
	} else if l.wrapped {
		e.Run = l.key
	}
}

// runName is what the frames call a run that begins with an event.
func (d *decoder) runName(l *lane, e *event) string {
	if l.wrapped {
		return l.key
	}
	if e != nil && e.kind == runStart {
		if id := e.o.text(fRunID); len(id) > 0 {
			return string(id)
		}
	}
	if strings.HasPrefix(l.session, "run-") {
		return l.session // the server and the command line tool name sessions after runs
	}
	return ""
}

func isArray(v *fastjson.Value) bool { return v != nil && v.Type() == fastjson.TypeArray }
