package loom

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// tool is a tool call in progress.
type tool struct {
	span         *dialect.Span
	id, name     string
	args, output *dialect.Message
	attrs        attributes
	called       bool // its arguments are complete
	started      bool // it is executed
	gaps         int  // of its run when it was started
}

// toolEvent is an event that tells of a tool call, in whichever form.
type toolEvent struct {
	kind     kind
	id, name []byte
	value    *fastjson.Value // arguments, a delta of them, output, result
	raw      []byte          // value's JSON text, where it may be no string
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
		t.raw = rawOf(t.value, e, "arguments")
		d.called(r, &t)
	case toolStart:
		d.startTool(r, &t)
	case toolOutput:
		t.value = e.o.member[fContent]
		t.raw = rawOf(t.value, e, "content")
		d.toolPrinted(r, &t)
	case toolEnd:
		t.value = e.o.member[fResult]
		t.raw = rawOf(t.value, e, "result")
		var rest attributes
		if e.o.has(fRawResult) {
			rest.addRaw("raw_result", dialect.RawMember(e.raw(), "raw_result"))
		}
		d.endTool(r, &t, dialect.True(e.o.member[fIsError]), rest.text())
	}
}

// rawOf looks up a member's text where its value is not a string.
func rawOf(v *fastjson.Value, e *event, name string) []byte {
	if v == nil || v.Type() == fastjson.TypeString {
		return nil
	}
	return dialect.RawMember(e.raw(), name)
}

// custom reads what a server says of tools that has its tool events switched
// off. step_progress comes after a call; should the call's start have been
// seen nevertheless, it is something that it printed.
func (d *decoder) custom(r *run, e *event) {
	if e.value == nil || e.value.Type() != fastjson.TypeObject {
		return
	}
	var t toolEvent
	switch string(e.value.GetStringBytes("type")) {
	case "step_progress":
		t.kind, t.value = toolEnd, e.value.Get("summary")
	case "approval_required":
		t.kind, t.value = toolApproval, e.value.Get("arguments")
	default:
		return
	}
	t.id, t.name = e.value.GetStringBytes("call_id"), e.value.GetStringBytes("tool_name")
	t.node = r.of(e, false)
	if t.value != nil && t.value.Type() != fastjson.TypeString {
		text := e.raw()
		if !e.export {
			text = dialect.RawMember(text, "value")
		}
		t.raw = dialect.RawMember(text, "arguments")
	}
	if t.kind == toolApproval {
		d.called(r, &t)
		return
	}
	if running := r.tools.inUse(&t); running != nil && running.started {
		d.toolPrinted(r, &t)
		return
	}
	d.endTool(r, &t, false, `{"source":"step_progress"}`)
}

// openTool begins a tool call. Until it is executed it starts when it was
// first spoken of, and belongs to the node that asked for it.
func (d *decoder) openTool(r *run, e *toolEvent) *tool {
	t := &tool{id: string(e.id), name: string(e.name)}
	t.span = d.book.OpenSpan(schema.SpanTool, d.id("tool"), t.name, d.frame)
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
	d.book.ChangedSpan(t.span, d.frame)
}

// callChunk reads a tool_call_chunk: a piece of the arguments.
func (d *decoder) callChunk(r *run, e *toolEvent) {
	d.token(d.callIn(r, e.node, ""))
	t := r.tools.chunked(e)
	if t == nil {
		t = d.openTool(r, e)
	}
	d.identify(t, e)
	r.tools.chunking = t
	piece := e.value.GetStringBytes()
	if len(piece) == 0 {
		return
	}
	if t.args == nil {
		t.args = d.toolMessage(r, t, schema.MessageArguments, "arguments", "json")
	}
	d.book.Append(t.args, piece, d.frame)
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
			d.book.ChangedMessage(t.args, d.frame)
		}
	}
	d.book.ChangedSpan(t.span, d.frame)
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
	t.attrs.addTime(name, d.frame.At)
	t.span.Attributes = t.attrs.text()
	d.book.ChangedSpan(t.span, d.frame)
}

// arguments takes the whole arguments. Where they say what the chunks said,
// the chunks stand; otherwise they replace them.
func (d *decoder) arguments(r *run, t *tool, e *toolEvent) {
	text, media := textOf(e)
	if text == nil {
		d.complete(t.args)
		return
	}
	if t.args == nil {
		t.args = d.toolMessage(r, t, schema.MessageArguments, "arguments", media)
	}
	if !sameJSON(t.args.TextSoFar(), text) {
		d.book.SetText(t.args, text, d.frame)
	}
	t.args.Media = media
	d.book.Complete(t.args, d.frame)
}

// textOf gives a value as text, and what that is; nil for none.
func textOf(e *toolEvent) (text []byte, media string) {
	switch {
	case e.value == nil || e.value.Type() == fastjson.TypeNull:
		return nil, ""
	case e.value.Type() == fastjson.TypeString:
		if text = e.value.GetStringBytes(); text == nil {
			text = []byte{}
		}
		return text, "text"
	}
	return e.raw, "json"
}

// sameLimit is the length up to which texts are compared by what they mean, bytes.
const sameLimit = 1 << 20

// sameJSON reports whether two texts are the same or mean the same as JSON.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) == 0 || len(b) == 0 || len(a)+len(b) > sameLimit {
		return false
	}
	x, okX := meaning(a)
	y, okY := meaning(b)
	return okX && okY && reflect.DeepEqual(x, y)
}

func meaning(text []byte) (v any, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return v, decoder.Decode(&v) == nil && !decoder.More()
}

// startTool reads a tool_start: from here on the tool's time is measured.
func (d *decoder) startTool(r *run, e *toolEvent) {
	t := r.tools.unstarted(e)
	if t == nil {
		t = d.openTool(r, e)
	}
	d.identify(t, e)
	t.started, t.gaps = true, r.gaps
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
	if len(text) == 0 {
		return
	}
	if t.output == nil {
		t.output = d.toolMessage(r, t, schema.MessageOutput, "output", media)
	}
	d.book.Append(t.output, text, d.frame)
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
		status, t.span.Error = schema.StatusRejected, short(text)
	case isError:
		status, t.span.Error = schema.StatusError, short(text)
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
	d.book.CloseSpan(t.span, status, d.frame)
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
	m := d.book.OpenMessage(kind, d.id(id), d.frame)
	r.fill(&m.Fact, nil)
	m.Node, m.Span, m.Name, m.Media = t.span.Node, t.span.ID, t.name, media
	return m
}

// toolSaid records a message of a tool call that came whole.
func (d *decoder) toolSaid(r *run, e *toolEvent, kind schema.MessageKind, id, span, name string) *dialect.Message {
	text, media := textOf(e)
	m := d.book.Say(kind, d.id(id), text, d.frame)
	r.fill(&m.Fact, e.node)
	m.Span, m.Name, m.Media = span, name, media
	return m
}
