package opencode

import (
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// textKey returns the key of a text in an event of version 2: its message and its number there, or
// the id that version 1.18 gives it.
func (t *session) textKey(p *fastjson.Value) []byte {
	id := dialect.FirstText(p, "textID", "reasoningID")
	if message := p.GetStringBytes("assistantMessageID"); id == nil && message != nil {
		id = message
	}
	key := append(t.quoting[:0], id...)
	if p.Exists("ordinal") {
		key = strconv.AppendUint(append(key, ':'), p.GetUint64("ordinal"), 10)
	}
	t.quoting = key
	return key
}

// beginText begins a text of an answer, with the same id in all streams that have it.
func (t *session) beginText(kind schema.MessageKind, key []byte) *dialect.Message {
	t.inRun()
	id := string(kind) + ":" + string(key)
	if len(key) > 0 && !t.note([]byte(id)) {
		return t.conv.BeginTextAs(kind, key, id)
	}
	return t.conv.BeginText(kind, key)
}

// says makes a handler of a piece of a text.
func says(kind schema.MessageKind) handler {
	return func(t *session, p *fastjson.Value, _ []byte) {
		key, piece := t.textKey(p), p.GetStringBytes("delta")
		if len(piece) == 0 {
			return
		}
		if t.conv.Growing(kind, key) == nil {
			t.beginText(kind, key)
		}
		t.conv.Append(kind, key, piece)
		t.said = t.Frame.At
	}
}

// said makes a handler of a whole text. One that was complete is repeated.
func said(kind schema.MessageKind) handler {
	return func(t *session, p *fastjson.Value, _ []byte) {
		key, text := t.textKey(p), p.GetStringBytes("text")
		m := t.conv.Growing(kind, key)
		if m == nil {
			if len(text) == 0 || len(key) > 0 && t.seen.Has([]byte(string(kind)+":"+string(key))) {
				return
			}
			m = t.beginText(kind, key)
		}
		if text != nil {
			t.Emitter.SetText(m, text, t.Frame)
		}
		t.conv.FirstToken()
		t.conv.Complete(kind, key)
		t.said = t.Frame.At
	}
}
