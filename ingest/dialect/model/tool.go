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
	Attrs dialect.Attributes // of the span; Noted sets them there
	Media string             // of the arguments; "json" if it is empty
	// ArgumentsID is the id of the arguments if other streams may refer to them as well. If it is
	// "" the arguments get an id of this stream.
	ArgumentsID string
	// Ready: the arguments are complete. It is for dialects in which another frame states this.
	Ready   bool
	Running bool          // the tool is being executed, see Start
	In      *Conversation // the node that executes the call, for dialects that state it; see Leave
	Data    any           // state of the dialect
	args    *dialect.Message
	out     *dialect.Message
	ended   bool
}

// Bounds of the tool calls that are kept.
const (
	openTools = 256 // calls in progress, by default; the oldest beyond it is unclosed
	pastTools = 128 // calls that ended, of which a hash of the id is kept
)

// Tool returns the call in progress with an id. If there is none it begins one: open, started with
// the present frame, below the present step or run. It sets a name that was not known. A call
// without an id is always new.
func (t *Conversation) Tool(id, name []byte) *Tool {
	if tool := t.OpenTool(id); tool != nil {
		t.Identify(tool, id, name)
		return tool
	}
	return t.beginTool(id, name, t.Place())
}

// Identify sets a call's id and name if they are not known.
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

// BeginTool begins another call in a node of the run.
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

// toolID returns the id of a call's span. If other streams may refer to the call it is made of the
// call's own id, unless this stream has used that for another call.
func (t *Conversation) toolID(id []byte) string {
	if t.LocalTools || len(id) == 0 || t.ended(id) {
		return t.factID("tool")
	}
	return "tool:" + string(id)
}

// factID returns the id of a tool call, or of a message of a call, that begins with the present
// frame.
func (t *Conversation) factID(kind string) string {
	if t.SharedID != nil {
		return t.SharedID(kind)
	}
	return t.ID(kind)
}

// OpenTool returns the call in progress with an id, or nil.
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

// OpenTools returns the calls in progress, the oldest first. The list belongs to the conversation
// and is valid until the next call begins or ends.
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

// SetArguments sets a call's whole arguments, as the JSON in the frame. Chunks that amount to the
// same stay. The arguments are complete.
func (t *Conversation) SetArguments(tool *Tool, whole []byte) {
	if len(whole) > 0 {
		t.Emitter.SetText(t.arguments(tool), whole, t.Frame)
		t.FirstToken()
	}
	t.FinishArguments(tool)
}

// RepeatArguments is SetArguments for frames that may repeat the arguments. Arguments that are
// the same as the known ones change nothing.
func (t *Conversation) RepeatArguments(tool *Tool, whole []byte) {
	if len(whole) == 0 || string(tool.Arguments()) == string(whole) {
		t.FinishArguments(tool)
		return
	}
	t.SetArguments(tool, whole)
}

// FinishArguments records that a call's arguments are complete.
func (t *Conversation) FinishArguments(tool *Tool) {
	if tool.args != nil && !tool.args.Complete {
		t.Emitter.Complete(tool.args, t.Frame)
	}
}

// Arguments returns a call's arguments so far. They are valid until they change.
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

// Print adds to the output of a running tool.
func (t *Conversation) Print(tool *Tool, chunk []byte) { t.PrintAs(tool, chunk, "text") }

// PrintAs is Print for output of a media type. The media type of the first piece is kept.
func (t *Conversation) PrintAs(tool *Tool, chunk []byte, media string) {
	t.Emitter.Append(t.output(tool, media), chunk, t.Frame)
}

// SetOutput sets all output of a tool so far: a growing snapshot.
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

// Start records that the execution of a tool begins: its duration counts from the present frame.
// A call that has ended does not start again.
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

// Wait records that a call waits for an approval, or for a client to execute it. It does nothing
// for a call that has ended.
func (t *Conversation) Wait(tool *Tool) {
	if tool.ended {
		return
	}
	tool.Span.Status = schema.StatusWaiting
	t.Emitter.ChangedSpan(tool.Span, t.Frame)
}

// AwaitApproval records that a call waits for an approval, and since when.
func (t *Conversation) AwaitApproval(tool *Tool) {
	tool.Attrs.AddTime("approval_at", t.Frame.At)
	t.Noted(tool)
	t.Wait(tool)
}

// Noted sets a call's Attrs on its span.
func (t *Conversation) Noted(tool *Tool) {
	tool.Span.Attributes = tool.Attrs.Text()
	t.Emitter.ChangedSpan(tool.Span, t.Frame)
}

// Returned records a call's result, text or JSON (media "text", "json" or a media type). It does
// not end the call.
func (t *Conversation) Returned(tool *Tool, result []byte, media string) *dialect.Message {
	id := t.factID(string(schema.MessageResult))
	if tool.Span.ID == "tool:"+tool.Span.CallID {
		id = "result:" + tool.Span.CallID // other streams refer to it by the same id
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

// ResultOf records the result of a call that this stream may not have seen, such as a result in
// the next request. It does nothing for a call that has ended here. It does not begin a run. The
// name may be empty. It returns the message of the result, or nil.
func (t *Conversation) ResultOf(id, name, result []byte, media string, status schema.Status, why []byte) (m *dialect.Message) {
	if t.Ended(id) {
		return nil
	}
	tool := t.OpenTool(id)
	if tool == nil {
		tool = t.beginTool(id, name, nil) // the stream that saw the call begin knows its parent
		tool.Span.Started = 0             // and its start
	}
	if result != nil {
		m = t.Returned(tool, result, media)
	}
	t.EndTool(tool, status, why)
	return m
}

// ResultWithParts is ResultOf for a result whose content has parts other than text. parts lists
// their kinds as a JSON array, and becomes the attribute parts of the result.
func (t *Conversation) ResultWithParts(id, result []byte, media string, parts []byte, status schema.Status, why []byte) {
	if m := t.ResultOf(id, nil, result, media, status, why); m != nil {
		m.Attributes = dialect.Attribute("parts", parts)
	}
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
