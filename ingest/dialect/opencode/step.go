package opencode

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// stepStart reads the start of a step: one call of a model, and the tools that it calls, which
// are executed before the step ends.
func (t *session) stepStart(part *fastjson.Value) {
	id := part.GetStringBytes("id")
	if t.note(partKey(part)) {
		return
	}
	t.openCall(id)
}

// openCall begins a call of the model. The id is that of its step, or empty.
func (t *session) openCall(id []byte) {
	t.inRun()
	t.endCall(schema.StatusOK)
	t.failure = failure{} // earlier errors did not end the run
	t.quoting = append(append(t.quoting[:0], "llm:"...), id...)
	if len(id) > 0 && !t.note(t.quoting) {
		t.conv.OpenCallAs(string(t.quoting))
	} else {
		t.conv.OpenCall()
	}
	t.said, t.tooled = t.Frame.At, false
}

// stepFinish reads the end of a step, with the tokens of its call.
func (t *session) stepFinish(part *fastjson.Value, raw []byte) {
	if t.note(partKey(part)) {
		return
	}
	t.closeCall(part.GetStringBytes("messageID"), part.GetStringBytes("reason"), raw, schema.StatusOK)
}

// closeCall ends the call of the model. raw has the tokens and the cost of its step.
func (t *session) closeCall(message, reason, raw []byte, status schema.Status) {
	t.inRun()
	call := t.conv.Call()
	t.messageOf(message).step(t, raw, call)
	if call == nil {
		return
	}
	var attrs dialect.Attributes
	if reason != nil {
		attrs.AddText("stop_reason", string(reason))
	}
	if cost := dialect.RawMember(raw, "cost"); !dialect.RawNull(cost) && string(cost) != "0" {
		attrs.AddRaw("cost", cost)
	}
	call.Attributes = attrs.Text()
	t.endCall(status)
}

// endCall ends the call of the model: with its step, or at its last output if tools were executed
// after it.
func (t *session) endCall(status schema.Status) {
	call := t.conv.Call()
	if call == nil {
		return
	}
	t.conv.EndCall(status)
	if t.tooled && t.said >= call.Started {
		call.Ended = t.said
	}
}
