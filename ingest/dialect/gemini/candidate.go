package gemini

import (
	"slices"
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/gemini/content"
	"tapedeck/schema"
)

// offer reads the candidates of a chunk, whose JSON is raw. It looks up the JSON of candidates only
// if something in it is kept as JSON.
func (d *decoder) offer(candidates []*fastjson.Value, raw []byte) {
	if !slices.ContainsFunc(candidates, isKept) {
		for i, v := range candidates {
			d.candidate(indexOf(v, i), v, nil)
		}
		return
	}
	dialect.Elements(candidates, dialect.RawMember(raw, "candidates"), 0, func(i int, v *fastjson.Value, raw []byte) {
		d.candidate(indexOf(v, i), v, raw)
	})
}

// isKept reports whether a part of a candidate is kept as JSON.
func isKept(v *fastjson.Value) bool {
	for _, name := range remarks {
		if v.Get(name) != nil {
			return true
		}
	}
	return slices.ContainsFunc(v.GetArray("content", "parts"), func(part *fastjson.Value) bool { return part.Get("text") == nil })
}

// indexOf returns a candidate's index, or its place if it states none.
func indexOf(v *fastjson.Value, place int) int {
	if n := v.Get("index"); n != nil {
		return n.GetInt()
	}
	return place
}

// candidate reads a candidate of a chunk. raw is its JSON, or nil if it has text only.
func (d *decoder) candidate(index int, v *fastjson.Value, raw []byte) {
	c := d.answer.of(index)
	parts := v.GetArray("content", "parts")
	if len(parts) > 0 && d.answer.ended && !onlySigns(parts) {
		d.resume()
	}
	if raw == nil {
		for _, part := range parts {
			d.part(c, part, nil)
		}
	} else {
		dialect.Elements(parts, dialect.RawPath(raw, "content.parts"), 0, func(_ int, v *fastjson.Value, raw []byte) {
			d.part(c, v, raw)
		})
		d.remark(c, v, raw)
	}
	if reason := finishReasons.name(v.Get("finishReason")); reason != "" {
		d.stopText(c)
		d.endCall(&c.open)
		c.done, c.reason = true, reason
		if text := v.GetStringBytes("finishMessage"); len(text) > 0 {
			c.why = []byte(dialect.Short(text))
		}
	}
}

// onlySigns reports whether parts have no content, only signatures.
func onlySigns(parts []*fastjson.Value) bool {
	for _, part := range parts {
		if text := part.Get("text"); text == nil || len(text.GetStringBytes()) > 0 {
			return false
		}
	}
	return true
}

// part reads one part of a candidate's content.
func (d *decoder) part(c *candidate, part *fastjson.Value, raw []byte) {
	if text := part.Get("text"); text != nil {
		d.say(c, text.GetStringBytes(), part.GetBool("thought"))
		return
	}
	switch {
	case part.Get("functionCall") != nil:
		d.stopText(c)
		d.functionCall(c, part.Get("functionCall"), dialect.RawMember(raw, "functionCall"))
	case part.Get("executableCode") != nil:
		d.stopText(c)
		d.code(c, part.Get("executableCode"), dialect.RawMember(raw, "executableCode"))
	case part.Get("codeExecutionResult") != nil:
		d.stopText(c)
		d.codeResult(c, part.Get("codeExecutionResult"))
	case part.Get("toolCall") != nil:
		d.stopText(c)
		d.serverCall(c, part.Get("toolCall"), dialect.RawMember(raw, "toolCall"))
	case part.Get("toolResponse") != nil:
		d.stopText(c)
		d.serverResponse(c, part.Get("toolResponse"), dialect.RawMember(raw, "toolResponse"))
	case part.Get("inlineData") != nil:
		d.inline(c, part.Get("inlineData"))
	case part.Get("fileData") != nil:
		d.show(c)
		c.notes.file = string(dialect.RawMember(raw, "fileData"))
		d.note(c)
	case part.Get("thoughtSignature") != nil && content.KindOf(raw) == "":
	default:
		d.Unknown()
	}
}

// say adds to the candidate's answer or to its thoughts.
func (d *decoder) say(c *candidate, text []byte, thought bool) {
	if len(text) == 0 {
		return // mostly a signature
	}
	kind := schema.MessageAssistant
	if thought {
		kind = schema.MessageThinking
	}
	if c.growing != kind {
		d.stopText(c)
		c.growing = kind
	}
	var room [8]byte
	key := c.key(room[:0])
	m := d.Growing(kind, key)
	if m == nil {
		m = d.BeginText(kind, key)
		d.begins(c, m)
	}
	d.Emitter.Append(m, text, d.Frame)
	d.FirstToken()
}

// begins sets up a new message of a candidate.
func (d *decoder) begins(c *candidate, m *dialect.Message) {
	if m.Kind == schema.MessageAssistant {
		c.said, c.notes = m, notes{}
	}
	if c.index != 0 {
		m.Attributes = dialect.Attribute("candidate", strconv.AppendInt(nil, int64(c.index), 10))
	}
}

// stopText completes the candidate's text, as other content follows.
func (d *decoder) stopText(c *candidate) {
	if c.growing != "" {
		var room [8]byte
		d.Complete(c.growing, c.key(room[:0]))
		c.growing = ""
	}
}

// key returns the key of a candidate's messages. It is nil for candidate 0, mostly the only one.
func (c *candidate) key(buf []byte) []byte {
	if c.index == 0 {
		return nil
	}
	return strconv.AppendInt(buf, int64(c.index), 10)
}
