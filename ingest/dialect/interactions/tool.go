package interactions

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Types of calls that the client executes, and of their results. Google executes all others.
const (
	functionCall   = "function_call"
	functionResult = "function_result"
)

// toolCall reads a call: the start of its step, or the whole call.
func (d *decoder) toolCall(s *step, v *fastjson.Value, raw []byte) {
	id, name := v.GetStringBytes("id"), []byte(toolOf(v))
	typ := v.GetStringBytes("type")
	switch s.client = string(typ) == functionCall; {
	case s.tool != nil:
		d.Identify(s.tool, id, name)
	case len(id) == 0 && len(name) == 0:
		return // a delta has the arguments
	default:
		s.tool = d.Tool(id, name)
	}
	if server := v.GetStringBytes("server_name"); len(server) > 0 && len(s.tool.Attrs) == 0 {
		s.tool.Attrs.AddText("server", string(server))
		d.Noted(s.tool)
	}
	if args := v.GetObject("arguments"); args != nil {
		if s.bare = args.Len() == 0; !s.bare {
			d.SetArguments(s.tool, dialect.RawMember(raw, "arguments"))
		}
	}
	d.FirstToken()
}

// toolOf returns the name of the tool of a call or a result: the one that it states, else its
// type without the last word.
func toolOf(v *fastjson.Value) string {
	if name := v.GetStringBytes("name"); len(name) > 0 {
		return string(name)
	}
	typ := string(v.GetStringBytes("type"))
	if typ == functionCall || typ == functionResult {
		return ""
	}
	return strings.TrimSuffix(strings.TrimSuffix(typ, "_call"), "_result")
}

// argumentsDelta reads a piece of a call's arguments, JSON as text.
func (d *decoder) argumentsDelta(s *step, v *fastjson.Value, _ []byte) {
	if s.tool == nil {
		d.Unknown()
		return
	}
	if chunk := v.GetStringBytes("arguments"); len(chunk) > 0 {
		d.AppendArguments(s.tool, chunk)
	}
}

// finishCall completes a call. The client executes calls of functions.
func (d *decoder) finishCall(s *step) {
	if s.tool == nil {
		return
	}
	if s.bare && s.tool.Arguments() == nil {
		d.SetArguments(s.tool, []byte("{}"))
	}
	d.FinishArguments(s.tool)
	if s.client {
		d.Wait(s.tool)
	}
}

// toolResult reads a result. Its call and its content may be in this event or in a later one.
func (d *decoder) toolResult(s *step, v *fastjson.Value, raw []byte) {
	if id := v.GetStringBytes("call_id"); len(id) > 0 {
		s.result = string(id)
	}
	if s.name == "" {
		s.name = toolOf(v)
	}
	result := dialect.RawMember(raw, "result")
	if dialect.RawNull(result) || s.returned {
		return
	}
	if s.result == "" {
		s.result = d.unanswered(s.name)
	}
	s.returned = true
	text, media := dialect.RawContent(result)
	status, why := statusOf(v, text)
	d.ResultOf([]byte(s.result), []byte(s.name), text, media, status, why)
}

// statusOf returns how a call ended, from its result.
func statusOf(v *fastjson.Value, result []byte) (status schema.Status, why []byte) {
	if v.GetBool("is_error") {
		return schema.StatusError, result
	}
	return schema.StatusOK, nil
}

// unanswered returns the id of the latest call of a tool in progress. Some results of file
// searches do not name their call.
func (d *decoder) unanswered(name string) string {
	var tool *model.Tool
	for _, open := range d.OpenTools() {
		if open.Span.Name == name {
			tool = open
		}
	}
	if tool == nil {
		return ""
	}
	return tool.Span.CallID
}
