package model

import (
	"cmp"
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// Tool is a tool call in progress.
type Tool struct {
	Span  *dialect.Span
	Attrs dialect.Attributes // of the span; Noted puts them there
	Media string             // of its arguments; "json" where it is left empty
	// ArgumentsID is the id of its arguments where other streams may speak of
	// them as well; otherwise they are this stream's.
	ArgumentsID string
	// Ready: its arguments are complete, for dialects in which that does not show
	// with them.
	Ready   bool
	Running bool          // it is executed: see Start
	In      *Conversation // the node that executes it, for dialects that say so; see Leave
	Data    any           // what else the dialect keeps of the call
	args    *dialect.Message
	out     *dialect.Message
	ended   bool
}

// Bounds of what is kept of tool calls.
const (
	openTools = 256 // of those in progress, by default; beyond it the oldest is unclosed
	pastTools = 128 // of those that ended a hash of the id each
)

// Tool returns the call in progress with an id, and begins one where there is
// none: open, started with the present frame, below the present step or run.
// A name that was not known is taken over. Without an id every call is new.
func (t *Conversation) Tool(id, name []byte) *Tool {
	if tool := t.OpenTool(id); tool != nil {
		t.Identify(tool, id, name)
		return tool
	}
	return t.beginTool(id, name, t.Place())
}

// Identify takes over a call's id and name where they were not known.
func (t *Conversation) Identify(tool *Tool, id, name []byte) {
	s := tool.Span
	if (s.CallID != "" || len(id) == 0) && (s.Name != "" || len(name) == 0) {
		return
	}
	if s.CallID == "" {
		s.CallID = string(id)
	}
	if s.Name == "" {
		s.Name = string(name)
		if tool.args != nil {
			tool.args.Name = s.Name
			t.Emitter.ChangedMessage(tool.args, t.Frame)
		}
	}
	t.Emitter.ChangedSpan(s, t.Frame)
}

// BeginTool begins another call, in a node of the run.
func (t *Conversation) BeginTool(id, name []byte, in *Conversation) *Tool {
	tool := t.beginTool(id, name, in.run)
	tool.Span.Node = in.Node
	return tool
}

// LoneTool begins another call outside of any run, for protocols without runs.
func (t *Conversation) LoneTool(id, name []byte) *Tool { return t.beginTool(id, name, nil) }

// MoveTool puts a call into the node that executes it.
func (t *Conversation) MoveTool(tool *Tool, to *Conversation) {
	tool.Span.Node, tool.Span.Parent = to.Node, idOf(to.run)
	t.Emitter.ChangedSpan(tool.Span, t.Frame)
}

// beginTool begins a call below a span, which may be nil.
func (t *Conversation) beginTool(id, name []byte, below *dialect.Span) *Tool {
	if len(t.tools) >= cmp.Or(t.ToolLimit, openTools) {
		t.leave(t.tools[0])
		t.tools = slices.Delete(t.tools, 0, 1)
	}
	tool := &Tool{Span: t.open(schema.SpanTool, t.toolID(id), string(name), below)}
	tool.Span.CallID = string(id)
	t.tools = append(t.tools, tool)
	return tool
}

// toolID makes a call's id: where other streams may speak of the call it is
// made of its own, unless this stream has already used it for another.
func (t *Conversation) toolID(id []byte) string {
	if t.LocalTools || len(id) == 0 || t.ended(id) {
		return t.factID("tool")
	}
	return "tool:" + string(id)
}

// factID returns the id of a tool call, or of a message of one, that begins with the
// present frame.
func (t *Conversation) factID(kind string) string {
	if t.SharedID != nil {
		return t.SharedID(kind)
	}
	return t.ID(kind)
}

// OpenTool is the call in progress with an id, nil if there is none.
func (t *Conversation) OpenTool(id []byte) *Tool {
	if len(id) == 0 {
		return nil
	}
	for _, tool := range t.tools {
		if tool.Span.CallID == string(id) {
			return tool
		}
	}
	return nil
}

// OpenTools are the calls in progress, the oldest first. The list is the
// conversation's own, and stands until the next call begins or ends.
func (t *Conversation) OpenTools() []*Tool { return t.tools }

// ended reports whether a call with an id has ended, also in an earlier run.
func (t *Conversation) ended(id []byte) bool {
	return t.past.Has(id)
}

// Ended reports whether a call with an id has ended, and none is in progress.
func (t *Conversation) Ended(id []byte) bool { return t.OpenTool(id) == nil && t.ended(id) }

// AppendArguments adds a chunk to a call's arguments, JSON as text.
func (t *Conversation) AppendArguments(tool *Tool, chunk []byte) {
	t.Emitter.Append(t.arguments(tool), chunk, t.Frame)
	if len(chunk) > 0 {
		t.FirstToken()
	}
}

// SetArguments sets a call's arguments whole, JSON as it stood. If they are
// what the chunks came to, these stand. They are complete.
func (t *Conversation) SetArguments(tool *Tool, whole []byte) {
	if len(whole) > 0 {
		t.Emitter.SetText(t.arguments(tool), whole, t.Frame)
		t.FirstToken()
	}
	t.FinishArguments(tool)
}

// RepeatArguments is SetArguments for frames that may repeat the arguments: where
// they are what is known these stand.
func (t *Conversation) RepeatArguments(tool *Tool, whole []byte) {
	if len(whole) == 0 || string(tool.Arguments()) == string(whole) {
		t.FinishArguments(tool)
		return
	}
	t.SetArguments(tool, whole)
}

// FinishArguments says that a call's arguments are complete.
func (t *Conversation) FinishArguments(tool *Tool) {
	if tool.args != nil && !tool.args.Complete {
		t.Emitter.Complete(tool.args, t.Frame)
	}
}

// Arguments are what is known of a call's arguments; valid until they change.
func (tool *Tool) Arguments() []byte {
	if tool.args == nil {
		return nil
	}
	return tool.args.TextSoFar()
}

func (t *Conversation) arguments(tool *Tool) *dialect.Message {
	if tool.args == nil {
		if tool.ArgumentsID == "" {
			tool.ArgumentsID = t.factID(string(schema.MessageArguments))
		}
		tool.args = t.toolMessage(tool, schema.MessageArguments, tool.ArgumentsID)
		tool.args.Media = cmp.Or(tool.Media, "json")
	}
	return tool.args
}

// Print adds to what a tool prints while it runs.
func (t *Conversation) Print(tool *Tool, chunk []byte) { t.PrintAs(tool, chunk, "text") }

// PrintAs is Print for output of a media; that of the first piece stands.
func (t *Conversation) PrintAs(tool *Tool, chunk []byte, media string) {
	t.Emitter.Append(t.output(tool, media), chunk, t.Frame)
}

// SetOutput sets all that a tool has printed so far: a growing snapshot.
func (t *Conversation) SetOutput(tool *Tool, whole []byte) {
	t.Emitter.SetText(t.output(tool, "text"), whole, t.Frame)
}

func (t *Conversation) output(tool *Tool, media string) *dialect.Message {
	if tool.out == nil {
		tool.out = t.toolMessage(tool, schema.MessageOutput, t.factID(string(schema.MessageOutput)))
		tool.out.Media = media
	}
	return tool.out
}

func (t *Conversation) toolMessage(tool *Tool, kind schema.MessageKind, id string) *dialect.Message {
	m := t.Emitter.OpenMessage(kind, id, t.Frame)
	m.Session, m.Run, m.Node, m.Agent = tool.Span.Session, tool.Span.Run, tool.Span.Node, tool.Span.Agent
	m.Span, m.Name, m.Media = tool.Span.ID, tool.Span.Name, "text"
	return m
}

// Start says that a tool is executed from now on: its time counts from here. A call that has ended
// does not start again.
func (t *Conversation) Start(tool *Tool) {
	if tool.ended {
		return
	}
	tool.Span.Status, tool.Span.Started, tool.Running = schema.StatusOpen, t.Frame.At, true
	if t.Untimed {
		tool.Span.Started = 0
	}
	t.Emitter.ChangedSpan(tool.Span, t.Frame)
}

// Wait says that a call waits for an approval or for a client to execute it, unless it has ended.
func (t *Conversation) Wait(tool *Tool) {
	if tool.ended {
		return
	}
	tool.Span.Status = schema.StatusWaiting
	t.Emitter.ChangedSpan(tool.Span, t.Frame)
}

// AwaitApproval says that a call waits for an approval, and since when.
func (t *Conversation) AwaitApproval(tool *Tool) {
	tool.Attrs.AddTime("approval_at", t.Frame.At)
	t.Noted(tool)
	t.Wait(tool)
}

// Noted puts a call's Attrs into its span.
func (t *Conversation) Noted(tool *Tool) {
	tool.Span.Attributes = tool.Attrs.Text()
	t.Emitter.ChangedSpan(tool.Span, t.Frame)
}

// Returned records a call's result, text or JSON (media "text", "json" or a
// media type), and completes its other messages. It does not end the call.
func (t *Conversation) Returned(tool *Tool, result []byte, media string) *dialect.Message {
	id := t.factID(string(schema.MessageResult))
	if tool.Span.ID == "tool:"+tool.Span.CallID {
		id = "result:" + tool.Span.CallID // so that other streams speak of the same
	}
	m := t.Emitter.Say(schema.MessageResult, id, result, t.Frame)
	m.Session, m.Run, m.Node, m.Agent = tool.Span.Session, tool.Span.Run, tool.Span.Node, tool.Span.Agent
	m.Span, m.Name, m.Media = tool.Span.ID, tool.Span.Name, media
	return m
}

// EndTool ends a call.
func (t *Conversation) EndTool(tool *Tool, status schema.Status, why []byte) {
	t.finish(tool)
	if len(why) > 0 {
		tool.Span.Error = dialect.Short(why)
	}
	t.Emitter.CloseSpan(tool.Span, status, t.Frame)
	tool.ended = true
	t.tools = slices.DeleteFunc(t.tools, func(x *Tool) bool { return x == tool })
	t.past.Add([]byte(tool.Span.CallID), pastTools)
}

// ResultOf records the result of a call that this stream may not have seen, such
// as one in the next request. A call that has ended here is not recorded again. No
// run begins with it. The name may be empty.
func (t *Conversation) ResultOf(id, name, result []byte, media string, status schema.Status, why []byte) {
	if t.Ended(id) {
		return
	}
	tool := t.OpenTool(id)
	if tool == nil {
		tool = t.beginTool(id, name, nil) // the stream that saw it begin knows its place …
		tool.Span.Started = 0             // … and when that was
	}
	if result != nil {
		t.Returned(tool, result, media)
	}
	t.EndTool(tool, status, why)
}

// leave releases a call that did not end. Arguments that were cut off stay incomplete.
func (t *Conversation) leave(tool *Tool) {
	if args := tool.args; args == nil || args.Media != "json" || wellformed.JSON(args.TextSoFar()) {
		t.FinishArguments(tool)
	}
	t.finishOutput(tool)
	if tool.Span.Status != schema.StatusWaiting {
		t.abandon(tool.Span)
	}
}

func (t *Conversation) finish(tool *Tool) {
	t.FinishArguments(tool)
	t.finishOutput(tool)
}

func (t *Conversation) finishOutput(tool *Tool) {
	if tool.out != nil && !tool.out.Complete {
		t.Emitter.Complete(tool.out, t.Frame)
	}
}
