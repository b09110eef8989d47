package langgraph

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// call is a tool call in an answer.
type call struct {
	index int // -1 without one
	id    string
	whole []byte // its arguments so far, in growing snapshots
}

// Bounds of an answer's calls.
const (
	openCalls     = 64
	argumentsKept = 1 << 20 // bytes
)

// tool returns the tool call in progress with an id, below the node of the answer. It returns nil
// for a call that has ended.
func (d *decoder) tool(a *answer, id, name []byte) *model.Tool {
	if d.conv.Ended(id) {
		return nil
	}
	fresh := d.conv.OpenTool(id) == nil
	t := d.conv.Tool(id, name)
	if fresh {
		if len(id) > 0 {
			t.ArgumentsID = "arguments:" + t.Span.CallID
		}
		t.Span.Parent, t.Span.Node = a.span.Parent, a.span.Node
	}
	return t
}

// callOf returns an answer's call by its id, or else by its index.
func (a *answer) callOf(id []byte, index int) *call {
	for i := range a.calls {
		if c := &a.calls[i]; len(id) > 0 && c.id == string(id) || len(id) == 0 && index >= 0 && c.index == index {
			return c
		}
	}
	if len(id) > 0 && len(a.calls) < openCalls {
		a.calls = append(a.calls, call{index: index, id: string(id)})
		return &a.calls[len(a.calls)-1]
	}
	if len(id) == 0 && index < 0 && len(a.calls) > 0 {
		return &a.calls[len(a.calls)-1]
	}
	return nil
}

// callChunk reads a tool_call_chunk: {name, args, id, index}. Only the first chunk of a call has
// its id and name.
func (d *decoder) callChunk(a *answer, v *fastjson.Value) {
	index := -1
	if n := v.Get("index"); n != nil && n.Type() == fastjson.TypeNumber {
		index = n.GetInt()
	}
	c := a.callOf(v.GetStringBytes("id"), index)
	if c == nil {
		return
	}
	t := d.tool(a, []byte(c.id), v.GetStringBytes("name"))
	if t == nil {
		return
	}
	if args := v.GetStringBytes("args"); len(args) > 0 {
		d.conv.AppendArguments(t, args)
	}
	d.conv.Start(t)
	d.spoke(a)
}

// wholeCalls reads the tool_calls of a message: {name, args: {…}, id}. They grow with the
// message, and their arguments are held back until it is complete.
func (d *decoder) wholeCalls(a *answer, m *fastjson.Value, raw []byte) {
	calls := m.GetArray("tool_calls")
	calls = calls[:min(len(calls), openCalls)]
	dialect.Elements(calls, dialect.RawMember(raw, "tool_calls"), 0, func(_ int, v *fastjson.Value, raw []byte) {
		d.wholeCall(a, v, dialect.RawMember(raw, "args"))
	})
}

func (d *decoder) wholeCall(a *answer, v *fastjson.Value, args []byte) {
	id := v.GetStringBytes("id")
	c := a.callOf(id, -1)
	if c == nil || len(id) == 0 {
		return
	}
	t := d.tool(a, id, v.GetStringBytes("name"))
	if t == nil {
		return
	}
	if !bytes.Equal(c.whole, args) && len(args) <= argumentsKept {
		c.whole = append(c.whole[:0], args...)
		d.spoke(a)
		if !a.done {
			d.conv.Start(t)
		}
	}
}

// finishArguments completes the arguments of an answer's calls.
func (d *decoder) finishArguments(a *answer) {
	for i := range a.calls {
		c := &a.calls[i]
		t := d.conv.OpenTool([]byte(c.id))
		if t == nil {
			continue
		}
		if len(t.Arguments()) == 0 && len(c.whole) > 0 {
			d.conv.SetArguments(t, c.whole)
		}
		d.conv.FinishArguments(t)
		c.whole = nil
	}
}

// result reads a message of a tool.
func (d *decoder) result(m *fastjson.Value) {
	id := m.GetStringBytes("tool_call_id")
	if id == nil {
		d.Unknown()
		return
	}
	if d.conv.Ended(id) {
		return
	}
	for _, a := range d.answers {
		for i := range a.calls {
			if a.calls[i].id == string(id) {
				d.finish(a, schema.StatusOK)
			}
		}
	}
	d.note(m.GetStringBytes("id"))
	text, _ := d.content(m)
	media := "text"
	if c := m.Get("content"); len(text) == 0 && c != nil && c.Type() != fastjson.TypeString && c.Type() != fastjson.TypeNull {
		d.texts = c.MarshalTo(d.texts[:0])
		text, media = d.texts, "json"
	}
	status, why := schema.StatusOK, []byte(nil)
	if string(m.GetStringBytes("status")) == "error" {
		status, why = schema.StatusError, text
	}
	if text == nil {
		text = []byte{}
	}
	d.conv.ResultOf(id, m.GetStringBytes("name"), text, media, status, why)
}
