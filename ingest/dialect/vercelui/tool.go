package vercelui

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// call is a tool call in progress. It is the Data of its Tool.
type call struct {
	*model.Tool
	provider bool   // the model's provider executes it
	dynamic  bool   // its schema is not known beforehand
	titled   bool   // its title is noted
	asked    bool   // an approval was requested
	waits    bool   // it waits for the approval
	denied   bool   // the approval was refused
	approval string // the approval's id
	step     int    // the step of the run in which it began
}

// endedCalls bounds the ended calls of a run that are kept.
const endedCalls = 256

// call returns the call in progress with an id, and begins one if there is none. It returns nil for
// a call that has ended in this run, unless begins reports that the frame can only be of another
// call.
func (d *decoder) call(id, name []byte, begins bool) *call {
	if d.OpenTool(id) != nil {
		return d.Tool(id, name).Data.(*call)
	}
	if !begins && d.run.calls.Has(id) {
		return nil
	}
	d.inRun()
	tool := d.Tool(id, name)
	if d.isShared() && tool.Span.CallID != "" {
		tool.ArgumentsID = "arguments:" + tool.Span.CallID
	}
	one := &call{Tool: tool, step: d.run.step}
	tool.Data = one
	return one
}

func (d *decoder) endTool(one *call, status schema.Status, why []byte) {
	if d.Call() != nil && !one.provider {
		d.run.executed = true
	}
	d.EndTool(one.Tool, status, why)
	d.run.calls.Add([]byte(one.Span.CallID), endedCalls)
}

// awaitClient sets complete calls to waiting for the client, except those that others execute.
func (d *decoder) awaitClient() {
	for _, tool := range d.OpenTools() {
		if tool.Ready && tool.Span.CallID != "" && !tool.Data.(*call).provider {
			d.Wait(tool)
		}
	}
}

// toolInput reads the input of a tool call.
func (d *decoder) toolInput(in *dialect.Input) {
	v := in.JSON
	id, name := v.GetStringBytes("toolCallId"), v.GetStringBytes("toolName")
	if len(id) == 0 && in.Type == "tool-input-delta" {
		return
	}
	one := d.call(id, name, in.Type == "tool-input-start")
	if one == nil {
		return
	}
	d.spoken()
	d.describe(one, in)
	switch in.Type {
	case "tool-input-delta":
		if delta := v.GetStringBytes("inputTextDelta"); len(delta) > 0 {
			d.AppendArguments(one.Tool, delta)
		}
	case "tool-input-available":
		d.inputReady(one, dialect.RawMember(in.Data, "input"))
	case "tool-input-error":
		d.setArguments(one, dialect.RawMember(in.Data, "input"))
		why := v.GetStringBytes("errorText")
		d.Returned(one.Tool, why, "text")
		d.endTool(one, schema.StatusError, why)
	}
}

// describe reads what else a chunk states about a call.
func (d *decoder) describe(one *call, in *dialect.Input) {
	v, before := in.JSON, len(one.Attrs)
	if !one.provider && v.GetBool("providerExecuted") {
		one.provider = true
		one.Attrs.AddRaw("provider_executed", []byte("true"))
	}
	if !one.dynamic && v.GetBool("dynamic") {
		one.dynamic = true
		one.Attrs.AddRaw("dynamic", []byte("true"))
	}
	if title := v.GetStringBytes("title"); !one.titled && len(title) > 0 {
		one.titled = true
		one.Attrs.AddText("title", dialect.Short(title))
	}
	if len(one.Attrs) > before {
		d.Noted(one.Tool)
	}
}

// inputReady reads a call's whole input. The server or the client executes the call from now on.
// Some servers send a better input again.
func (d *decoder) inputReady(one *call, input []byte) {
	d.setArguments(one, input)
	if !one.Ready && !one.waits {
		d.Start(one.Tool)
	}
	one.Ready = true
}

// setArguments sets a call's whole input. Deltas with the same meaning stay, as the model wrote
// them.
func (d *decoder) setArguments(one *call, input []byte) {
	if dialect.RawNull(input) || dialect.SameJSON(one.Arguments(), input) {
		d.FinishArguments(one.Tool)
		return
	}
	text, media := dialect.RawContent(input)
	if media == "text" && !wellformed.JSON(text) {
		one.Media = media // the tool takes text, or the JSON is invalid
	}
	d.SetArguments(one.Tool, text)
}

// approvalRequest reads the notice that a call needs an approval.
func (d *decoder) approvalRequest(in *dialect.Input) {
	id := in.JSON.GetStringBytes("toolCallId")
	if len(id) == 0 {
		return
	}
	if one := d.call(id, nil, false); one != nil {
		one.approval = string(in.JSON.GetStringBytes("approvalId"))
		if !in.JSON.GetBool("isAutomatic") {
			d.await(one)
		}
	}
}

// approvalResponse reads the decision whether a call was approved.
func (d *decoder) approvalResponse(in *dialect.Input) {
	id := in.JSON.GetStringBytes("approvalId")
	for _, tool := range d.OpenTools() {
		if one := tool.Data.(*call); len(id) > 0 && one.approval == string(id) {
			d.decide(one, in.JSON.GetBool("approved"), in.JSON.GetStringBytes("reason"))
			return
		}
	}
}

// await sets a call to waiting for an approval: it has not started.
func (d *decoder) await(one *call) {
	if !one.asked {
		one.Attrs.AddTime("approval_at", d.Frame.At)
	}
	one.asked, one.waits = true, true
	one.Span.Started = 0
	d.Wait(one.Tool)
	d.Noted(one.Tool)
}

// decide reads the decision on a call. An approved call begins with it.
func (d *decoder) decide(one *call, approved bool, why []byte) {
	if !approved {
		d.endTool(one, schema.StatusRejected, why)
		return
	}
	if one.waits {
		one.waits = false
		d.Start(one.Tool)
	}
}

// isCompozyEvent reports whether a value is an agent event of Compozy, which occurs in data parts
// and in outputs of tools.
func isCompozyEvent(value []byte) bool {
	return dialect.RawMember(value, "type") != nil &&
		(dialect.RawMember(value, "turn_id") != nil || dialect.RawMember(value, "session_id") != nil)
}

// data reads a data part. Only Compozy's data parts are known; others are the application's own.
func (d *decoder) data(in *dialect.Input) {
	event := dialect.RawMember(in.Data, "data")
	if d.Run() == nil || event == nil || !bytes.HasPrefix(in.JSON.GetStringBytes("type"), []byte("data-compozy-")) {
		return
	}
	if raw := dialect.RawMember(event, "usage"); len(raw) > 0 && raw[0] == '{' {
		d.run.compozyUsage = bytes.Clone(raw)
	}
	if in.Type == "data-compozy-permission" {
		d.permission(event)
	}
}

// permission reads a request for an approval, or the decision on it.
func (d *decoder) permission(event []byte) {
	tool := d.OpenTool(dialect.RawText(event, "tool_call_id"))
	if tool == nil {
		return
	}
	one, decision := tool.Data.(*call), dialect.RawText(event, "decision")
	switch {
	case len(decision) == 0:
		if !one.waits {
			d.await(one)
		}
	case bytes.HasPrefix(decision, []byte("allow")):
		d.decide(one, true, nil)
	case bytes.HasPrefix(decision, []byte("reject")):
		one.denied = true // the result states it too, and may have more detail
	}
}
