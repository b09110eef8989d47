package claudecode

import (
	"bytes"
	"cmp"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/schema"
)

// user reads a line with the results of tools, a message of the user, or a message of Claude Code
// in the user's name. It does not begin a run.
func (s *session) user(l *line) (at *actor, known bool) {
	s.kept = s.kept || l.isKept()
	at = s.userActor(l)
	results := 0
	content := dialect.RawPath(l.data, "message.content")
	said := anthropic.ReadSaid(content, l.v.Get("message", "content"), func(data []byte, v *fastjson.Value) {
		results++
		s.toolResult(l, at, data, v)
	})
	for _, reminder := range said.Reminders {
		at.Say(schema.MessageSystem, reminder)
	}
	if said.Any {
		if at == &s.actor {
			s.userTurn(results == 0 && isUsers(l, &said))
		}
		at.say(l, &said)
	}
	at.asked = l.At
	if s.kept {
		at.keptLine(l, false)
		if bytes.HasPrefix(said.Text, interrupted) {
			s.interrupt(at)
		}
	}
	return at, true
}

// userActor returns the actor of a user line. A line of the main agent does not begin a run.
func (s *session) userActor(l *line) *actor {
	if len(l.text("parent_tool_use_id")) > 0 || s.kept && l.v.GetBool("isSidechain") {
		return s.lineActor(l)
	}
	return &s.actor
}

// userTurn prepares for a message to the main agent. A prompt ends the previous turn if no result
// ended it.
func (s *session) userTurn(prompt bool) {
	if s.kept && prompt {
		s.nextTurn()
	}
	if s.Run() == nil {
		s.RunID = "" // the message belongs to the next run
	}
}

// isUsers reports whether the user wrote the message of a user line.
func isUsers(l *line, said *anthropic.Said) bool {
	return !l.v.GetBool("isSynthetic") && !l.v.GetBool("isMeta") && !l.v.GetBool("isCompactSummary") &&
		!bytes.HasPrefix(said.Text, interrupted)
}

// interrupted begins the user line for a run or a tool that the user stopped.
var interrupted = []byte("[Request interrupted by user")

// refused begins the result of a tool that the user did not permit. Files of conversations do not
// state the refusal elsewhere.
var refused = []byte("The user doesn't want to proceed with this tool use")

func (a *actor) say(l *line, said *anthropic.Said) {
	var m *dialect.Message
	switch {
	case !isUsers(l, said), l.v.GetBool("isSidechain"):
		m = a.Say(schema.MessageSystem, said.Text)
	case a.Node != "":
		m = a.Say(schema.MessageUser, said.Text) // the main agent's prompt for a sub-agent
	default:
		m = a.UserMessage(said.Text)
	}
	m.Attributes = said.Attributes
}

// toolResult ends a call.
func (s *session) toolResult(l *line, at *actor, data []byte, v *fastjson.Value) {
	id := v.GetStringBytes("tool_use_id")
	if of, _ := s.openTool(id); of != nil {
		at = of
	}
	text, media, parts := anthropic.ResultText(dialect.RawMember(data, "content"), v.Get("content"))
	status, why := anthropic.ResultStatus(v, text)
	switch {
	case bytes.HasPrefix(text, interrupted):
		status = schema.StatusCancelled
	case s.kept && bytes.HasPrefix(text, refused):
		status = schema.StatusRejected
	}
	if len(id) == 0 {
		at.unnamedResult(text, media, parts, status, why)
		return
	}
	more := l.v.Get("tool_use_result")
	if more == nil {
		more = l.v.Get("toolUseResult") // the name in the file of a conversation
	}
	background := more.GetBool("isAsync") || string(more.GetStringBytes("status")) == "async_launched"
	sub := s.find(id)
	if sub != nil {
		if sub.background = sub.background || background; !sub.background {
			s.end(sub, status, why)
		}
	}
	tool := at.OpenTool(id)
	if tool != nil {
		if ms := cmp.Or(more.GetFloat64("totalDurationMs"), more.GetFloat64("durationMs")); ms > 0 && ms < 1e12 {
			tool.Span.Duration = int64(ms * 1e6)
		}
		if s.denied(id) {
			status = schema.StatusRejected
		}
		if status == schema.StatusError && len(s.failed) < failedTools {
			s.failed = append(s.failed, tool.Span)
		}
		if sub == nil {
			s.runOf(tool, more, background, status)
		}
	}
	at.ResultWithParts(id, text, media, parts, status, why)
}

// unnamedResult ends the oldest call without an id. Shortened files, and logs without private
// data, leave out the ids.
func (a *actor) unnamedResult(text []byte, media string, parts []byte, status schema.Status, why []byte) {
	for _, tool := range a.OpenTools() {
		if tool.Span.CallID == "" {
			a.Returned(tool, text, media).Attributes = dialect.Attribute("parts", parts)
			a.EndTool(tool, status, why)
			return
		}
	}
}
