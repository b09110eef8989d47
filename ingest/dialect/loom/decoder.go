package loom

import (
	"sync"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// decoder is the state of one stream.
type decoder struct {
	lanes
	requests requests
	nextSeq  uint64 // after the latest frame

	// The present frame, of which nothing outlives Decode.
	frame   *schema.Frame
	emitter *dialect.Emitter
	*objects
	event   eventMark
	suffix  string // tells apart what one frame tells of several events
	bundled bool   // several events came in one frame: their times are not known

	word      word // the latest type
	otherType dialect.Last
	node      dialect.Last
	number    []byte // the frame's event id, which lives until the next frame
}

// objects are those of the present frame. They are borrowed for each: a stream
// that is silent holds none.
type objects struct {
	outer   object // the frame itself
	inner   object // the event in a wrapper, the reply in a bundle
	payload object // what a key of the single-key form holds, or a run_end's usage
}

var objectPool = sync.Pool{New: func() any { return new(objects) }}

// numberKept bounds the room that is kept for event ids, bytes.
const numberKept = 128

// Decode reads one frame.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.nextSeq = in.Seq + 1
	if in.JSON == nil {
		if in.Direction == schema.Send && in.Transport == schema.WebSocket && len(in.Data) > 0 {
			d.requests.unreadable++
		}
		return
	}
	d.frame, d.emitter, d.objects = in.Frame, b, objectPool.Get().(*objects)
	if cap(d.number) > numberKept {
		d.number = nil
	}
	switch {
	case !d.outer.read(in.Data):
		d.flag(schema.FlagUnknownType)
	case in.Direction == schema.Send:
		d.sent()
	default:
		d.received(in.Data)
	}
	d.outer.clear()
	objectPool.Put(d.objects)
	d.frame, d.emitter, d.objects, d.event = nil, nil, nil, eventMark{}
}

// ReadsText implements dialect.TextReader.
func (d *decoder) ReadsText() bool { return true }

// End settles what is still open.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.frame, d.emitter = &schema.Frame{Seq: d.nextSeq, At: at}, b
	for _, l := range d.open {
		if l.run != nil {
			d.giveUp(l.run)
		}
	}
	for i, q := range d.requests.runs {
		if q.run == nil {
			d.suffix = suffixOf(i)
			q.run = d.openRun("", "", q)
		}
		d.giveUp(q.run)
	}
	d.lanes, d.requests = lanes{}, requests{}
	d.frame, d.emitter, d.suffix = nil, nil, ""
}

// received reads a frame from the agent or its server.
func (d *decoder) received(data []byte) {
	o := &d.outer
	typ := o.text(fType)
	if len(typ) == 0 {
		d.untyped(data)
		return
	}
	if string(typ) == typeNames[wrapper] {
		d.frame.Type = typeNames[wrapper]
		d.wrapped()
		return
	}
	w := d.typeOf(typ)
	d.frame.Type = w.name
	switch w.kind {
	case runEnd:
		d.runEnded()
	case failure:
		d.failed()
	case reply:
		d.replied()
	case runRequest:
		d.runRequested()
	case cancelRun, exchange:
		d.requests.answered(o.text(fID))
	default:
		d.typed(w.kind, o, data, nil)
	}
}

// untyped reads a frame without a type: a reply, a whole run, an event of the
// single-key form.
func (d *decoder) untyped(data []byte) {
	o := &d.outer
	switch {
	case isArray(o.member[fEvents]):
		d.bundled = true
		d.bundle()
		d.bundled, d.suffix = false, ""
		d.frame.Type = typeNames[bundle]
	case o.has(fReply):
		d.frame.Type = typeNames[reply]
		d.replied()
	case o.inside != nil:
		d.exported(o, data, nil)
	default:
		d.unknownKey(o)
	}
}

// unknownKey marks an object without a type. A single key may be an event's
// all the same.
func (d *decoder) unknownKey(o *object) {
	d.flag(schema.FlagUnknownType)
	if o.keys == 1 {
		d.frame.Type = d.otherType.Own(o.other)
	}
}

// wrapped reads a run_stream_event: an event in a WebSocket's wrapper.
func (d *decoder) wrapped() {
	event := d.outer.member[fEvent]
	if !d.inner.read(event) {
		d.flag(schema.FlagUnknownType)
		return
	}
	id := d.outer.text(fID)
	if len(id) == 0 {
		id = d.inner.text(fSession)
	}
	d.embedded(event, id)
	d.inner.clear()
}

// embedded reads the event in d.inner, whose text is given.
func (d *decoder) embedded(text, wrapper []byte) {
	typ := d.inner.text(fType)
	switch {
	case len(typ) > 0:
		w := d.typeOf(typ)
		d.frame.Type = w.name
		if !w.kind.isEvent() {
			w.kind = unknown
		}
		d.typed(w.kind, &d.inner, text, wrapper)
	case d.inner.inside != nil:
		d.exported(&d.inner, text, wrapper)
	default:
		d.unknownKey(&d.inner)
	}
}

// typeOf looks a type up. Most frames are of the type of the one before.
func (d *decoder) typeOf(typ []byte) word {
	if d.word.name == string(typ) {
		return d.word
	}
	w, ok := byType[string(typ)]
	if !ok {
		return word{unknown, d.otherType.Own(typ)}
	}
	d.word = w
	return w
}

func (d *decoder) flag(flags schema.Flags) { d.frame.Flags |= flags }

// id makes the id of a fact that begins with the present frame.
func (d *decoder) id(kind string) string {
	id := d.emitter.LocalID(kind, d.frame)
	if d.suffix != "" {
		id += d.suffix
	}
	return id
}
