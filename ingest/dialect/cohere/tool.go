package cohere

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// call is a tool call of the message in progress. Later events name it by its index.
type call struct {
	index int64
	tool  *model.Tool
}

// callLimit bounds the calls of one message.
const callLimit = 64

// toolCallStart begins a call.
func (d *decoder) toolCallStart(in *dialect.Input) {
	d.answered()
	d.Complete(schema.MessageThinking, planKey)
	v, _ := delta(in, "tool_calls")
	tool := d.Tool(v.GetStringBytes("id"), v.GetStringBytes("function", "name"))
	d.calls = dialect.AppendRecent(d.calls, call{in.JSON.GetInt64("index"), tool}, callLimit)
	d.arguments(tool, v)
	d.FirstToken()
}

// toolCallDelta reads a piece of a call's arguments.
func (d *decoder) toolCallDelta(in *dialect.Input) {
	if tool := d.callAt(in); tool != nil {
		v, _ := delta(in, "tool_calls")
		d.arguments(tool, v)
	}
}

func (d *decoder) arguments(tool *model.Tool, v *fastjson.Value) {
	if chunk := v.GetStringBytes("function", "arguments"); len(chunk) > 0 {
		d.AppendArguments(tool, chunk)
	}
}

// toolCallEnd completes a call: the client executes it.
func (d *decoder) toolCallEnd(in *dialect.Input) {
	if tool := d.callAt(in); tool != nil {
		d.FinishArguments(tool)
		d.Wait(tool)
	}
}

// callAt returns the latest call in progress with an event's index, or nil.
func (d *decoder) callAt(in *dialect.Input) *model.Tool {
	index := in.JSON.GetInt64("index")
	for i := len(d.calls) - 1; i >= 0; i-- {
		if d.calls[i].index == index {
			return d.calls[i].tool
		}
	}
	return nil
}

// whole reads an answer that is not streamed.
func (d *decoder) whole(in *dialect.Input) {
	d.answered()
	d.name(in.JSON.GetStringBytes("id"))
	v, raw := in.JSON.Get("message"), dialect.RawMember(in.Data, "message")
	if plan := v.GetStringBytes("tool_plan"); len(plan) > 0 {
		d.Say(schema.MessageThinking, plan)
	}
	for _, part := range v.GetArray("content") {
		if thinking := part.GetStringBytes("thinking"); len(thinking) > 0 {
			d.Say(schema.MessageThinking, thinking)
		}
		if text := part.GetStringBytes("text"); len(text) > 0 {
			m := d.Say(schema.MessageAssistant, text)
			if citations := dialect.RawMember(raw, "citations"); !dialect.RawNull(citations) && len(citations) <= citationLimit {
				m.Attributes = dialect.Attribute("citations", citations)
			}
		}
	}
	for _, v := range v.GetArray("tool_calls") {
		tool := d.Tool(v.GetStringBytes("id"), v.GetStringBytes("function", "name"))
		d.SetArguments(tool, v.GetStringBytes("function", "arguments"))
		d.Wait(tool)
	}
	d.finish(in.JSON.GetStringBytes("finish_reason"), nil, dialect.RawMember(in.Data, "usage"))
}
