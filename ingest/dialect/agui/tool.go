package agui

import (
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// call returns the call in progress with an id, and begins one if there is none.
func (d *decoder) call(id, name []byte) *model.Tool {
	d.inRun()
	begins := d.OpenTool(id) == nil
	tool := d.Tool(id, name)
	if begins {
		tool.Span.Parent = d.here().ID
	}
	return tool
}

func (d *decoder) toolStart(in *dialect.Input) {
	d.call(in.JSON.GetStringBytes("toolCallId"), in.JSON.GetStringBytes("toolCallName"))
	d.spoken()
}

// callOf returns the call that an event continues, or nil for one that has ended.
func (d *decoder) callOf(in *dialect.Input) *model.Tool {
	id := in.JSON.GetStringBytes("toolCallId")
	if len(id) == 0 || d.Ended(id) {
		return nil
	}
	return d.call(id, nil)
}

func (d *decoder) toolArgs(in *dialect.Input) {
	if tool := d.callOf(in); tool != nil {
		d.arguments(tool, in.JSON.GetStringBytes("delta"))
	}
}

func (d *decoder) arguments(tool *model.Tool, delta []byte) {
	if len(delta) > 0 {
		d.AppendArguments(tool, delta)
	}
	d.spoken()
}

// toolEnd reads TOOL_CALL_END: the arguments are complete, and the execution of the tool begins.
func (d *decoder) toolEnd(in *dialect.Input) {
	tool := d.callOf(in)
	if tool == nil {
		return
	}
	d.FinishArguments(tool)
	if !tool.Ready {
		tool.Ready = true
		d.Start(tool)
	}
}

// toolChunk reads a chunk, which replaces a call's start, arguments and end events. The next
// event shows whether the call is complete.
func (d *decoder) toolChunk(in *dialect.Input) {
	c := &d.run.chunks
	d.nextChunk(toolChunk, in.JSON.GetStringBytes("toolCallId"))
	if len(c.id) == 0 || d.Ended(c.id) {
		return
	}
	c.typ = toolChunk
	tool := d.call(c.id, in.JSON.GetStringBytes("toolCallName"))
	d.arguments(tool, in.JSON.GetStringBytes("delta"))
	tool.Ready = true
	d.Start(tool)
}

// toolResult reads a result. The protocol does not state whether it is an error. The call may be
// in another run or stream.
func (d *decoder) toolResult(in *dialect.Input) {
	id, of := in.JSON.GetStringBytes("toolCallId"), d.level
	if len(id) == 0 {
		return
	}
	for i := len(d.outer) - 1; of.OpenTool(id) == nil && i >= 0; i-- {
		if d.outer[i].OpenTool(id) != nil {
			of = d.outer[i]
		}
	}
	of.answered(id, dialect.RawMember(in.Data, "content"), nil)
}

// result ends a call with the message of a tool.
func (l *level) result(id, m []byte) {
	l.answered(id, dialect.RawMember(m, "content"), dialect.RawText(m, "error"))
}

// answered ends a call with its result: a text, or the texts of its parts, one a line. Parts without a
// text are kept as JSON. why is the error that the message states.
func (l *level) answered(id, raw, why []byte) {
	status := schema.StatusOK
	if len(why) > 0 {
		status = schema.StatusError
	}
	var result, parts []byte
	media := ""
	if !dialect.RawNull(raw) {
		if result, media = dialect.RawContent(raw); media == "json" {
			if words := dialect.RawWords(raw); len(words) > 0 {
				result, media, parts = words, "text", dialect.OtherParts(raw)
			}
		}
	}
	l.ResultWithParts(id, result, media, parts, status, why)
}
