package langgraph

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// tuple reads an event of messages-tuple: [message or chunk, metadata].
func (d *decoder) tuple(v *fastjson.Value, data []byte) {
	pair := v.GetArray()
	if len(pair) == 0 {
		d.Unknown()
		return
	}
	var raw []byte
	dialect.RawElements(data, func(first []byte) bool {
		raw = first
		return false
	})
	var meta *fastjson.Value
	if len(pair) > 1 {
		meta = pair[1]
	}
	d.about(meta)
	k, m, raw := plain(pair[0], raw)
	switch k {
	case ai, aiChunk:
		id := m.GetStringBytes("id")
		if k == ai {
			d.whole(m, raw, meta, nodeOf(meta))
			return
		}
		a := d.piece(id, nodeOf(meta))
		if a == nil {
			return
		}
		d.made(a, meta)
		d.chunk(a, m, raw, tuples)
	case tool:
		d.inRun()
		d.result(m)
	case human:
		d.inRun()
	default:
		d.Unknown()
	}
}

// about reads what the metadata of a message states about the run.
func (d *decoder) about(meta *fastjson.Value) {
	d.nameThread(meta.GetStringBytes("thread_id"))
	if id := meta.GetStringBytes("run_id"); id != nil && d.conv.RunID == "" {
		d.named(id)
	}
}

// growing returns the answer of a piece, and begins it if it is new. It returns nil for an answer
// that is past.
func (d *decoder) growing(id []byte) *answer {
	a := d.answer(id)
	if a == nil && !d.past.Has(bare(id)) {
		a = d.begin(id)
	}
	return a
}

// piece returns the answer of a piece as growing does. The answer may be known under another id. node is
// "" if it is not known.
func (d *decoder) piece(id []byte, node string) *answer {
	if d.answer(id) == nil {
		if a := d.underOtherID(id, node, goesOn(id)); a != nil {
			return a
		}
	}
	return d.growing(id)
}

// chunk reads a piece of an answer.
func (d *decoder) chunk(a *answer, m *fastjson.Value, raw []byte, s source) {
	late := a.done && a.source == s // usage may come after the end
	if a.from(s) {
		text, thought := d.content(m)
		d.say(a, text, thought, false)
		if chunks := m.GetArray("tool_call_chunks"); len(chunks) > 0 {
			for _, c := range chunks {
				d.callChunk(a, c)
			}
		} else {
			d.wholeCalls(a, m, raw)
		}
	} else if !late {
		return
	}
	last := d.describe(a, m)
	d.used(a, dialect.RawMember(raw, "usage_metadata"), false)
	if last {
		d.finish(a, schema.StatusOK)
	}
}

// snapshots reads messages/partial and messages/complete, which have the messages so far.
func (d *decoder) snapshots(v *fastjson.Value, data []byte, complete bool) {
	messages := v.GetArray()
	if messages == nil {
		d.Unknown()
		return
	}
	dialect.Elements(messages, data, 0, func(_ int, m *fastjson.Value, raw []byte) { d.snapshot(m, raw, complete) })
}

func (d *decoder) snapshot(m *fastjson.Value, raw []byte, complete bool) {
	k, m, raw := plain(m, raw)
	switch k {
	case ai, aiChunk:
		if complete {
			d.whole(m, raw, nil, "")
			return
		}
		a := d.piece(m.GetStringBytes("id"), "")
		if a == nil {
			return
		}
		if a.from(partials) {
			text, thought := d.content(m)
			d.say(a, text, thought, true)
			d.wholeCalls(a, m, raw)
		}
		last := d.describe(a, m)
		if a.source == partials {
			d.used(a, dialect.RawMember(raw, "usage_metadata"), true)
		}
		if last {
			d.finish(a, schema.StatusOK)
		}
	case tool:
		d.inRun()
		d.result(m)
	}
}

// messagesMetadata reads {id: {metadata}}. Only calls of models have a model in it.
func (d *decoder) messagesMetadata(v *fastjson.Value) {
	members := v.GetObject()
	if members == nil {
		d.Unknown()
		return
	}
	members.Visit(func(id []byte, about *fastjson.Value) {
		meta := about.Get("metadata")
		d.about(meta)
		if meta.GetStringBytes("ls_model_name") == nil && meta.GetStringBytes("ls_provider") == nil {
			return
		}
		if a := d.piece(id, nodeOf(meta)); a != nil {
			d.made(a, meta)
		}
	})
}

// whole reads a complete message of a model: the end of a growing one, or a message that was not
// streamed, whose start is not known.
func (d *decoder) whole(m *fastjson.Value, raw []byte, meta *fastjson.Value, node string) {
	id := m.GetStringBytes("id")
	a := d.answer(id)
	if a == nil {
		a = d.underOtherID(id, node, sameUsage(dialect.RawMember(raw, "usage_metadata")))
	}
	if a == nil {
		if d.past.Has(bare(id)) {
			return
		}
		a = d.begin(id)
		a.span.Started = 0
	}
	d.made(a, meta)
	if !a.done {
		text, thought := d.content(m)
		if a.source == nowhere || a.source == partials {
			d.say(a, text, thought, true)
		}
		d.wholeCalls(a, m, raw)
	}
	d.describe(a, m)
	d.used(a, dialect.RawMember(raw, "usage_metadata"), true)
	d.finish(a, schema.StatusOK)
	a.whole = true
}
