package loom

import (
	"slices"
	"strings"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// toolEvent is an event about a tool call, in any form.
type toolEvent struct {
	id, name []byte
	text     []byte // arguments, a piece of them, output or result; nil for none
	media    string
	node     *node
}

// toolEvent reads an event whose text is in the given member.
func (r *run) toolEvent(e *event, member field) toolEvent {
	t := toolEvent{id: e.o.text(fCallID), name: e.o.text(fName), node: r.of(e, false)}
	t.read(e.o.member[member])
	return t
}

func (t *toolEvent) read(value []byte) {
	if isThere(value) {
		t.text, t.media = dialect.RawContent(value)
	}
}

// custom reads the events of a server whose tool events are switched off. step_progress comes
// after a call. If the call's start was seen nevertheless, it is output of the call.
func (d *decoder) custom(r *run, e *event) {
	v := e.o.member[fValue]
	if e.export {
		v = e.raw
	}
	t := toolEvent{id: dialect.RawText(v, "call_id"), name: dialect.RawText(v, "tool_name")}
	switch string(dialect.RawText(v, "type")) {
	case "step_progress":
		t.node = r.of(e, false)
		t.read(dialect.RawMember(v, "summary"))
		if running := r.inUse(&t); running != nil && running.Running {
			d.prints(r, &t)
			return
		}
		d.ends(r, &t, false, `{"source":"step_progress"}`)
	case "approval_required":
		t.node = r.of(e, false)
		t.read(dialect.RawMember(v, "arguments"))
		d.waits(r, &t)
	}
}

// known returns the call of an event, and begins one if there is none. Until it is executed its
// start is its first mention, and its parent is the node that made it.
func (r *run) known(tool *model.Tool, t *toolEvent) *model.Tool {
	if tool == nil {
		return r.BeginTool(t.id, t.name, &t.node.Conversation)
	}
	r.Identify(tool, t.id, t.name)
	return tool
}

// note adds the present time to a tool call's attributes.
func (r *run) note(tool *model.Tool, name string) {
	if !r.Untimed {
		tool.Attrs.AddTime(name, r.Frame.At)
		r.Noted(tool)
	}
}

// callChunk reads a tool_call_chunk: a piece of the arguments.
func (d *decoder) callChunk(r *run, e *event) {
	t := r.toolEvent(e, fDelta)
	r.callIn(t.node, nil)
	t.node.FirstToken()
	r.chunking = r.known(r.chunked(&t), &t)
	if t.media == "text" && len(t.text) > 0 {
		r.AppendArguments(r.chunking, t.text)
	}
}

// called reads a tool_call: a call with all its arguments.
func (d *decoder) called(r *run, e *event) {
	t := r.toolEvent(e, fArguments)
	tool := r.known(r.announced(&t), &t)
	r.ConfirmArguments(tool, t.text, t.media)
	if !tool.Ready {
		tool.Ready = true
		r.note(tool, "called_at")
	}
}

// approval reads a tool_approval: a call that waits to be approved.
func (d *decoder) approval(r *run, e *event) {
	t := r.toolEvent(e, fArguments)
	d.waits(r, &t)
}

func (d *decoder) waits(r *run, t *toolEvent) {
	tool := r.known(r.unstarted(t), t)
	r.ConfirmArguments(tool, t.text, t.media)
	r.note(tool, "approval_at")
	r.Wait(tool)
	r.MoveTool(tool, &t.node.Conversation)
}

// startTool reads a tool_start: the duration of the call begins.
func (d *decoder) startTool(r *run, e *event) {
	t := r.toolEvent(e, noField)
	tool := r.known(r.unstarted(&t), &t)
	if t.node != &r.loose {
		tool.In = &t.node.Conversation
	}
	r.Start(tool)
	r.MoveTool(tool, &t.node.Conversation)
	r.FinishArguments(tool)
}

// toolOutput reads a tool_output.
func (d *decoder) toolOutput(r *run, e *event) {
	t := r.toolEvent(e, fContent)
	d.prints(r, &t)
}

func (d *decoder) prints(r *run, t *toolEvent) {
	tool := r.inUse(t)
	if tool == nil {
		if span := r.spanOf(t.id); span != "" { // its call has ended
			m := r.SayAs(schema.MessageOutput, d.shared("output"), t.text)
			m.Node, m.Span, m.Name, m.Media = t.node.Node, span, string(t.name), t.media
			return
		}
		tool = r.known(nil, t)
		tool.Span.Started, tool.Running = 0, true // its start was not seen
	}
	if tool.Span.Status == schema.StatusWaiting {
		tool.Span.Status = schema.StatusOpen // a tool with output has been approved
		d.Emitter.ChangedSpan(tool.Span, d.Frame)
	}
	if len(t.text) > 0 {
		r.PrintAs(tool, t.text, t.media)
	}
}

// endTool reads a tool_end.
func (d *decoder) endTool(r *run, e *event) {
	var rest dialect.Attributes
	if e.o.has(fRawResult) {
		rest.AddRaw("raw_result", e.o.member[fRawResult])
	}
	t := r.toolEvent(e, fResult)
	d.ends(r, &t, dialect.RawTrue(e.o.member[fIsError]), rest.Text())
}

// ends ends a call. A repeated end changes nothing.
func (d *decoder) ends(r *run, t *toolEvent, isError bool, attrs string) {
	found := r.inUse(t)
	if found == nil && r.spanOf(t.id) != "" {
		return
	}
	tool := r.known(found, t)
	if found == nil {
		tool.Span.Started = 0 // only its end was seen
	}
	status, why := schema.StatusOK, []byte(nil)
	switch {
	case !tool.Running && strings.TrimSpace(dialect.Alias(t.text)) == "User rejected.":
		status, why = schema.StatusRejected, t.text
	case isError:
		status, why = schema.StatusError, t.text
	}
	if !tool.Running && t.node != &r.loose {
		r.MoveTool(tool, &t.node.Conversation)
	}
	if t.text != nil {
		m := r.Returned(tool, t.text, t.media)
		m.Node, m.Attributes = t.node.Node, attrs
	}
	r.EndTool(tool, status, why)
	r.remember(tool.Span)
	if t.node.free != 0 {
		t.node.free = d.Frame.At
	}
}

// pastTool is a call that has ended, kept for repeated events.
type pastTool struct{ id, span string }

const pastTools = 16

func (r *run) remember(call *dialect.Span) {
	if call.CallID == "" {
		return
	}
	if len(r.past) >= pastTools {
		r.past = slices.Delete(r.past, 0, 1)
	}
	r.past = append(r.past, pastTool{call.CallID, call.ID})
}

// spanOf returns the span of a call that has ended, or "".
func (r *run) spanOf(id []byte) string {
	for _, p := range slices.Backward(r.past) {
		if p.id == string(id) {
			return p.span
		}
	}
	return ""
}
