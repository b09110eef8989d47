package agui

import (
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// call is a tool call in progress.
type call struct {
	*model.Tool
	ready bool // its arguments are complete
}

// callLimit bounds the calls that are followed, as the trace does.
const callLimit = 256

// callOf finds the call in progress with an id, nil if there is none.
func (d *decoder) callOf(id []byte) *call {
	tool := d.talk.OpenTool(id)
	if tool == nil {
		return nil
	}
	for _, one := range d.run.calls {
		if one.Tool == tool {
			return one
		}
	}
	return d.follow(tool)
}

func (d *decoder) follow(tool *model.Tool) *call {
	if len(d.run.calls) >= callLimit {
		d.run.calls = slices.Delete(d.run.calls, 0, 1)
	}
	one := &call{Tool: tool}
	d.run.calls = append(d.run.calls, one)
	return one
}

// begin gives the call in progress with an id, and begins one.
func (d *decoder) begin(id, name []byte) *call {
	d.inRun()
	known := d.talk.OpenTool(id) != nil
	tool := d.talk.Tool(id, name)
	if known {
		return d.callOf(id)
	}
	tool.Span.Parent = d.here().ID
	return d.follow(tool)
}

// toolCall reads what the model asks a tool for. TOOL_CALL_END says that the
// arguments are complete: the tool is run from then on.
func (d *decoder) toolCall(k kind, v *fastjson.Value) {
	id := v.GetStringBytes("toolCallId")
	if k == toolChunk {
		d.toolChunk(id, v)
		return
	}
	if k == toolStart {
		d.begin(id, v.GetStringBytes("toolCallName"))
		d.spoken()
		return
	}
	if len(id) == 0 || d.talk.Ended(id) {
		return
	}
	one := d.callOf(id)
	if one == nil {
		one = d.begin(id, nil)
	}
	if k == toolArgs {
		d.argue(one, v.GetStringBytes("delta"))
		return
	}
	d.talk.FinishArguments(one.Tool)
	if !one.ready {
		one.ready = true
		d.talk.Start(one.Tool)
	}
}

// toolChunk reads a chunk, which stands for a call's start, arguments and end.
// Which is the last shows with what comes after it.
func (d *decoder) toolChunk(id []byte, v *fastjson.Value) {
	c := &d.run.chunks
	if len(id) > 0 && (c.kind != toolChunk || string(c.id) != string(id)) {
		d.chunksEnd(0)
		c.id = append(c.id[:0], id...)
	}
	if len(c.id) == 0 || d.talk.Ended(c.id) {
		return
	}
	c.kind = toolChunk
	one := d.begin(c.id, v.GetStringBytes("toolCallName"))
	d.argue(one, v.GetStringBytes("delta"))
	one.ready = true
	d.talk.Start(one.Tool)
}

func (d *decoder) argue(one *call, delta []byte) {
	if len(delta) > 0 {
		d.talk.AppendArguments(one.Tool, delta)
	}
	d.spoken()
}

// toolResult reads a result. The protocol has no word for one that is an error.
// The call may be of another run or another stream.
func (d *decoder) toolResult(in *dialect.Input) {
	id := in.JSON.GetStringBytes("toolCallId")
	if len(id) == 0 {
		return
	}
	for i := len(d.outer) - 1; d.talk.OpenTool(id) == nil && i >= 0; i-- {
		if at := d.outer[i]; at.talk.OpenTool(id) != nil {
			at.answered(id, dialect.RawMember(in.Data, "content"), nil)
			return
		}
	}
	d.answered(id, dialect.RawMember(in.Data, "content"), nil)
}

// answered ends a call with its result. why is what a message says of an error.
func (l *level) answered(id, raw, why []byte) {
	status := schema.StatusOK
	if len(why) > 0 {
		status = schema.StatusError
	}
	var result []byte
	media := ""
	if len(raw) > 0 && string(raw) != "null" {
		result, media = content(raw)
	}
	l.talk.ResultOf(id, nil, result, media, status, why)
	l.run.calls = slices.DeleteFunc(l.run.calls, func(one *call) bool { return one.Span.CallID == string(id) })
}

// wait says that the calls which nobody has answered wait for the client.
func (d *decoder) wait() {
	for _, one := range d.run.calls {
		if one.ready && d.talk.OpenTool([]byte(one.Span.CallID)) == one.Tool {
			d.talk.Wait(one.Tool)
		}
	}
}
