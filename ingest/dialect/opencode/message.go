package opencode

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// message reads a message.updated: a message of the user, which begins a run, or of an agent,
// with its model and tokens. Both are repeated, also after the run.
func (t *session) message(info *fastjson.Value, raw []byte) {
	id := info.GetStringBytes("id")
	switch string(info.GetStringBytes("role")) {
	case "user":
		if t.note(id) {
			return
		}
		t.user = string(id)
		t.speaker(info, info.Get("model"))
	case "assistant":
		t.answer(info, raw, id)
	default:
		t.Unknown()
	}
}

func (t *session) answer(info *fastjson.Value, raw, id []byte) {
	if t.seen.Has(id) {
		return
	}
	t.speaker(info, info)
	m := t.messageOf(id)
	m.whole(t, raw)
	t.failed(info.Get("error"))
	if info.GetUint64("time", "completed") != 0 {
		t.settle(m)
	}
}

// speaker reads the agent that answers, and its model.
func (t *session) speaker(info, model *fastjson.Value) {
	t.speaks(dialect.FirstText(info, "agent", "mode"), model.GetStringBytes("modelID"), model.GetStringBytes("providerID"))
}

func (t *session) speaks(agent, model, provider []byte) {
	if agent != nil {
		t.conv.Agent = t.agent.Own(agent)
	}
	run := t.inRun()
	if run.Agent == "" && t.conv.Agent != "" {
		run.Agent = t.conv.Agent
		t.Emitter.ChangedSpan(run, t.Frame)
	}
	if model != nil {
		t.conv.AnswerModel(t.model.Own(model), string(provider))
	}
}

// part reads a message.part.updated, which has a whole part.
func (t *session) part(part *fastjson.Value, raw []byte) {
	switch string(part.GetStringBytes("type")) {
	case "text":
		if t.ofUser(part) {
			t.asksFor(part)
			return
		}
		t.text(part, schema.MessageAssistant, part.GetUint64("time", "end") != 0)
	case "reasoning":
		t.text(part, schema.MessageThinking, part.GetUint64("time", "end") != 0)
	case "tool":
		t.tool(part, raw)
	case "step-start":
		t.stepStart(part)
	case "step-finish":
		t.stepFinish(part, raw)
	case "snapshot", "patch", "file", "agent", "subtask", "retry", "compaction":
	default:
		t.Unknown()
	}
}

// ofUser reports whether a part of text is the user's. In a stream that begins after the user's
// message, only parts of answers have times.
func (t *session) ofUser(part *fastjson.Value) bool {
	id := part.GetStringBytes("messageID")
	if len(id) > 0 && t.user == string(id) {
		return true
	}
	for _, m := range t.messages {
		if m.id == string(id) {
			return false
		}
	}
	return part.Get("time") == nil
}

// asksFor records text of the user, and text that OpenCode adds to it.
func (t *session) asksFor(part *fastjson.Value) {
	text := part.GetStringBytes("text")
	if t.note(partKey(part)) || len(text) == 0 || part.GetBool("synthetic") || part.GetBool("ignored") {
		return
	}
	t.inRun()
	t.conv.UserMessage(text)
}

// text reads the text of an answer so far.
func (t *session) text(part *fastjson.Value, kind schema.MessageKind, done bool) {
	id, content := part.GetStringBytes("id"), part.GetStringBytes("text")
	m := t.conv.Growing(kind, id)
	if m == nil {
		if t.seen.Has(partKey(part)) || len(id)+len(content) == 0 {
			return
		}
		t.inRun()
		t.quoting = append(append(append(t.quoting[:0], kind...), ':'), id...)
		if len(id) > 0 && !t.note(t.quoting) {
			m = t.conv.BeginTextAs(kind, id, string(t.quoting))
		} else {
			m = t.conv.BeginText(kind, id)
		}
	}
	t.finished = 0
	t.said = t.Frame.At
	t.Emitter.SetText(m, content, t.Frame)
	if len(content) > 0 {
		t.firstToken(part)
	}
	if done {
		t.conv.Complete(kind, id)
		t.note(partKey(part))
	}
}

// firstToken records the first output of a call. It is the present frame, or, if texts come when
// they are complete, the time that OpenCode measured.
func (t *session) firstToken(part *fastjson.Value) {
	if !t.lines {
		t.conv.FirstToken()
		return
	}
	call := t.conv.Call()
	start, end := part.GetUint64("time", "start"), part.GetUint64("time", "end")
	if call != nil && call.FirstToken == 0 && start != 0 && end >= start {
		call.FirstToken = max(t.Frame.At-dialect.Milliseconds(end-start), call.Started)
		t.Emitter.ChangedSpan(call, t.Frame)
	}
}

// delta reads a piece of a known part.
func (t *session) delta(p *fastjson.Value, _ []byte) {
	if string(p.GetStringBytes("field")) != "text" {
		return
	}
	id := p.GetStringBytes("partID")
	for _, kind := range []schema.MessageKind{schema.MessageAssistant, schema.MessageThinking} {
		if t.conv.Growing(kind, id) != nil {
			t.conv.Append(kind, id, p.GetStringBytes("delta"))
			t.said = t.Frame.At
			return
		}
	}
}
