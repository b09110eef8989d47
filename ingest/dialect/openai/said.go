package openai

import (
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// part identifies a part of an item: a text, a refusal, a thought, or a part of a summary of
// thoughts.
type part struct {
	it      *item
	kind    schema.MessageKind
	number  int
	summary bool
	refusal bool
}

func (p *part) bits() *uint64 {
	if p.summary {
		return &p.it.summaries
	}
	return &p.it.texts
}

// seen reports whether a part was begun before, and marks it as begun.
func (p *part) seen() bool {
	bit := uint64(1) << min(uint(p.number), 63)
	was := *p.bits()&bit != 0
	*p.bits() |= bit
	return was
}

// partKey returns the key of a part in the response: "<item>.<part>".
func (d *responses) partKey(p *part) []byte {
	d.key = strconv.AppendInt(d.key[:0], int64(p.it.index), 10)
	d.key = append(d.key, '.')
	if p.summary {
		d.key = append(d.key, 's')
	}
	d.key = strconv.AppendInt(d.key, int64(p.number), 10)
	return d.key
}

// text reads a piece of a part, or all of it.
func (d *responses) text(in *dialect.Input, e *event) {
	v := in.JSON
	d.ensure()
	p := part{it: d.itemAt(d.indexOf(v), v, "item_id"), kind: e.says, number: v.GetInt(e.part), summary: e.part == "summary_index", refusal: e.refusal}
	if p.it.done || p.number < 0 {
		return
	}
	switch e.kind {
	case textDelta:
		d.piece(&p, v.GetStringBytes(e.member))
	case textDone:
		d.entire(&p, v.GetStringBytes(e.member))
	case partDone:
		d.partDone(&p, v.Get("part"), dialect.RawMember(in.Data, "part"))
	}
}

// piece adds to a part.
func (d *responses) piece(p *part, text []byte) {
	if len(text) == 0 {
		return
	}
	d.growing(p)
	d.Append(p.kind, d.partKey(p), text)
}

// growing returns the message of a part, and begins it if there is none.
func (d *responses) growing(p *part) *dialect.Message {
	key := d.partKey(p)
	m := d.Growing(p.kind, key)
	if m != nil {
		return m
	}
	p.seen()
	if len(d.RunID) >= distinct {
		m = d.BeginTextAs(p.kind, key, string(p.kind)+":"+d.RunID+"."+string(key))
	} else {
		m = d.BeginText(p.kind, key)
	}
	if p.refusal {
		m.Attributes = `{"refusal":true}`
	}
	return m
}

// entire sets the whole text of a part, which differs from its pieces only if some were missed.
func (d *responses) entire(p *part, text []byte) *dialect.Message {
	m := d.Growing(p.kind, d.partKey(p))
	if m == nil && (len(text) == 0 || p.seen()) {
		return nil
	}
	m = d.growing(p)
	if len(text) > 0 && string(m.TextSoFar()) != string(text) {
		d.Emitter.SetText(m, text, d.Frame)
		d.FirstToken()
	}
	return m
}

// partDone completes a part. raw is its JSON.
func (d *responses) partDone(p *part, value *fastjson.Value, raw []byte) {
	text := value.GetStringBytes("text")
	switch string(value.GetStringBytes("type")) {
	case "output_text", "text":
		p.kind = schema.MessageAssistant
	case "refusal":
		p.kind, p.refusal = schema.MessageAssistant, true
		text = value.GetStringBytes("refusal")
	case "reasoning_text", "summary_text":
		p.kind = schema.MessageThinking
	default:
		d.Unknown()
		return
	}
	m := d.entire(p, text)
	if m == nil {
		return
	}
	if len(value.GetArray("annotations")) > 0 {
		m.Attributes = dialect.Attribute("annotations", dialect.RawMember(raw, "annotations"))
	}
	d.Complete(p.kind, d.partKey(p))
}

// said reads the parts of a whole item.
func (d *responses) said(it *item, value *fastjson.Value, raw []byte) {
	for _, list := range [...]string{"summary", "content"} {
		values := value.GetArray(list)
		dialect.Elements(values, dialect.RawMember(raw, list), 0, func(i int, v *fastjson.Value, raw []byte) {
			d.partDone(&part{it: it, number: i, summary: list == "summary"}, v, raw)
		})
	}
}
