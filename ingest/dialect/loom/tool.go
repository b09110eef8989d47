package loom

import (
	"strings"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// tool is a tool call in progress.
type tool struct {
	span         *dialect.Span
	id, name     string
	args, output *dialect.Message
	attrs        dialect.Attributes
	called       bool  // its arguments are complete
	started      bool  // it is executed
	in           *node // what executes it
	gaps         int   // of its run when it was started
}

// toolEvent is an event that tells of a tool call, in whichever form.
type toolEvent struct {
	kind     kind
	id, name []byte
	value    []byte // arguments, a delta of them, output, result
	node     *node
}

// tool reads a tool event.
func (d *decoder) tool(r *run, e *event) {
	t := toolEvent{kind: e.kind, id: e.o.text(fCallID), name: e.o.text(fName), node: r.of(e, false)}
	switch e.kind {
	case toolCallChunk:
		t.value = e.o.member[fDelta]
		d.callChunk(r, &t)
	case toolCall, toolApproval:
		t.value = e.o.member[fArguments]
		d.called(r, &t)
	case toolStart:
		d.startTool(r, &t)
	case toolOutput:
		t.value = e.o.member[fContent]
		d.toolPrinted(r, &t)
	case toolEnd:
		t.value = e.o.member[fResult]
		var rest dialect.Attributes
		if e.o.has(fRawResult) {
			rest.AddRaw("raw_result", e.o.member[fRawResult])
		}
		d.endTool(r, &t, dialect.RawTrue(e.o.member[fIsError]), rest.Text())
	}
}

// openTool begins a tool call. Until it is executed it starts when it was
// first spoken of, and belongs to the node that asked for it.
func (d *decoder) openTool(r *run, e *toolEvent) *tool {
	t := &tool{id: string(e.id), name: string(e.name)}
	t.span = d.emitter.OpenSpan(schema.SpanTool, d.shared("tool"), t.name, d.frame)
	t.span.CallID = t.id
	d.unclock(t.span)
	r.fill(&t.span.Fact, nil)
	d.placeTool(r, t, e.node)
	if len(r.tools.open) >= openTools {
		d.abandonTool(r.tools.open[0])
		r.tools.remove(r.tools.open[0])
	}
	r.tools.open = append(r.tools.open, t)
	return t
}

// placeTool puts a tool call into the node that executes it.
func (d *decoder) placeTool(r *run, t *tool, n *node) {
	t.span.Node, t.span.Parent = n.id, r.parent(n)
	d.emitter.ChangedSpan(t.span, d.frame)
}

// identify learns a call's id and name where they come later than the call.
func (d *decoder) identify(t *tool, e *toolEvent) {
	if (t.id != "" || len(e.id) == 0) && (t.name != "" || len(e.name) == 0) {
		return
	}
	if t.id == "" {
		t.id = string(e.id)
		t.span.CallID = t.id
	}
	if t.name == "" {
		t.name = string(e.name)
		t.span.Name = t.name
		if t.args != nil {
			t.args.Name = t.name
			d.emitter.ChangedMessage(t.args, d.frame)
		}
	}
	d.emitter.ChangedSpan(t.span, d.frame)
}

// called reads a tool_call or tool_approval: a call with its arguments.
func (d *decoder) called(r *run, e *toolEvent) {
	var t *tool
	if e.kind == toolCall {
		t = r.tools.announced(e)
	} else {
		t = r.tools.unstarted(e)
	}
	if t == nil {
		t = d.openTool(r, e)
	}
	d.identify(t, e)
	d.arguments(r, t, e)
	if e.kind == toolCall {
		if !t.called {
			t.called = true
			d.note(t, "called_at")
		}
		return
	}
	d.note(t, "approval_at")
	t.span.Status = schema.StatusWaiting
	d.placeTool(r, t, e.node)
}

// note adds the present time to a tool call's attributes.
func (d *decoder) note(t *tool, name string) {
	if d.bundled {
		return
	}
	t.attrs.AddTime(name, d.frame.At)
	t.span.Attributes = t.attrs.Text()
	d.emitter.ChangedSpan(t.span, d.frame)
}

// startTool reads a tool_start: from here on the tool's time is measured.
func (d *decoder) startTool(r *run, e *toolEvent) {
	t := r.tools.unstarted(e)
	if t == nil {
		t = d.openTool(r, e)
	}
	d.identify(t, e)
	t.started, t.gaps = true, r.gaps
	if e.node.span != nil {
		t.in = e.node
	}
	t.span.Status, t.span.Started = schema.StatusOpen, d.frame.At
	d.unclock(t.span)
	d.placeTool(r, t, e.node)
	d.complete(t.args)
}

// toolPrinted reads a tool_output.
func (d *decoder) toolPrinted(r *run, e *toolEvent) {
	t := r.tools.inUse(e)
	if t == nil {
		if span := r.tools.endedSpan(e.id); span != "" {
			// Late: its call has ended.
			d.toolSaid(r, e, schema.MessageOutput, "output", span, string(e.name))
			return
		}
		t = d.openTool(r, e)
		t.span.Started, t.started = 0, true // its start was not seen
	}
	text, media := textOf(e)
	if t.span.Status == schema.StatusWaiting {
		t.span.Status = schema.StatusOpen // it prints: so it was approved
		d.emitter.ChangedSpan(t.span, d.frame)
	}
	if len(text) == 0 {
		return
	}
	if t.output == nil {
		t.output = d.toolMessage(r, t, schema.MessageOutput, "output", media)
	}
	d.emitter.Append(t.output, text, d.frame)
}

// endTool reads a tool_end.
func (d *decoder) endTool(r *run, e *toolEvent, isError bool, attrs string) {
	t := r.tools.inUse(e)
	if t == nil {
		if r.tools.endedSpan(e.id) != "" {
			return // told a second time
		}
		t = d.openTool(r, e)
		t.span.Started = 0 // only its end was seen
	}
	d.identify(t, e)
	text, _ := textOf(e)
	status := schema.StatusOK
	switch {
	case !t.started && strings.TrimSpace(dialect.Alias(text)) == "User rejected.":
		status, t.span.Error = schema.StatusRejected, dialect.Short(text)
	case isError:
		status, t.span.Error = schema.StatusError, dialect.Short(text)
	}
	if !t.started && e.node != &r.loose {
		d.placeTool(r, t, e.node)
	}
	d.complete(t.args)
	d.complete(t.output)
	if text != nil {
		m := d.toolSaid(r, e, schema.MessageResult, "result", t.span.ID, t.name)
		m.Attributes = attrs
	}
	d.emitter.CloseSpan(t.span, status, d.frame)
	r.tools.end(t)
	if e.node.free != 0 {
		e.node.free = d.frame.At
	}
}

func (d *decoder) abandonTool(t *tool) {
	d.complete(t.args)
	d.complete(t.output)
	d.abandon(t.span)
}

// toolMessage opens a message of a tool call.
func (d *decoder) toolMessage(r *run, t *tool, kind schema.MessageKind, id, media string) *dialect.Message {
	m := d.emitter.OpenMessage(kind, d.shared(id), d.frame)
	r.fill(&m.Fact, nil)
	m.Node, m.Span, m.Name, m.Media = t.span.Node, t.span.ID, t.name, media
	return m
}

// toolSaid records a message of a tool call that came whole.
func (d *decoder) toolSaid(r *run, e *toolEvent, kind schema.MessageKind, id, span, name string) *dialect.Message {
	text, media := textOf(e)
	m := d.emitter.Say(kind, d.shared(id), text, d.frame)
	r.fill(&m.Fact, e.node)
	m.Span, m.Name, m.Media = span, name, media
	return m
}
