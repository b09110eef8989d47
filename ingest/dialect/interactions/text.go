package interactions

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// contents reads the contents at the start of a model output step.
func (d *decoder) contents(s *step, v *fastjson.Value, raw []byte) {
	dialect.Elements(v.GetArray("content"), dialect.RawMember(raw, "content"), 0, func(_ int, v *fastjson.Value, raw []byte) {
		d.part(s, v, raw)
	})
}

// said reads a piece of the answer's text, and its sources if they are known.
func (d *decoder) said(s *step, v *fastjson.Value, raw []byte) {
	if chunk := v.GetStringBytes("text"); len(chunk) > 0 {
		d.Append(schema.MessageAssistant, d.keyOf(s), chunk)
	}
	d.annotated(s, v, raw)
}

// annotated adds sources to a text.
func (d *decoder) annotated(s *step, v *fastjson.Value, raw []byte) {
	if len(v.GetArray("annotations")) == 0 {
		return
	}
	dialect.RawElements(dialect.RawMember(raw, "annotations"), func(one []byte) bool {
		if len(s.citations)+len(one) <= citationLimit {
			s.citations.Add(one)
		}
		return true
	})
	d.describe(s)
}

// media reads a picture or another content that is not text. Only its type is kept.
func (d *decoder) media(s *step, v *fastjson.Value, _ []byte) {
	if len(s.parts) < partsLimit {
		s.parts.AddText(v.GetStringBytes("type"))
	}
	d.FirstToken()
	d.describe(s)
}

// describe sets the attributes of a step's text.
func (d *decoder) describe(s *step) {
	m := d.Growing(schema.MessageAssistant, d.keyOf(s))
	if m == nil {
		m = d.BeginText(schema.MessageAssistant, d.keyOf(s))
	}
	var attrs dialect.Attributes
	attrs.AddRaw("citations", s.citations.JSON())
	attrs.AddRaw("parts", s.parts.JSON())
	m.Attributes = attrs.Text()
	d.Emitter.Append(m, nil, d.Frame) // the message lasts until the present frame
	d.Emitter.ChangedMessage(m, d.Frame)
}

// thought reads the summary at the start of a thought.
func (d *decoder) thought(s *step, v *fastjson.Value, _ []byte) {
	for _, item := range v.GetArray("summary") {
		d.thinks(s, item)
	}
}

// thoughtSummary reads a piece of a thought's summary.
func (d *decoder) thoughtSummary(s *step, v *fastjson.Value, _ []byte) { d.thinks(s, v.Get("content")) }

func (d *decoder) thinks(s *step, item *fastjson.Value) {
	if text := item.GetStringBytes("text"); len(text) > 0 {
		d.Append(schema.MessageThinking, d.keyOf(s), text)
	}
}
