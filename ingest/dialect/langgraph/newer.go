package langgraph

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// newer reads an event of the newer protocol: {type: "event", method, params: {namespace, data},
// seq, event_id}. Methods are the modes. The methods messages, tools and lifecycle have event
// types of their own.
func (d *decoder) newer(in *dialect.Input, method []byte) {
	v := in.JSON
	in.Type = dialect.Intern(method)
	if id := v.GetStringBytes("event_id"); id != nil {
		in.EventID = d.event.Own(id)
	}
	params := v.Get("params")
	ns := d.namespace(params.GetArray("namespace"))
	in.Node = d.inTask.Own([]byte(taskOf(ns)))
	data, raw := params.Get("data"), dialect.RawPath(in.Data, "params.data")
	if pair := data.GetArray(); len(pair) > 0 && pair[0].Exists("event") {
		data = pair[0]
	}
	event := string(data.GetStringBytes("event"))
	switch {
	case in.Type == "lifecycle":
		d.lifecycle(event, data, ns)
	case in.Type == "tools":
		d.inRun()
		d.toolEvent(event, data, raw)
	case in.Type == "messages" && event != "":
		d.messageEvent(event, data, raw, params, ns)
	case in.Type == "input.requested", in.Type == "input":
		d.inRun()
		d.broken = true
	case in.Type == "metadata":
		d.metadata(data)
	case in.Type == "error":
		d.failed(data)
	case in.Type == "checkpoints" && data.Get("config") == nil: // the envelope of a checkpoint
	default:
		if !d.mode(in.Type, ns, data, raw) {
			d.Unknown()
		}
	}
}

// namespace joins the parts of a namespace as in the names of events.
func (d *decoder) namespace(parts []*fastjson.Value) string {
	d.ids = d.ids[:0]
	for i, p := range parts {
		if i > 0 {
			d.ids = append(d.ids, '|')
		}
		d.ids = append(d.ids, p.GetStringBytes()...)
	}
	return dialect.Alias(d.ids)
}

// lifecycle reads the state of the graph or of a subgraph.
func (d *decoder) lifecycle(event string, data *fastjson.Value, ns string) {
	if ns != "" {
		return
	}
	if d.conv.Run() == nil {
		d.named(data.GetStringBytes("run_id"))
	}
	switch event {
	case "started", "running":
		d.inRun()
	case "completed":
		d.end(schema.StatusOK, nil)
	case "interrupted":
		d.inRun()
		d.broken = true
		d.end(schema.StatusOK, nil)
	case "cancelled", "canceled":
		d.end(schema.StatusCancelled, nil)
	case "failed":
		why := data.GetStringBytes("error")
		if why == nil {
			why = data.GetStringBytes("error", "message")
		}
		d.inRun()
		if len(why) > 0 {
			d.conv.Say(schema.MessageError, why)
		}
		d.end(schema.StatusError, why)
	default:
		d.Unknown()
	}
}

// messageEvent reads an event of a message that grows block by block. Only the first event names
// the message; the others belong to the growing message of their namespace.
func (d *decoder) messageEvent(event string, data *fastjson.Value, raw []byte, params *fastjson.Value, ns string) {
	if event == "message-start" {
		if role := data.GetStringBytes("role"); role != nil && string(role) != "ai" && string(role) != "assistant" {
			return
		}
		if a := d.growing(data.GetStringBytes("id")); a != nil {
			a.ns, a.source = string([]byte(ns)), blocks
			a.node = string(params.GetStringBytes("node"))
			if task := taskOf(ns); task != "" {
				a.span.Node = a.ns[len(a.ns)-len(task):]
				d.within(a, d.node([]byte(task)))
			}
			d.made(a, data.Get("metadata"))
		}
		return
	}
	a := d.growsIn(ns)
	if a == nil {
		return
	}
	switch event {
	case "content-block-start", "content-block-delta":
		d.blockPiece(a, data)
	case "content-block-finish":
		if c := blockOf(data); c != nil && string(c.GetStringBytes("type")) == "tool_call" {
			args := dialect.RawPath(raw, "content.args")
			if args == nil {
				args = dialect.RawPath(raw, "content_block.args")
			}
			d.wholeCall(a, c, args)
		}
	case "message-finish":
		d.used(a, dialect.RawMember(raw, "usage"), true)
		a.said = d.Frame.At
		d.finish(a, schema.StatusOK)
	case "error":
		if why := data.GetStringBytes("message"); len(why) > 0 {
			d.conv.Say(schema.MessageError, why)
		}
		d.finish(a, schema.StatusError)
	default:
		d.Unknown()
	}
}

// growsIn returns the latest growing message of a namespace.
func (d *decoder) growsIn(ns string) *answer {
	for i := len(d.answers) - 1; i >= 0; i-- {
		if a := d.answers[i]; a.source == blocks && !a.done && a.ns == ns {
			return a
		}
	}
	return nil
}

func blockOf(data *fastjson.Value) *fastjson.Value {
	if c := object(data, "content"); c != nil {
		return c
	}
	return object(data, "content_block")
}

// blockPiece reads the start of a block or a delta.
func (d *decoder) blockPiece(a *answer, data *fastjson.Value) {
	piece := object(data, "delta")
	if piece == nil {
		piece = blockOf(data)
	}
	if fields := object(piece, "fields"); fields != nil {
		piece = fields
	}
	if piece == nil {
		return
	}
	switch string(piece.GetStringBytes("type")) {
	case "text", "text-delta":
		d.say(a, piece.GetStringBytes("text"), nil, false)
	case "reasoning", "reasoning-delta":
		d.say(a, nil, piece.GetStringBytes("reasoning"), false)
	case "tool_call_chunk":
		d.callChunk(a, piece)
	}
}

// toolEvent reads an event of a tool's execution.
func (d *decoder) toolEvent(event string, data *fastjson.Value, raw []byte) {
	id, name := data.GetStringBytes("tool_call_id"), data.GetStringBytes("tool_name")
	if id == nil || d.conv.Ended(id) {
		return
	}
	switch event {
	case "tool-started":
		t := d.conv.Tool(id, name)
		if input := dialect.RawMember(raw, "input"); len(t.Arguments()) == 0 && len(input) > 0 && input[0] == '{' {
			d.conv.SetArguments(t, input)
		}
		d.conv.Start(t)
	case "tool-output-delta":
		if t := d.conv.OpenTool(id); t != nil {
			d.conv.Print(t, data.GetStringBytes("delta"))
		}
	case "tool-finished":
		output, media := data.GetStringBytes("output"), "text"
		if k, m, _ := plain(data.Get("output"), nil); k == tool {
			d.result(m)
			return
		}
		if output == nil {
			output, media = dialect.RawMember(raw, "output"), "json"
		}
		d.conv.ResultOf(id, name, output, media, schema.StatusOK, nil)
	case "tool-error":
		d.conv.ResultOf(id, name, nil, "", schema.StatusError, dialect.FirstText(data, "message", "error"))
	default:
		d.Unknown()
	}
}
