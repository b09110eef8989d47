package geminicli

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// message reads a message of the user or the model. The model's text comes in deltas; without
// "delta" it is whole.
func (d *decoder) message(in *dialect.Input) {
	v := in.JSON
	content := v.GetStringBytes("content")
	switch string(v.GetStringBytes("role")) {
	case "user":
		d.tr.InRun()
		d.endCall(schema.StatusOK)
		d.tr.UserMessage(content)
		d.asked = d.Frame.At
	case "assistant", "model":
		d.inCall()
		if v.GetBool("delta") {
			d.tr.Append(schema.MessageAssistant, nil, content)
			return
		}
		d.whole(content)
	case "system":
		d.tr.InRun()
		d.tr.Say(schema.MessageSystem, content)
	default:
		d.Unknown()
	}
}

// whole reads a whole message. If its text continues the deltas before it, it is the same
// message.
func (d *decoder) whole(content []byte) {
	if m := d.tr.Growing(schema.MessageAssistant, nil); m != nil {
		same := bytes.HasPrefix(content, m.TextSoFar())
		if same {
			d.Emitter.SetText(m, content, d.Frame)
		}
		d.tr.Complete(schema.MessageAssistant, nil)
		if same {
			return
		}
	}
	if len(content) > 0 {
		d.tr.Say(schema.MessageAssistant, content)
	}
}

// inCall begins a call of a model for output of the model. Lines do not state when a model is
// called: it is right after the user's message and after the results of tools.
func (d *decoder) inCall() {
	if d.tr.Call() == nil {
		call := d.tr.OpenCall()
		if d.asked != 0 {
			call.Started = d.asked
		}
		d.asked = 0
	}
	d.said = d.Frame.At
}

// endCall ends the call of the model at its last output. With the status unclosed it sets no end.
func (d *decoder) endCall(status schema.Status) {
	d.tr.Complete(schema.MessageAssistant, nil)
	if status != schema.StatusUnclosed {
		d.tr.EndCallAt(status, d.said)
	}
}

// toolUse reads a tool call. The CLI executes it once the model has finished.
func (d *decoder) toolUse(in *dialect.Input) {
	d.inCall()
	d.tr.Complete(schema.MessageAssistant, nil)
	tool := d.tr.Tool(in.JSON.GetStringBytes("tool_id"), in.JSON.GetStringBytes("tool_name"))
	if args := dialect.RawMember(in.Data, "parameters"); string(args) != "null" {
		d.tr.SetArguments(tool, args)
	}
	d.tr.Start(tool)
}

// toolResult reads a call's end. The results of calls of one turn come together, after the last
// of them.
func (d *decoder) toolResult(in *dialect.Input) {
	v := in.JSON
	d.tr.InRun()
	d.endCall(schema.StatusOK)
	id := v.GetStringBytes("tool_id")
	status := statusOf(v)
	why := v.GetStringBytes("error", "message")
	if why == nil {
		why = v.GetStringBytes("error")
	}
	if status == schema.StatusOK && len(why) > 0 {
		status = schema.StatusError
	}
	output := v.GetStringBytes("output")
	if d.tr.Ended(id) {
		return
	}
	tool := d.tr.OpenTool(id)
	if tool == nil {
		tool = d.tr.Tool(id, nil)
		tool.Span.Started = 0 // only its end was seen
	}
	if kind := v.GetStringBytes("error", "type"); kind != nil {
		tool.Attrs.AddText("error_type", string(kind))
		d.tr.Noted(tool)
	}
	if status == schema.StatusError && len(why) == 0 {
		why = output
	}
	if output != nil {
		d.tr.Returned(tool, output, "text")
	}
	d.tr.EndTool(tool, status, why)
	d.asked = d.Frame.At
}
