package loom

import (
	"sync"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// decoder reads one stream.
type decoder struct {
	model.Stream
	lanes
	requests requests

	*objects        // of the present frame
	mark     mark   // of the present event
	part     int    // index of the event in the frame
	latest   *kind  // the latest known type
	number   []byte // the frame's event id, which is valid until the next frame
	other    dialect.Last
	node     dialect.Last
}

// objects holds the parsed present frame. A decoder borrows one for each frame: a silent stream
// holds none.
type objects struct {
	outer   object // the frame itself
	inner   object // the event in a wrapper, or the reply in a bundle
	payload object // the value of a key of the single-key form
	event   event
}

var objectPool = sync.Pool{New: func() any { return new(objects) }}

// numberKept bounds the buffer that is kept for event ids, bytes.
const numberKept = 128

// Decode reads one frame.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.Begin(in, b)
	defer d.Done()
	if in.JSON == nil {
		if in.Direction == schema.Send && in.Transport == schema.WebSocket && len(in.Data) > 0 {
			d.requests.unreadable++
		}
		return
	}
	d.objects = objectPool.Get().(*objects)
	if cap(d.number) > numberKept {
		d.number = nil
	}
	switch {
	case !d.outer.read(in.Data):
		d.Unknown()
	case in.Direction == schema.Send:
		d.sent()
	default:
		d.received(in.Data)
	}
	d.outer.clear()
	d.event = event{}
	objectPool.Put(d.objects)
	d.objects, d.mark = nil, mark{}
}

// ReadsText implements dialect.TextReader.
func (d *decoder) ReadsText() bool { return true }

// End settles what is still open.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	defer d.Done()
	for _, l := range d.open {
		if l.run != nil {
			d.abandon(l.run)
		}
	}
	for i, q := range d.requests.runs {
		d.Part(partOf(i))
		d.abandon(d.runFor(q))
	}
	d.lanes, d.requests = lanes{}, requests{}
}

// received reads a frame from the agent or its server.
func (d *decoder) received(data []byte) {
	o := &d.outer
	typ := o.text(fType)
	if len(typ) == 0 {
		d.untyped(data)
		return
	}
	if string(typ) == typeWrapper { // the wrapped event has a type as well
		d.Frame.Type = typeWrapper
		d.wrapped()
		return
	}
	if k := d.kindOf(typ); k != nil && k.server != nil {
		k.server(d)
	} else {
		d.typed(k, o, data, nil)
	}
}

// untyped reads a frame without a type: a reply, a whole run, or an event of the single-key form.
func (d *decoder) untyped(data []byte) {
	o := &d.outer
	switch {
	case isArray(o.member[fEvents]):
		d.bundle()
		d.Frame.Type = typeBundle
	case o.has(fReply):
		d.Frame.Type = typeReply
		d.replied()
	case o.inside != nil:
		d.exported(o, data, nil)
	default:
		d.unknownKey(o)
	}
}

// unknownKey marks an object without a type as unknown. Its single key may be the key of an event.
func (d *decoder) unknownKey(o *object) {
	d.Unknown()
	if o.keys == 1 {
		d.Frame.Type = d.other.Own(o.other)
	}
}

// wrapped reads a run_stream_event: an event in a WebSocket's wrapper.
func (d *decoder) wrapped() {
	event := d.outer.member[fEvent]
	if !d.inner.read(event) {
		d.Unknown()
		return
	}
	id := d.outer.text(fID)
	if len(id) == 0 {
		id = d.inner.text(fSession)
	}
	d.embedded(event, id)
	d.inner.clear()
}

// embedded reads the event in d.inner. text is its JSON.
func (d *decoder) embedded(text, wrapper []byte) {
	typ := d.inner.text(fType)
	switch {
	case len(typ) > 0:
		d.typed(d.kindOf(typ), &d.inner, text, wrapper)
	case d.inner.inside != nil:
		d.exported(&d.inner, text, wrapper)
	default:
		d.unknownKey(&d.inner)
	}
}

// kindOf returns a type, or nil for an unknown one, and sets the frame's type. Most frames have
// the type of the previous one.
func (d *decoder) kindOf(typ []byte) *kind {
	k := d.latest
	if k == nil || k.name != string(typ) {
		if k = byName[string(typ)]; k == nil {
			d.Frame.Type = d.other.Own(typ)
			return nil
		}
		d.latest = k
	}
	d.Frame.Type = k.name
	return k
}
