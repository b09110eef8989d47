package claudecode

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/schema"
)

// assistant reads a line that tells a content block of a message, whole. If
// events told of the message it says nothing new, and its usage is still that
// of the message's start.
func (s *session) assistant(l *line) (at *lane, known bool) {
	message := l.v.Get("message")
	if !dialect.IsObject(message) {
		return s.laneIfOpen(l.text("parent_tool_use_id")), false
	}
	at = s.laneOf(l)
	id := message.GetStringBytes("id")
	switch {
	case string(message.GetStringBytes("model")) == "<synthetic>":
		at.synthetic(l, message)
		return at, true
	case at.streamed.Has(id):
		return at, true
	}
	return at, at.part(l, id, message)
}

// part tells a part of a message: lines of one id are parts of one call.
func (a *lane) part(l *line, id []byte, message *fastjson.Value) (known bool) {
	if len(id) > 0 && a.id == string(id) && a.call != nil {
		a.Resume(a.call)
	} else {
		if model := message.GetStringBytes("model"); len(model) > 0 && a.Model != string(model) {
			a.SetModel(string(model), "")
		}
		a.call, a.told, a.id = a.OpenCall(), nil, string(id)
		a.started(a.call)
	}
	raw := dialect.RawMember(l.data, "message")
	known = a.messages.Content(dialect.RawMember(raw, "content"), message.Get("content"))
	a.count(dialect.RawMember(raw, "usage"))
	if reason := dialect.RawMember(raw, "stop_reason"); !dialect.RawNull(reason) {
		a.call.Attributes = dialect.Attribute("stop_reason", reason)
	}
	a.EndCall(schema.StatusOK)
	a.asked = l.At
	return known
}

// count tells the usage of the message that a.call is of. Each of its lines
// repeats it; of several the largest stands.
func (a *lane) count(raw []byte) {
	tokens, ok := anthropic.Bill(raw)
	if !ok || a.told != nil && tokens.Sum() <= a.told.Tokens.Sum() {
		return
	}
	first := a.told == nil
	if a.told = a.Count(a.told, &counting, a.id, a.call, raw); a.told == nil {
		return
	}
	a.told.Tokens = tokens
	if first {
		a.keep(a.told)
	}
}

// synthetic tells a message that Claude Code itself made up: of an error, or in
// place of an answer. No model was called for it.
func (a *lane) synthetic(l *line, message *fastjson.Value) {
	a.EndCall(schema.StatusOK)
	kind := schema.MessageAssistant
	if l.v.GetBool("is_api_error_message") || l.v.GetBool("isApiErrorMessage") || l.v.Exists("error") {
		kind = schema.MessageError
	}
	for _, block := range message.GetArray("content") {
		if text := block.GetStringBytes("text"); len(text) > 0 {
			a.Say(kind, text)
			if kind == schema.MessageError {
				a.failure = dialect.Short(text)
			}
		}
	}
}
