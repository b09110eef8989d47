package codexrollout

import (
	"bytes"
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// outcome is how a call ended. An event states it before the call's output is written.
type outcome struct {
	status schema.Status
	why    []byte
}

// call begins a tool call, or returns the call with the same id, as it may be written again.
func (d *decoder) call(id, name []byte) *model.Tool {
	d.inCall()
	d.turn.answered = false
	return d.tr.Tool(id, name)
}

func (d *decoder) functionCall(l *line) {
	if tool := d.tr.OpenTool(l.text("call_id")); tool != nil {
		tool.Ready = false // its output will be an item
	}
	name := l.text("name")
	if space := l.text("namespace"); len(space) > 0 {
		name = bytes.Join([][]byte{space, name}, []byte("."))
	}
	d.tr.SetArguments(d.call(l.text("call_id"), name), l.text("arguments"))
}

// customCall reads a call whose input is text, such as a patch.
func (d *decoder) customCall(l *line) {
	tool := d.call(l.text("call_id"), l.text("name"))
	tool.Media = "text"
	d.tr.SetArguments(tool, l.text("input"))
}

func (d *decoder) shellCall(l *line) {
	tool := d.call(dialect.FirstText(l.v, "call_id", "id"), []byte("local_shell"))
	d.tr.SetArguments(tool, dialect.RawMember(l.raw, "action"))
}

func (d *decoder) searchCall(l *line) {
	tool := d.call(l.text("call_id"), []byte("tool_search"))
	d.tr.SetArguments(tool, dialect.RawMember(l.raw, "arguments"))
}

// toolCall reads a call in the form of other programs, mostly without an id.
func (d *decoder) toolCall(l *line) {
	name := l.text("function", "name")
	if name == nil {
		name = l.text("name")
	}
	args := dialect.RawMember(l.raw, "arguments")
	if text, _ := dialect.Unquote(args, nil); text != nil {
		args = text
	}
	d.tr.SetArguments(d.call(dialect.FirstText(l.v, "call_id", "id"), name), args)
}

// webSearch reads a call that the model's server executed.
func (d *decoder) webSearch(l *line) { d.hosted(l, "web_search", dialect.RawMember(l.raw, "action")) }

func (d *decoder) imageGeneration(l *line) {
	d.hosted(l, "image_generation", dialect.RawMember(l.raw, "revised_prompt"))
}

// hosted records a call that is written when it has ended: its start is not known.
func (d *decoder) hosted(l *line, name string, args []byte) {
	id := dialect.FirstText(l.v, "id", "call_id")
	if d.tr.Ended(id) {
		return
	}
	tool := d.call(id, []byte(name))
	tool.Span.Started = 0
	if !dialect.RawNull(args) {
		d.tr.SetArguments(tool, args)
	}
	status := schema.StatusOK
	if string(l.text("status")) == "failed" {
		status = schema.StatusError
	}
	d.tr.EndTool(tool, status, nil)
}

// executed reads an event that states how a call ended. The output follows as an item.
func (d *decoder) executed(l *line) {
	if tool := d.tr.OpenTool(dialect.FirstText(l.v, "call_id", "callId")); tool != nil {
		d.settle(tool, l)
	}
}

func statusOf(l *line) (schema.Status, []byte) {
	state, success := l.text("status"), l.v.Get("success")
	switch {
	case string(state) == "declined":
		return schema.StatusRejected, state
	case string(state) == "failed", success != nil && success.Type() == fastjson.TypeFalse:
		return schema.StatusError, errorOf(l)
	}
	if why := l.text("result", "Err"); why != nil {
		return schema.StatusError, why
	}
	for _, result := range []string{"result.Ok", "result"} {
		raw := dialect.RawPath(l.raw, result)
		if dialect.RawTrue(dialect.RawMember(raw, "isError")) || dialect.RawTrue(dialect.RawMember(raw, "is_error")) {
			return schema.StatusError, dialect.RawWords(dialect.RawMember(raw, "content"))
		}
	}
	return schema.StatusOK, nil
}

// errorOf returns the error that an event or an item states, or nil.
func errorOf(l *line) []byte {
	if why := dialect.FirstText(l.v, "stderr", "error"); why != nil {
		return why
	}
	return l.text("error", "message")
}

// durationOf reads a duration, ns: {"secs":1,"nanos":5}.
func durationOf(v *fastjson.Value) int64 {
	secs, nanos := v.GetUint64("secs"), v.GetUint64("nanos")
	if secs > 1<<31 || nanos >= 1e9 {
		return 0
	}
	return int64(secs)*1e9 + int64(nanos)
}

// exitCode notes the exit code of a command. A code other than 0 is a failure.
func (d *decoder) exitCode(tool *model.Tool, code *fastjson.Value) {
	if !dialect.IsNumber(code) || tool.Span.Attributes != "" {
		return
	}
	text := code.MarshalTo(nil)
	tool.Attrs.AddRaw("exit_code", text)
	d.tr.Noted(tool)
	end, known := tool.Data.(outcome)
	unexplained := end.status == schema.StatusError && len(end.why) == 0
	if string(text) != "0" && (!known || end.status == schema.StatusOK || unexplained) {
		tool.Data = outcome{schema.StatusError, append([]byte("exit code "), text...)}
	}
}

// output reads the output of a call. The output of a call in an aborted turn may come after the
// turn's end: it begins no turn.
func (d *decoder) output(l *line) {
	id := l.text("call_id")
	if d.tr.Ended(id) {
		return
	}
	tool := d.tr.OpenTool(id)
	if tool == nil {
		if d.tr.Run() == nil {
			tool = d.tr.LoneTool(id, nil)
		} else {
			tool = d.tr.Tool(id, nil)
		}
		tool.Span.Started = 0 // only its end was seen
	}
	d.returned(tool, dialect.RawMember(l.raw, "output"))
}

func (d *decoder) searchOutput(l *line) {
	tool := d.tr.OpenTool(l.text("call_id"))
	if tool == nil {
		tool = d.named([]byte("tool_search"))
	}
	if tool != nil {
		d.returned(tool, dialect.RawMember(l.raw, "tools"))
	}
}

// toolResult reads the result of a toolCall.
func (d *decoder) toolResult(l *line) {
	id := dialect.FirstText(l.v, "call_id", "id")
	tool := d.tr.OpenTool(id)
	if tool == nil && id == nil {
		tool = d.named(l.text("name"))
	}
	if tool == nil {
		d.output(l)
		return
	}
	d.exitCode(tool, l.v.Get("result", "exitCode"))
	result := dialect.RawMember(l.raw, "result")
	if result == nil {
		result = dialect.RawMember(l.raw, "output")
	}
	d.returned(tool, result)
}

// named returns the oldest call in progress of a tool, or nil.
func (d *decoder) named(name []byte) *model.Tool {
	for _, tool := range d.tr.OpenTools() {
		if tool.Span.Name == string(name) {
			return tool
		}
	}
	return nil
}

// dynamicCall reads the event of a call of a tool that the client of Codex offers. The call may
// also be an item.
func (d *decoder) dynamicCall(l *line) {
	id := dialect.FirstText(l.v, "callId", "call_id")
	if d.tr.OpenTool(id) == nil && !d.tr.Ended(id) {
		tool := d.call(id, dynamicName(l))
		tool.Ready = true // no item describes the call
		d.tr.SetArguments(tool, dialect.RawMember(l.raw, "arguments"))
	}
}

func dynamicName(l *line) []byte {
	if space := l.text("namespace"); len(space) > 0 {
		return bytes.Join([][]byte{space, l.text("tool")}, []byte("."))
	}
	return l.text("tool")
}

// dynamicEnd reads the result of such a call. The output of a call that is an item follows as an
// item.
func (d *decoder) dynamicEnd(l *line) {
	id := dialect.FirstText(l.v, "call_id", "callId")
	if d.tr.Ended(id) {
		return
	}
	tool := d.tr.OpenTool(id)
	if tool == nil { // only its end was seen
		d.dynamicCall(l)
		tool = d.tr.OpenTool(id)
		tool.Span.Started = 0
	}
	d.executed(l)
	if tool.Ready {
		content := dialect.RawMember(l.raw, "content_items")
		if content == nil {
			content = dialect.RawMember(l.raw, "contentItems")
		}
		d.returned(tool, content)
	}
}

// returned records the output of a call and ends the call.
func (d *decoder) returned(tool *model.Tool, raw []byte) {
	d.endCall(schema.StatusOK)
	text, media := d.result(tool, raw)
	if text != nil {
		m := d.tr.Returned(tool, text, media)
		if media == "text" {
			m.Attributes = dialect.Attribute("parts", dialect.OtherParts(raw))
		}
	}
	end, known := tool.Data.(outcome)
	switch {
	case known && end.status != schema.StatusOK:
	case bytes.HasPrefix(text, []byte("aborted")):
		end = outcome{schema.StatusCancelled, text}
	case bytes.HasSuffix(text, []byte("rejected by user")):
		end = outcome{schema.StatusRejected, text}
	case bytes.HasPrefix(text, []byte("Script terminated\nWall time ")):
		end.status = schema.StatusCancelled
	case bytes.HasPrefix(text, []byte("Script failed\nWall time ")):
		end = outcome{schema.StatusError, scriptOutput(text)}
	default:
		end.status = schema.StatusOK
	}
	d.tr.EndTool(tool, end.status, end.why)
	d.turn.asked, d.turn.answered = d.Frame.At, false
}

// scriptOutput returns what a script wrote, without the lines that Codex writes before it.
func scriptOutput(text []byte) []byte {
	head, output, _ := bytes.Cut(text, []byte("\nOutput:\n"))
	if output = bytes.TrimSpace(output); len(output) > 0 {
		return output
	}
	return head
}

// result reads the forms of an output: a text, a text that is JSON with the output of a command,
// a list of parts, and {"content":"…","success":false}.
func (d *decoder) result(tool *model.Tool, raw []byte) (text []byte, media string) {
	if dialect.RawNull(raw) {
		return nil, ""
	}
	text, media = dialect.RawContent(raw)
	if media == "text" {
		if inside, err := fastjson.ParseBytes(text); err == nil && inside.Exists("output") && inside.Exists("metadata") {
			d.exitCode(tool, inside.Get("metadata", "exit_code"))
			return bytes.Clone(inside.GetStringBytes("output")), media
		}
		d.exitCode(tool, exitCodeOf(text))
		return text, media
	}
	if raw[0] == '[' {
		if words := dialect.RawWords(raw); words != nil {
			return words, "text"
		}
		return raw, "json"
	}
	if content := dialect.RawText(raw, "content"); content != nil {
		if string(dialect.RawMember(raw, "success")) == "false" {
			tool.Data = outcome{schema.StatusError, content}
		}
		return content, "text"
	}
	return raw, "json"
}

// headLines bounds the lines that Codex writes before a command's output.
const headLines = 8

// exitCodeOf returns the exit code before a command's output, or nil.
func exitCodeOf(text []byte) *fastjson.Value {
	for range headLines {
		var row []byte
		row, text, _ = bytes.Cut(text, []byte("\n"))
		if string(row) == "Output:" {
			return nil
		}
		for _, prefix := range []string{"Exit code: ", "Process exited with code "} {
			if code, ok := bytes.CutPrefix(row, []byte(prefix)); ok {
				if _, err := strconv.Atoi(string(code)); err == nil {
					return fastjson.MustParseBytes(code)
				}
			}
		}
	}
	return nil
}
