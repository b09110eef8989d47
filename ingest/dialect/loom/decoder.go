package loom

import (
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
	book    *dialect.Book
	outer   object // the frame itself
	inner   object // the event in a wrapper, the reply in a bundle
	payload object // what a key of the single-key form holds, or a custom value
	suffix  string // tells apart what one frame tells of several events
	bundled bool   // several events came in one frame: their times are not known

	word      word // the latest type
	otherType dialect.Last
	node      dialect.Last
	number    []byte // the frame's event id
}

// Decode reads one frame.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Book) {
	d.nextSeq = in.Seq + 1
	if in.JSON == nil {
		if in.Direction == schema.Send && len(in.Data) > 0 {
			d.requests.unreadable++
		}
		return
	}
	d.frame, d.book = in.Frame, b
	switch {
	case !d.outer.read(in.JSON):
		d.flag(schema.FlagUnknownType)
	case in.Direction == schema.Send:
		d.sent(in.Data)
	default:
		d.received(in.Data)
	}
	d.outer.clear() // what it points at belongs to the caller
	d.frame, d.book = nil, nil
}

// End settles what is still open.
func (d *decoder) End(at int64, b *dialect.Book) {
	d.frame, d.book = &schema.Frame{Seq: d.nextSeq, At: at}, b
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
	d.frame, d.book, d.suffix = nil, nil, ""
}

// received reads a frame from the agent or its server.
func (d *decoder) received(data []byte) {
	o := &d.outer
	typ := o.text(fType)
	if len(typ) == 0 {
		d.untyped(data)
		return
	}
	w := d.typeOf(typ)
	d.frame.Type = w.name
	switch w.kind {
	case wrapper:
		d.wrapped(data)
	case runEnd:
		d.runEnded(data)
	case failure:
		d.failed(data)
	case reply:
		d.replied(data)
	case runRequest:
		d.runRequested(data)
	case cancelRun, exchange:
		d.requests.answered(o.text(fID))
	default:
		d.typed(w.kind, o, data, "", nil)
	}
}

// untyped reads a frame without a type: a reply, a whole run, an event of the
// single-key form.
func (d *decoder) untyped(data []byte) {
	o := &d.outer
	switch {
	case isArray(o.member[fEvents]):
		d.bundled = true
		d.bundle(data)
		d.bundled, d.suffix = false, ""
		d.frame.Type = typeNames[bundle]
	case o.has(fReply):
		d.frame.Type = typeNames[reply]
		d.replied(data)
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
func (d *decoder) wrapped(data []byte) {
	if !d.inner.read(d.outer.member[fEvent]) {
		d.flag(schema.FlagUnknownType)
		return
	}
	id := d.outer.text(fID)
	if len(id) == 0 {
		id = d.inner.text(fSession)
	}
	d.embedded(data, "event", id)
	d.inner.clear()
}

// embedded reads the event in d.inner, which stands in text as a member, or
// is all of it where that is "".
func (d *decoder) embedded(text []byte, member string, wrapper []byte) {
	typ := d.inner.text(fType)
	switch {
	case len(typ) > 0:
		w := d.typeOf(typ)
		d.frame.Type = w.name
		if !w.kind.isEvent() {
			w.kind = unknown
		}
		d.typed(w.kind, &d.inner, text, member, wrapper)
	case d.inner.inside != nil:
		d.exported(&d.inner, memberOf(text, member), wrapper)
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
	id := d.book.LocalID(kind, d.frame)
	if d.suffix != "" {
		id += d.suffix
	}
	return id
}
