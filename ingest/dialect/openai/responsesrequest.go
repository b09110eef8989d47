package openai

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

const typeCreate = "response.create"

// request reads a request. A response that is streamed, or made in the background, begins once
// its id is known, which is at once. A response that is not streamed begins here.
func (d *responses) request(in *dialect.Input) {
	v := in.JSON
	typ := v.GetStringBytes("type")
	input := v.Get("input")
	switch {
	case d.view:
		d.Frame.Type = typeRequest
		return
	case string(typ) == typeCreate:
		d.Frame.Type = typeCreate
	case len(typ) == 0 && (input != nil || v.Get("model") != nil):
		d.Frame.Type = typeRequest
	default:
		d.Frame.Type = dialect.Intern(typ)
		d.Unknown()
		return
	}
	if string(typ) == typeCreate {
		d.leave()
	} else {
		d.Leave()
	}
	d.forget()
	d.ForgetModel()
	d.counted = nil
	d.Session = string(conversationOf(v))
	d.count.counting = false
	d.RequestModel(v.GetStringBytes("model"))
	streamed := len(typ) > 0 || v.GetBool("stream") || v.GetBool("background")
	if streamed {
		d.waiting = &moment{d.Frame.Seq, d.Frame.At}
	} else {
		d.OpenRun("")
	}
	d.instruct(v, input)
	d.offer(in.Data)
	if !d.compact { // a compaction is made of messages of earlier requests
		d.inputs(input, dialect.RawMember(in.Data, "input"))
	}
	if !streamed {
		d.OpenCall()
	}
}

func conversationOf(v *fastjson.Value) []byte {
	c := v.Get("conversation")
	if c != nil && c.Type() == fastjson.TypeString {
		return c.GetStringBytes()
	}
	return c.GetStringBytes("id")
}

// inputs records the new part of the input: what follows the model's last output.
func (d *responses) inputs(v *fastjson.Value, raw []byte) {
	if v == nil {
		return
	}
	if v.Type() == fastjson.TypeString {
		d.ask(v)
		return
	}
	items := v.GetArray()
	dialect.Elements(items, raw, dialect.NewSince(items, ofModel, false), d.newItem)
}

// instruct records the system prompt: the instructions, and the messages of the system and the
// developer at the beginning of the input.
func (d *responses) instruct(v, input *fastjson.Value) {
	if text := v.GetStringBytes("instructions"); len(text) > 0 {
		d.Instruct(text)
	}
	d.instructions(input.GetArray())
}

// ofModel reports whether an item of a request is earlier output of the model.
func ofModel(it *fastjson.Value) bool {
	typ := it.GetStringBytes("type")
	switch string(typ) {
	case "", "message":
		return dialect.IsAssistant(it)
	case "reasoning", "item_reference", "compaction", "mcp_list_tools", "mcp_approval_request", "program", "program_output":
		return true
	case "tool_search_output":
		return string(it.GetStringBytes("execution")) == "server"
	}
	return bytes.HasSuffix(typ, []byte("_call"))
}

// newItem reads a new item of a request.
func (d *responses) newItem(_ int, it *fastjson.Value, raw []byte) {
	typ := it.GetStringBytes("type")
	switch {
	case len(typ) == 0 || string(typ) == "message":
		if string(it.GetStringBytes("role")) == "user" {
			d.ask(it.Get("content"))
		}
	case string(typ) == "mcp_approval_response":
		if a := it.Get("approve"); a != nil && a.Type() == fastjson.TypeFalse {
			d.ResultOf(it.GetStringBytes("approval_request_id"), nil, nil, "text", schema.StatusRejected, it.GetStringBytes("reason"))
		}
	case string(typ) == "tool_search_output":
		d.returned(itemKinds["tool_search_output"], it.GetStringBytes("call_id"), it, raw)
	case bytes.HasSuffix(typ, []byte("_call_output")):
		d.returned(otherResult, dialect.FirstText(it, "call_id", "id"), it, raw)
	}
}
