package custom

import (
	"bytes"
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// apply applies the rule to a frame, or to one element of it.
func (r *rule) apply(c *conversation, s *source) {
	if r.start != nil && !c.sub {
		r.start.apply(c, s)
	}
	if r.call == callStart {
		c.CompleteAll()
		c.OpenCall()
		c.stated = nil
	}
	r.prompts(c, s)
	if r.thinking != nil {
		r.thinking.apply(c, s, schema.MessageThinking)
	}
	if r.text != nil {
		r.text.apply(c, s, schema.MessageAssistant)
	}
	if r.toolCall != nil {
		r.toolCall.apply(c, s)
	}
	if r.wait != nil {
		r.wait.apply(c, s)
	}
	if r.result != nil {
		r.result.apply(c, s)
	}
	if r.usage != nil {
		r.usage.apply(c, s)
	}
	if r.limit != nil {
		r.limit.apply(c, s)
	}
	why := r.err.text(s)
	if len(why) > 0 {
		c.failed(why)
	}
	if r.call == callEnd {
		c.CompleteAll()
		c.EndCall(schema.StatusOK)
	}
	if r.end != "" && (!c.sub || r.subagent != nil) {
		c.finish(r.end, why)
	}
}

// apply begins a run.
func (r *start) apply(c *conversation, s *source) {
	if c.ended && !c.named {
		c.ForgetRun() // the id is the id of the previous run
	}
	c.OpenRun(string(r.name.text(s)))
	c.ended = false
}

// prompts records messages of the user and the system. A message of the system begins no run.
func (r *rule) prompts(c *conversation, s *source) {
	if content := r.system.text(s); len(content) > 0 {
		c.AwaitID(c.Say(schema.MessageSystem, content))
	}
	if content := r.user.text(s); len(content) > 0 && !c.sub {
		c.InRun()
		c.AwaitID(c.UserMessage(content))
	}
}

// text returns what the user says, without the parts that are not of the user.
func (u *userText) text(s *source) []byte {
	content := u.path.text(s)
	if u.without != nil && u.without.Match(content) {
		content = bytes.TrimSpace(u.without.ReplaceAll(content, nil))
	}
	return content
}

// apply records a piece of the model's output.
func (t *text) apply(c *conversation, s *source, kind schema.MessageKind) {
	content := t.path.text(s)
	if len(content) == 0 {
		return
	}
	c.InRun()
	key := t.key.text(s)
	other := schema.MessageThinking
	if kind == other {
		other = schema.MessageAssistant
	}
	c.Complete(other, key)
	switch t.mode {
	case delta:
		c.Append(kind, key, content)
	case snapshot:
		m := c.Growing(kind, key)
		if m == nil {
			m = c.BeginText(kind, key)
		}
		c.Emitter.SetText(m, content, c.Frame)
		c.FirstToken()
	case whole:
		c.whole(kind, key, content)
	}
}

// whole records a whole message. If its text continues the deltas before it, it is the same
// message.
func (c *conversation) whole(kind schema.MessageKind, key, content []byte) {
	m := c.Growing(kind, key)
	repeats := m != nil && bytes.HasPrefix(content, m.TextSoFar())
	if repeats {
		c.Emitter.SetText(m, content, c.Frame)
	}
	c.Complete(kind, key)
	if !repeats {
		c.Say(kind, content)
	}
}

// apply records a tool call. Without an id, a call with a name is a new call, and a part of
// arguments belongs to the latest call.
func (t *toolCall) apply(c *conversation, s *source) {
	id, name := t.id.text(s), t.name.text(s)
	if len(id) > 0 && c.Ended(id) {
		return // a repeat
	}
	c.InRun()
	c.CompleteAll()
	var tool *model.Tool
	if open := c.OpenTools(); len(id) == 0 && len(name) == 0 && len(open) > 0 {
		tool = open[len(open)-1]
	} else {
		tool = c.Tool(id, name)
	}
	if piece := t.delta.text(s); len(piece) > 0 {
		c.AppendArguments(tool, piece)
	}
	if whole := t.arguments.text(s); whole != nil {
		c.RepeatArguments(tool, whole)
		c.Start(tool)
	}
}

// apply records the end of a call. Without an id it ends the oldest open call, of its name if it
// has one.
func (t *toolResult) apply(c *conversation, s *source) {
	id, name := t.id.text(s), t.name.text(s)
	if len(id) > 0 && c.Ended(id) {
		return // a repeat
	}
	c.InRun()
	c.CompleteAll()
	tool := c.OpenTool(id)
	if len(id) == 0 {
		open := c.OpenTools()
		if i := slices.IndexFunc(open, func(x *model.Tool) bool { return len(name) == 0 || x.Span.Name == string(name) }); i >= 0 {
			tool = open[i]
		}
	}
	if tool == nil {
		tool = c.Tool(id, name)
		tool.Span.Started = 0 // only its end was seen
	}
	var content []byte
	if raw := t.output.raw(s); raw != nil {
		_, media := dialect.RawContent(raw)
		if content = t.output.text(s); media == "text" && content == nil {
			content = []byte{}
		}
		c.Returned(tool, content, media)
	}
	status, why := schema.StatusOK, []byte(nil)
	if raw := t.err.raw(s); isError(raw) {
		status, why = schema.StatusError, t.err.text(s)
		if dialect.RawTrue(raw) {
			why = content
		}
	}
	if isRefused(tool) {
		status = schema.StatusRejected
	}
	c.EndTool(tool, status, why)
}

// isError reports whether a value of tool_result.error means that the call failed.
func isError(raw []byte) bool {
	switch string(raw) {
	case "", "null", "false", `""`, "0", "{}", "[]":
		return false
	}
	return true
}

// failed records an error. It does not end the run.
func (c *conversation) failed(why []byte) {
	span := c.span()
	c.Say(schema.MessageError, why)
	if span != nil {
		span.Error = dialect.Short(why)
		c.Emitter.ChangedSpan(span, c.Frame)
	}
}

// finish ends the run, or the node of a sub-agent. A second end of the same run changes nothing.
func (c *conversation) finish(status schema.Status, why []byte) {
	if c.ended && (c.Run() == nil || c.sub) {
		return
	}
	c.EndRun(status, why)
	c.ended = true
}
