package realtime

import (
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// item is a part of a response's output.
type item struct {
	id     string
	tool   *model.Tool
	client bool // the client executes its tool
	ready  bool // the client has the call
	done   bool
	parts  uint64 // bits of the parts with a text
}

// itemLimit bounds the items of a response.
const itemLimit = 256

// spoken is the attribute of transcribed speech.
const spoken = `{"spoken":true}`

// item returns the item with an id, and begins one if there is none. It is valid until the next
// call.
func (a *answer) item(id []byte) *item {
	for i := len(a.items) - 1; i >= 0; i-- {
		if a.items[i].id == string(id) {
			return &a.items[i]
		}
	}
	a.items = dialect.AppendRecent(a.items, item{id: string(id)}, itemLimit)
	return &a.items[len(a.items)-1]
}

func (a *answer) itemAdded(in *dialect.Input) {
	a.in(in.JSON)
	v := in.JSON.Get("item")
	a.openTool(a.item(v.GetStringBytes("id")), v)
}

func (a *answer) itemDone(in *dialect.Input) {
	a.in(in.JSON)
	a.whole(in.JSON.Get("item"), dialect.RawMember(in.Data, "item"))
}

// openTool begins the call of an item. The client executes functions and approves calls; the server
// executes calls of MCP.
func (a *answer) openTool(it *item, v *fastjson.Value) {
	member := "id"
	switch string(v.GetStringBytes("type")) {
	case "function_call":
		member, it.client = "call_id", true
	case "mcp_approval_request":
		it.client = true
	case "mcp_call":
	default:
		return
	}
	id := v.GetStringBytes(member)
	if approved := v.GetStringBytes("approval_request_id"); len(approved) > 0 {
		id = approved
	}
	if it.tool != nil || it.done || a.Ended(id) {
		return
	}
	it.tool = a.Tool(id, v.GetStringBytes("name"))
	if server := v.GetStringBytes("server_label"); len(server) > 0 && len(it.tool.Attrs) == 0 {
		it.tool.Attrs.AddText("server", string(server))
		a.Noted(it.tool)
	}
}

// whole reads the new part of a whole item.
func (a *answer) whole(v *fastjson.Value, raw []byte) {
	it := a.item(v.GetStringBytes("id"))
	if it.done {
		return
	}
	a.openTool(it, v)
	it.done = true
	if it.tool == nil {
		for i, part := range v.GetArray("content") {
			a.part(it, i, part)
		}
		return
	}
	arguments := v.GetStringBytes("arguments")
	if string(v.GetStringBytes("status")) == "incomplete" {
		if it.tool.Arguments() == nil && len(arguments) > 0 {
			a.AppendArguments(it.tool, arguments) // the call is cut off
		}
		return
	}
	a.RepeatArguments(it.tool, arguments)
	if it.client {
		a.handOver(it)
	} else {
		a.returned(it, v, raw)
	}
}

// handOver records that the client has a call and executes it from now on.
func (a *answer) handOver(it *item) {
	if !it.ready {
		it.ready = true
		a.Start(it.tool)
		a.Wait(it.tool)
	}
}

// returned ends a call that the server executed.
func (a *answer) returned(it *item, v *fastjson.Value, raw []byte) {
	if out := v.GetStringBytes("output"); len(out) > 0 {
		a.Returned(it.tool, out, "text")
	}
	status := schema.StatusOK
	var why []byte
	if e := v.Get("error"); !dialect.IsNull(e) {
		status, why = schema.StatusError, dialect.FirstText(e, "message", "type")
		if why == nil {
			why = dialect.RawMember(raw, "error")
		}
	}
	a.EndTool(it.tool, status, why)
	it.tool = nil
}

func (a *answer) argumentsDelta(in *dialect.Input) {
	if tool := a.toolOf(in.JSON); tool != nil {
		a.AppendArguments(tool, in.JSON.GetStringBytes("delta"))
	}
}

func (a *answer) argumentsDone(in *dialect.Input) {
	tool := a.toolOf(in.JSON)
	if tool == nil {
		return
	}
	a.RepeatArguments(tool, in.JSON.GetStringBytes("arguments"))
	if it := a.item(in.JSON.GetStringBytes("item_id")); it.client {
		a.handOver(it)
	}
}

// toolOf returns the call that an event continues, or nil for one that has ended. If its start was
// not seen the event shows its kind: a function has a call_id.
func (a *answer) toolOf(v *fastjson.Value) *model.Tool {
	a.in(v)
	it := a.item(v.GetStringBytes("item_id"))
	if id := v.GetStringBytes("call_id"); it.tool == nil && !it.done && len(id) > 0 && !a.Ended(id) {
		it.tool, it.client = a.Tool(id, v.GetStringBytes("name")), true
	}
	return it.tool
}

func (a *answer) textDelta(in *dialect.Input)   { a.delta(in.JSON, "") }
func (a *answer) spokenDelta(in *dialect.Input) { a.delta(in.JSON, spoken) }
func (a *answer) textDone(in *dialect.Input)    { a.entire(in.JSON, "text", "") }
func (a *answer) spokenDone(in *dialect.Input)  { a.entire(in.JSON, "transcript", spoken) }

// sound reads a piece of audio. The transcript has its text.
func (a *answer) sound(in *dialect.Input) {
	a.in(in.JSON)
	a.FirstToken()
}

// delta adds to a part of an item.
func (a *answer) delta(v *fastjson.Value, attributes string) {
	a.in(v)
	it, n := a.item(v.GetStringBytes("item_id")), v.GetInt("content_index")
	text := v.GetStringBytes("delta")
	if it.done || n < 0 || len(text) == 0 {
		return
	}
	a.growing(it, n, attributes)
	a.Append(schema.MessageAssistant, a.partKey(it, n), text)
}

// entire sets the whole text of a part.
func (a *answer) entire(v *fastjson.Value, member, attributes string) {
	a.in(v)
	it, n := a.item(v.GetStringBytes("item_id")), v.GetInt("content_index")
	if !it.done && n >= 0 {
		a.say(it, n, v.GetStringBytes(member), attributes)
	}
}

func (a *answer) partDone(in *dialect.Input) {
	a.in(in.JSON)
	it, n := a.item(in.JSON.GetStringBytes("item_id")), in.JSON.GetInt("content_index")
	if !it.done && n >= 0 {
		a.part(it, n, in.JSON.Get("part"))
	}
}

// part reads a whole part.
func (a *answer) part(it *item, n int, part *fastjson.Value) {
	if text := part.GetStringBytes("transcript"); len(text) > 0 {
		a.say(it, n, text, spoken)
	} else if text := part.GetStringBytes("text"); len(text) > 0 {
		a.say(it, n, text, "")
	}
}

// say sets the text of a part, unless it is known, and completes it.
func (a *answer) say(it *item, n int, text []byte, attributes string) {
	bit := uint64(1) << min(uint(n), 63)
	m := a.Growing(schema.MessageAssistant, a.partKey(it, n))
	if m == nil && (it.parts&bit != 0 || len(text) == 0) {
		return
	}
	m = a.growing(it, n, attributes)
	if len(text) > 0 && string(m.TextSoFar()) != string(text) {
		a.Emitter.SetText(m, text, a.Frame)
		a.FirstToken()
	}
	a.Complete(schema.MessageAssistant, a.partKey(it, n))
}

// growing returns the message of a part, and begins it if there is none.
func (a *answer) growing(it *item, n int, attributes string) *dialect.Message {
	key := a.partKey(it, n)
	m := a.Growing(schema.MessageAssistant, key)
	if m != nil {
		return m
	}
	it.parts |= uint64(1) << min(uint(n), 63)
	if len(it.id) < distinct {
		m = a.BeginText(schema.MessageAssistant, key)
	} else {
		m = a.BeginTextAs(schema.MessageAssistant, key, "assistant:"+string(key))
	}
	m.Attributes = attributes
	return m
}

// partKey returns the key of a part of an item: "<item>.<part>".
func (a *answer) partKey(it *item, n int) []byte {
	a.key = append(append(a.key[:0], it.id...), '.')
	a.key = strconv.AppendInt(a.key, int64(n), 10)
	return a.key
}
