package openai

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// openTool begins a tool call.
func (d *responses) openTool(k *itemKind, value *fastjson.Value) *model.Tool {
	id := value.GetStringBytes(k.id)
	if k.id == "id" {
		if asked := value.GetStringBytes("approval_request_id"); len(asked) > 0 {
			id = asked // the call that waited for approval
		}
	}
	name := value.GetStringBytes("name")
	if len(name) == 0 {
		name = []byte(k.name)
	}
	if d.Ended(id) {
		return nil // seen before in this stream
	}
	tool := d.Tool(id, name)
	tool.Media = k.media
	if len(d.RunID) >= distinct && tool.Span.ID == "tool:"+tool.Span.CallID {
		tool.ArgumentsID = "arguments:" + tool.Span.CallID
	}
	if server := value.GetStringBytes("server_label"); len(server) > 0 && len(tool.Attrs) == 0 {
		tool.Attrs.AddText("server", string(server))
		d.Noted(tool)
	}
	return tool
}

// toolDone reads a whole tool call. One for the client waits for its result; one that the server
// executed has ended.
func (d *responses) toolDone(it *item, value *fastjson.Value, raw []byte) {
	k := it.kind
	if it.tool == nil {
		if it.tool = d.openTool(k, value); it.tool == nil {
			return
		}
		if k.runs == byServer {
			it.tool.Span.Started = 0 // only its end was seen
		}
	}
	status := value.GetStringBytes("status")
	input := memberText(value, raw, k.input)
	if k.runs == byClient && string(status) == "incomplete" {
		if it.tool.Arguments() == nil && len(input) > 0 {
			d.AppendArguments(it.tool, input) // the call is cut off
		}
		return
	}
	d.RepeatArguments(it.tool, input)
	if k.runs == byClient {
		d.handOver(it)
		return
	}
	if result := memberText(value, raw, k.result); len(result) > 0 {
		media := "json"
		if value.Get(k.result).Type() == fastjson.TypeString {
			media = "text"
		}
		d.Returned(it.tool, result, media)
	}
	why := errorOf(value)
	d.EndTool(it.tool, toolStatus(status, why), why)
	if k.name == "tool_search" {
		d.searched = it.tool // its result is an item of its own
	}
	it.tool = nil
}

func toolStatus(status, why []byte) schema.Status {
	switch {
	case string(status) == "failed" || len(why) > 0:
		return schema.StatusError
	case string(status) == "incomplete":
		return schema.StatusCancelled
	}
	return schema.StatusOK
}

// handOver records that the client has a call and executes it from now on.
func (d *responses) handOver(it *item) {
	if !it.ready {
		it.ready = true
		d.Start(it.tool)
		d.Wait(it.tool)
	}
}

// resultItem reads a result in the output itself: of a tool that the server executed. The result
// of the server's search for tools names no call: it belongs to the previous one.
func (d *responses) resultItem(k *itemKind, value *fastjson.Value, raw []byte) {
	id := value.GetStringBytes("call_id")
	if found := d.searched; k.result == "tools" && len(id) == 0 {
		if d.searched = nil; found != nil {
			d.Returned(found, dialect.RawMember(raw, k.result), "json")
			d.Emitter.CloseSpan(found.Span, found.Span.Status, d.Frame)
		}
		return
	}
	d.returned(k, id, value, raw)
}

// returned records the result of a call. If the status is a failure, the result is its error.
func (d *responses) returned(k *itemKind, id []byte, value *fastjson.Value, raw []byte) {
	text, media, parts := d.resultText(value.Get(k.result), dialect.RawMember(raw, k.result))
	status := toolStatus(value.GetStringBytes("status"), nil)
	var why []byte
	if status == schema.StatusError {
		why = text
	}
	d.ResultWithParts(id, text, media, parts, status, why)
}

// memberText returns a member as text: the content of a string, or JSON. names is written as in
// itemKind.
func memberText(value *fastjson.Value, raw []byte, names string) []byte {
	name, rest, _ := strings.Cut(names, "|")
	if name == "" {
		return nil
	}
	switch v := value.Get(name); {
	case v == nil || v.Type() == fastjson.TypeNull:
		return memberText(value, raw, rest)
	case v.Type() == fastjson.TypeString:
		return v.GetStringBytes()
	case v.Type() == fastjson.TypeArray && len(v.GetArray()) == 0:
		return nil
	}
	return dialect.RawMember(raw, name)
}

// input reads a part of a call's arguments, or all of them.
func (d *responses) input(v *fastjson.Value, e *event) {
	it := d.find(d.indexOf(v))
	if it == nil || it.tool == nil || it.done {
		return // the whole item has it
	}
	text := v.GetStringBytes(e.member)
	if e.kind == inputDelta {
		if len(text) > 0 {
			d.AppendArguments(it.tool, text)
		}
		return
	}
	d.RepeatArguments(it.tool, text)
	if it.kind.runs == byClient {
		d.handOver(it)
	}
}
