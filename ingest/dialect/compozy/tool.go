package compozy

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// toolCall reads the engine's form, one event after the call with its measurements, or the
// specification's, {"toolName","args"}, after which nothing more comes of the call.
func (d *decoder) toolCall(e *event) {
	name, id := e.text("tool_name", "toolName"), e.text("tool_call_id", "toolCallId")
	if name == nil && id == nil {
		d.Unknown()
		return
	}
	if d.Ended(id) {
		return // a repeat
	}
	d.resume()
	call := d.Call()
	first := int64(0)
	if call != nil {
		first = call.FirstToken
	}
	tool := d.Tool(id, name)
	d.arguments(e, tool)
	if call != nil {
		call.FirstToken = first // a finished call is not output of the model now
	}
	if dialect.RawTrue(e.raw("redacted")) {
		tool.Attrs.AddRaw("redacted", []byte("true"))
	}
	if more := e.raw("metadata"); len(more) <= noteLimit {
		tool.Attrs.AddRaw("metadata", more)
	}
	if tool.Attrs != nil {
		d.Noted(tool)
	}
	d.outcome(e, tool)
}

// arguments records the call's arguments.
func (d *decoder) arguments(e *event, tool *model.Tool) {
	text, media := e.content("input", "args", "arguments")
	if text == nil {
		return
	}
	if media == "text" && !wellformed.JSON(text) {
		tool.Media = "text" // redacted, or invalid JSON of the model
	}
	d.SetArguments(tool, text)
}

// outcome ends the call if the event states how it ended.
func (d *decoder) outcome(e *event, tool *model.Tool) {
	status, known := toolStatus(e.text("status"))
	why := e.errorText()
	if len(why) > 0 && status != schema.StatusCancelled && status != schema.StatusRejected {
		status = schema.StatusError
	}
	output, media := e.content("output", "result")
	if status == "" && !known && output == nil {
		return // the form of the specification
	}
	if status == schema.StatusOpen {
		return
	}
	if status == "" {
		status = schema.StatusOK
	}
	if ns, ok := milliseconds(e.value.Get("duration_ms"), e.value.Get("durationMs")); ok && ns < d.Frame.At {
		tool.Span.Duration = ns
		tool.Span.Started = d.Frame.At - ns
	}
	if output != nil {
		if media == "text" && jsonObject(output) {
			media = "json"
		}
		d.Returned(tool, output, media)
	}
	d.EndTool(tool, status, why)
}

// toolStatus returns the status for the engine's name of a call's outcome. known is false without
// a name.
func toolStatus(word []byte) (status schema.Status, known bool) {
	switch string(bytes.ToLower(word)) {
	case "":
		return "", false
	case "error", "failed", "failure", "timeout", "timed_out":
		return schema.StatusError, true
	case "canceled", "cancelled":
		return schema.StatusCancelled, true
	case "rejected", "denied":
		return schema.StatusRejected, true
	case "pending", "running", "started", "in_progress":
		return schema.StatusOpen, true
	}
	return schema.StatusOK, true
}

// jsonObject reports whether a text is a JSON object or array.
func jsonObject(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 0 && (text[0] == '{' || text[0] == '[') && wellformed.JSON(text)
}
