package claudecode

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/schema"
)

// assistant reads a line that states a content block of a message, whole. If
// events described the message it says nothing new, and its usage is still that
// of the message's start.
func (s *session) assistant(l *line) (at *actor, known bool) {
	message := l.v.Get("message")
	if !dialect.IsObject(message) {
		return s.openActor(l.text("parent_tool_use_id")), false
	}
	at = s.actorOf(l)
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

// part records a part of a message: lines of one id are parts of one call.
func (a *actor) part(l *line, id []byte, message *fastjson.Value) (known bool) {
	if len(id) > 0 && a.id == string(id) && a.call != nil {
		a.Resume(a.call)
	} else {
		if model := message.GetStringBytes("model"); len(model) > 0 && a.Model != string(model) {
			a.SetModel(string(model), "")
		}
		a.call, a.usage, a.id = a.OpenCall(), nil, string(id)
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

// count records the usage of the message that a.call is of. Each of its lines
// repeats it; of several the largest stands.
func (a *actor) count(raw []byte) {
	tokens, ok := anthropic.Bill(raw)
	if !ok || a.usage != nil && tokens.Sum() <= a.usage.Tokens.Sum() {
		return
	}
	first := a.usage == nil
	if a.usage = a.Count(a.usage, &counting, a.id, a.call, raw); a.usage == nil {
		return
	}
	a.usage.Tokens = tokens
	if first {
		a.keep(a.usage)
	}
}

// synthetic records a message that Claude Code itself made up: of an error, or in
// place of an answer. No model was called for it.
func (a *actor) synthetic(l *line, message *fastjson.Value) {
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
