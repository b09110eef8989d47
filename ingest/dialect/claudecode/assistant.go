package claudecode

import (
	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/schema"
)

// assistant reads a line with a whole content block of a message. If events described the message
// the line changes nothing, and its usage is still the usage at the message's start.
func (s *session) assistant(l *line) (at *actor, known bool) {
	message := l.v.Get("message")
	if !dialect.IsObject(message) {
		return s.openActor(l.text("parent_tool_use_id")), false
	}
	s.kept = s.kept || l.isKept()
	made := string(message.GetStringBytes("model")) == synthetic
	if made && s.kept && s.Run() == nil && !isFailure(l) {
		return &s.actor, true // it takes the place of an answer without a prompt
	}
	at = s.lineActor(l)
	id := message.GetStringBytes("id")
	switch {
	case made:
		at.synthetic(l, message)
		known = true
	case at.streamed.Has(id):
		return at, true
	case s.kept && at.rewritten(l, id):
		s.Emitter.Mark(l.Frame, schema.FlagEventRepeat, 0)
		return at, true
	default:
		at.Whole = s.kept
		known = at.part(l, id, message)
	}
	if s.kept {
		at.keptLine(l, true)
	}
	return at, known
}

// synthetic is the model of messages that Claude Code made up.
const synthetic = "<synthetic>"

// isFailure reports whether a made-up message is an error.
func isFailure(l *line) bool {
	return l.v.GetBool("is_api_error_message") || l.v.GetBool("isApiErrorMessage") || l.v.Exists("error")
}

// part records a part of a message. Lines with the same message id are parts of one call.
func (a *actor) part(l *line, id []byte, message *fastjson.Value) (known bool) {
	if len(id) > 0 && a.id == string(id) && a.call != nil {
		a.Resume(a.call)
	} else {
		if model := message.GetStringBytes("model"); len(model) > 0 && a.Model != string(model) {
			a.SetModel(string(model), "")
		}
		a.call, a.usage, a.id, a.output = a.OpenCall(), nil, string(id), output{}
		a.started(a.call)
		a.messages.ForgetOthers()
	}
	a.Billing.MessageID, a.Billing.RequestID = a.id, string(dialect.FirstText(l.v, "requestId", "request_id"))
	raw := dialect.RawMember(l.data, "message")
	known = a.messages.Content(dialect.RawMember(raw, "content"), message.Get("content"))
	a.call = a.Call() // another model may have taken over
	a.messages.ReadRefusal(message)
	a.count(dialect.RawMember(raw, "usage"))
	if a.usage != nil && a.messages.Refuse(a.usage) {
		a.Emitter.ChangedUsage(a.usage, a.Frame)
	}
	a.stateCost(l)
	reason := dialect.RawMember(raw, "stop_reason")
	a.output.add(dialect.RawMember(raw, "usage"), dialect.RawMember(raw, "content"), !dialect.RawNull(reason))
	a.describe(reason)
	a.EndCall(schema.StatusOK)
	a.asked = l.At
	return known
}

// rewritten reports whether a line of a conversation's file repeats a part of a message. A
// program that continues a conversation writes its last message again, with another uuid. The
// usage of the repeated line counts, as it may be known only by then.
func (a *actor) rewritten(l *line, id []byte) bool {
	if len(id) == 0 {
		return false
	}
	message := dialect.RawMember(l.data, "message")
	var h xxhash.Digest
	h.Reset()
	_, _ = h.Write(id) // it never fails
	_, _ = h.Write(dialect.RawMember(message, "content"))
	if hash := h.Sum64(); !a.parts.HasHash(hash) {
		a.parts.AddHash(hash, partsKept)
		return false
	}
	if a.id == string(id) && a.call != nil {
		a.count(dialect.RawMember(message, "usage"))
	}
	return true
}

// count records the usage of the message of a.call. Each of the message's lines repeats the
// usage; the largest counts.
func (a *actor) count(raw []byte) {
	tokens, ok := anthropic.Bill(raw, a.Model)
	if !ok {
		a.Unread(raw)
	}
	if !ok || a.usage != nil && tokens.Sum() <= a.usage.Tokens.Sum() {
		return
	}
	first := a.usage == nil
	if a.usage = a.Count(a.usage, &counting, a.id, a.call, raw); a.usage == nil {
		return
	}
	a.usage.Tokens = tokens
	a.messages.CountOthers(a.id, raw)
	if first {
		a.keep(a.usage)
	}
}

// synthetic records a message that Claude Code made up: an error, or a message in place of an
// answer. No model was called for it.
func (a *actor) synthetic(l *line, message *fastjson.Value) {
	a.EndCall(schema.StatusOK)
	kind := schema.MessageAssistant
	if isFailure(l) {
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
