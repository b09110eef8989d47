package pi

import (
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// callOf returns the tool call of a piece, or nil if its id is not known. The id is in the message
// so far.
func (d *decoder) callOf(p *piece) *model.Tool {
	place := strconv.Itoa(p.part)
	for _, at := range []*fastjson.Value{p.event.Get("toolCall"), p.v.Get("message", "content", place), p.event.Get("partial", "content", place)} {
		if id := at.GetStringBytes("id"); len(id) > 0 && !d.tr.Ended(id) {
			return d.tr.Tool(id, at.GetStringBytes("name"))
		}
	}
	return nil
}

func (d *decoder) callDelta(p *piece) {
	if tool := d.callOf(p); tool != nil {
		d.tr.AppendArguments(tool, p.event.GetStringBytes("delta"))
	}
}

func (d *decoder) callEnd(p *piece) {
	if v := p.event.Get("toolCall"); v != nil {
		d.asksFor(v, dialect.RawMember(p.raw, "toolCall"))
	}
}

// asksFor reads a whole tool call.
func (d *decoder) asksFor(v *fastjson.Value, raw []byte) {
	id := v.GetStringBytes("id")
	if d.tr.Ended(id) {
		return
	}
	tool := d.tr.Tool(id, v.GetStringBytes("name"))
	d.tr.ConfirmArguments(tool, dialect.RawMember(raw, "arguments"), "json")
}

// toolStart reads the start of a tool's execution.
func (d *decoder) toolStart(l *line) {
	if id := l.text("toolCallId"); !d.tr.Ended(id) {
		d.inRun()
		tool := d.tr.Tool(id, l.text("toolName"))
		d.tr.ConfirmArguments(tool, dialect.RawMember(l.raw, "args"), "json")
		d.tr.Start(tool)
	}
}

// toolUpdate reads the output of a tool so far.
func (d *decoder) toolUpdate(l *line) {
	tool := d.tr.OpenTool(l.text("toolCallId"))
	if text := dialect.RawWords(dialect.RawPath(l.raw, "partialResult.content")); tool != nil && len(text) > 0 {
		d.tr.SetOutput(tool, text)
	}
}

// toolEnd reads the result of a tool. A message repeats it.
func (d *decoder) toolEnd(l *line) {
	result := dialect.RawMember(l.raw, "result")
	content := dialect.RawMember(result, "content")
	if content == nil {
		content = result
	}
	d.endTool(l, content)
}

// toolResult reads the message with the result of a tool.
func (d *decoder) toolResult(l *line) {
	d.endTool(l, dialect.RawMember(l.raw, "content"))
	d.countOnce("tool:", l.text("toolCallId"), dialect.RawMember(l.raw, "usage"))
}

// endTool ends a tool call, if it is in progress or was never seen.
func (d *decoder) endTool(l *line, content []byte) {
	id := l.text("toolCallId")
	if d.tr.Ended(id) {
		return
	}
	d.inRun()
	d.tr.EndCall(schema.StatusOK)
	tool := d.tr.OpenTool(id)
	if tool == nil {
		tool = d.tr.Tool(id, l.text("toolName"))
		tool.Span.Started = 0 // only its end was seen
	}
	text, media := dialect.RawWords(content), "text"
	if text == nil && !dialect.RawNull(content) && string(content) != "[]" {
		text, media = content, "json"
	}
	m := d.tr.Returned(tool, text, media)
	if media == "text" {
		m.Attributes = dialect.Attribute("parts", dialect.OtherParts(content))
	}
	status, why := schema.StatusOK, []byte(nil)
	if l.v.GetBool("isError") {
		status, why = schema.StatusError, text
	}
	d.tr.EndTool(tool, status, why)
	d.asks()
}
