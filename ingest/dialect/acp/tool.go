package acp

import (
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// call is the decoder's state of a tool call.
type call struct {
	notes      notes
	rejections []string // ids of the options by which the person can refuse it
	waits      bool     // for the person's permission
	refused    bool
}

func callOf(tool *model.Tool) *call { return tool.Data.(*call) }

// describe sets the notes of a call on its span.
func (s *session) describe(tool *model.Tool) {
	tool.Attrs = callOf(tool).notes.attributes()
	s.Noted(tool)
}

// toolCall reads a tool call, or what has changed in one.
func (s *session) toolCall(u *update) {
	id := u.GetStringBytes("toolCallId")
	if len(id) == 0 {
		s.d.Unknown()
		return
	}
	if s.Ended(id) {
		return
	}
	tool := s.tool(u.Value, u.raw)
	switch status := string(u.GetStringBytes("status")); status {
	case "in_progress":
		s.endCall(schema.StatusOK)
		if !tool.Running {
			s.Start(tool)
		}
		s.output(tool, u)
	case "completed", "failed":
		s.toolEnds(tool, u, status == "failed")
	case "cancelled": // of version 2
		callOf(tool).refused = callOf(tool).refused || callOf(tool).waits
		s.toolCancelled(tool)
	default:
		s.output(tool, u)
	}
}

// tool returns the call that an update, or a request for permission, describes. It begins a call
// that is new.
func (s *session) tool(v *fastjson.Value, raw []byte) *model.Tool {
	id := v.GetStringBytes("toolCallId")
	tool := s.OpenTool(id)
	if tool == nil {
		if s.Call() != nil || s.asked != 0 {
			s.inCall() // the model asks for the tool
		}
		s.CompleteAll()
		tool = s.Tool(id, nil)
		tool.Data = &call{}
	}
	if name := toolName(v, raw); name != "" {
		s.Identify(tool, nil, []byte(name))
	}
	if title := v.GetStringBytes("title"); len(title) > 0 {
		callOf(tool).notes.setText("title", string(title))
		s.describe(tool)
	}
	if input := dialect.RawMember(raw, "rawInput"); !dialect.RawNull(input) {
		s.RepeatArguments(tool, input)
	}
	for _, part := range v.GetArray("content") {
		if string(part.GetStringBytes("type")) == "terminal" {
			s.embed(part.GetStringBytes("terminalId"), id)
		}
	}
	return tool
}

// toolName returns the name of the tool that a call is of, or "" if the frame has none: its name in
// drafts of the protocol, what the agent states in _meta, the kind, or the title.
func toolName(v *fastjson.Value, raw []byte) string {
	if name := v.GetStringBytes("name"); len(name) > 0 {
		return string(name)
	}
	members, ok := dialect.MembersOf(dialect.RawMember(raw, "_meta"))
	for ok {
		var value []byte
		if _, value, ok = members.Next(); ok {
			if text := dialect.RawText(value, "toolName"); len(text) > 0 {
				return string(text)
			}
		}
	}
	switch kind := string(v.GetStringBytes("kind")); kind {
	case "", "other":
		if kind == "" && string(v.GetStringBytes("sessionUpdate")) != "tool_call" {
			return ""
		}
		return string(v.GetStringBytes("title"))
	default:
		return kind
	}
}

// output reads what a running tool has produced so far: each update has all of it.
func (s *session) output(tool *model.Tool, u *update) {
	if text, _ := contentOf(u); len(text) > 0 {
		s.SetOutput(tool, text)
	}
}

// toolOutput reads a piece of a tool's content, of version 2.
func (s *session) toolOutput(u *update) {
	if tool := s.OpenTool(u.GetStringBytes("toolCallId")); tool != nil {
		if text := u.GetStringBytes("content", "content", "text"); len(text) > 0 {
			s.Print(tool, text)
		}
	}
}

// toolEnds reads the end of a call. The result is the content's texts, else the raw output, else the
// content as JSON.
func (s *session) toolEnds(tool *model.Tool, u *update, failed bool) {
	text, media := contentOf(u)
	if output := dialect.RawMember(u.raw, "rawOutput"); len(text) == 0 && !dialect.RawNull(output) {
		text, media = dialect.RawContent(output)
	}
	if content := dialect.RawMember(u.raw, "content"); len(text) == 0 && len(content) > len("[]") {
		text, media = content, "json"
	}
	if len(text) > 0 {
		m := s.Returned(tool, text, media)
		m.Attributes = dialect.Attribute("parts", otherParts(u))
	}
	status, why := schema.StatusOK, []byte(nil)
	if failed {
		status, why = schema.StatusError, text
	}
	if failed && callOf(tool).refused {
		// It did not run: what it waited is not its time.
		status, tool.Span.Started = schema.StatusCancelled, s.d.Frame.At
	}
	s.EndTool(tool, status, why)
	s.endCall(schema.StatusOK)
	s.asked = s.d.Frame.At
}

// toolCancelled ends a call that was cancelled.
func (s *session) toolCancelled(tool *model.Tool) {
	if callOf(tool).refused {
		tool.Span.Started = s.d.Frame.At
	}
	s.EndTool(tool, schema.StatusCancelled, nil)
	s.endCall(schema.StatusOK)
	s.asked = s.d.Frame.At
}

// contentOf returns the texts of an update's content, one a line.
func contentOf(u *update) (text []byte, media string) {
	var words []string
	for _, part := range u.GetArray("content") {
		if t := part.GetStringBytes("content", "text"); len(t) > 0 {
			words = append(words, string(t))
		}
	}
	return []byte(strings.Join(words, "\n")), "text"
}

// otherParts returns the types of an update's content that are not text, as a JSON array.
func otherParts(u *update) []byte {
	var kinds dialect.List
	for _, part := range u.GetArray("content") {
		kind := part.GetStringBytes("type")
		if string(kind) == "content" {
			kind = part.GetStringBytes("content", "type")
		}
		if string(kind) != "text" && len(kind) > 0 && len(kinds) < 256 {
			kinds.AddText(kind)
		}
	}
	return kinds.JSON()
}

// permission reads the agent's request for permission: the call waits for the person, and has not
// started. In version 2 the call, or its id, is in the request's subject.
func (d *decoder) permission(m *message) {
	s, r := d.present, d.asks(m)
	v, raw := m.Get("params", "toolCall"), m.params("toolCall")
	if subject := m.Get("params", "subject"); v == nil && subject != nil {
		v, raw = subject.Get("toolCall"), dialect.RawMember(m.params("subject"), "toolCall")
		if v == nil {
			v = subject // a command, with the id of its call if the agent knows it
		}
	}
	if s == nil || r == nil || v == nil {
		d.Unknown()
		return
	}
	id := v.GetStringBytes("toolCallId")
	if len(id) == 0 || s.Ended(id) {
		return
	}
	r.about = string(id)
	tool := s.tool(v, raw)
	s.endCall(schema.StatusOK)
	c := callOf(tool)
	c.waits = true
	c.notes.setTime("approval_at", s.d.Frame.At)
	for _, option := range m.GetArray("params", "options") {
		if kind := string(option.GetStringBytes("kind")); strings.HasPrefix(kind, "reject") && len(c.rejections) < rejectionLimit {
			c.rejections = append(c.rejections, string(option.GetStringBytes("optionId")))
		}
	}
	s.describe(tool)
	tool.Running = false
	s.Wait(tool)
}

// rejectionLimit bounds the options of a request that are kept.
const rejectionLimit = 16

// decided reads the person's decision. A call that is allowed starts. Without an option the turn was
// cancelled.
func (s *session) decided(r *request, m *message) {
	tool := s.OpenTool([]byte(r.about))
	if tool == nil {
		return
	}
	c := callOf(tool)
	c.waits = false
	option := string(m.GetStringBytes("result", "outcome", "optionId"))
	switch {
	case option == "":
		c.refused = true
		c.notes.setText("decision", "cancelled")
	case slices.Contains(c.rejections, option):
		c.refused = true
		c.notes.setText("decision", "rejected")
	default:
		s.Start(tool)
		return
	}
	s.describe(tool)
}
