package opencode

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// tool reads a part of the type tool: a call and its state, which is pending, running, completed
// or error. The part is always whole. Lines have only the end of a call.
func (t *session) tool(part *fastjson.Value, raw []byte) {
	id := part.GetStringBytes("callID")
	if len(id) == 0 {
		id = part.GetStringBytes("id")
	}
	state := part.Get("state")
	if t.conv.Ended(id) || state == nil || state.Exists("time", "compacted") {
		return // an ended call is repeated, even long after, when its result is dropped
	}
	t.inRun()
	tool := t.conv.OpenTool(id)
	met := tool != nil
	tool = t.conv.Tool(id, part.GetStringBytes("tool"))
	if !met && len(id) > 0 {
		tool.ArgumentsID = "arguments:" + tool.Span.CallID
	}
	t.tooled = true
	if input := dialect.RawPath(raw, "state.input"); !isEmpty(input) && !bytes.Equal(tool.Arguments(), input) {
		t.arguments(tool, input)
	}
	switch string(state.GetStringBytes("status")) {
	case "pending":
		t.said = t.Frame.At
	case "running":
		t.running(tool, state)
	case "completed":
		t.time(tool, state, met)
		if output := state.GetStringBytes("output"); output != nil {
			t.conv.Returned(tool, output, "text")
		}
		t.done(tool, schema.StatusOK, nil, state)
	case "error":
		t.time(tool, state, met)
		why := state.GetStringBytes("error")
		t.done(tool, t.outcome(id, why), why, state)
	default:
		t.Unknown()
	}
}

// arguments sets a call's arguments. In lines they do not show when the model's output began.
func (t *session) arguments(tool *model.Tool, input []byte) {
	call := t.conv.Call()
	if call == nil || !t.lines {
		t.conv.SetArguments(tool, input)
		return
	}
	first := call.FirstToken
	t.conv.SetArguments(tool, input)
	call.FirstToken = first
}

// isEmpty reports whether arguments are still missing.
func isEmpty(raw []byte) bool {
	return dialect.RawNull(raw) || string(raw) == "{}"
}

// running reads a call in execution. Its start is the first such state. Its output comes as a
// snapshot.
func (t *session) running(tool *model.Tool, state *fastjson.Value) {
	t.quoting = append(append(t.quoting[:0], "run:"...), tool.Span.CallID...)
	if !t.note(t.quoting) {
		t.conv.Start(tool)
		t.said = t.Frame.At
	}
	if printed := state.GetStringBytes("metadata", "output"); len(printed) > 0 {
		t.conv.SetOutput(tool, printed)
	}
}

// time sets the duration of a call. A call that is seen only at its end ended at the present
// frame, and began before it by the duration that OpenCode measured.
func (t *session) time(tool *model.Tool, state *fastjson.Value, met bool) {
	start, end := state.GetUint64("time", "start"), state.GetUint64("time", "end")
	took := int64(0)
	if start != 0 && end >= start {
		took = dialect.Milliseconds(end - start)
	}
	switch {
	case met:
	case start == 0 || end < start:
		tool.Span.Started = 0 // no duration is stated
		t.said = t.Frame.At
	default:
		tool.Span.Started = t.Frame.At - took
		t.said = max(t.said, tool.Span.Started)
	}
	if !t.waited(tool) {
		tool.Span.Duration = took
	}
}

// done ends a call. The call of a sub-agent names its session.
func (t *session) done(tool *model.Tool, status schema.Status, why []byte, state *fastjson.Value) {
	if session := state.GetStringBytes("metadata", "sessionId"); session != nil {
		tool.Attrs.AddText("session", string(session))
		t.conv.Noted(tool)
	}
	t.conv.EndTool(tool, status, why)
}

// outcome returns how a failed call ended.
func (t *session) outcome(id, why []byte) schema.Status {
	for i := range t.asked {
		if t.asked[i].call == string(id) && t.asked[i].refused {
			return schema.StatusRejected
		}
	}
	switch {
	case bytes.HasPrefix(why, []byte("The user rejected permission")):
		return schema.StatusRejected
	case bytes.HasPrefix(why, []byte("Tool execution aborted")):
		return schema.StatusCancelled
	}
	return schema.StatusError
}
