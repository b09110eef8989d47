package anthropic

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// startTool begins a tool call.
func (m *Messages) startTool(b *block, typ, data []byte, v *fastjson.Value) {
	t := m.trace
	id := v.GetStringBytes("id")
	if t.Ended(id) {
		return // the call and its result were seen before
	}
	b.tool = t.Tool(id, v.GetStringBytes("name"))
	b.serving = string(typ) != "tool_use"
	if raw := dialect.RawMember(data, "server_name"); len(raw) > 2 && b.tool.Attrs == nil {
		b.tool.Attrs.AddRaw("server_name", raw)
		t.Noted(b.tool)
	}
	if raw := dialect.RawMember(data, "input"); len(raw) > 0 && string(raw) != "null" {
		b.input = bytes.Clone(raw)
	}
}

// stopTool completes a call's arguments. The server, the agent or the client executes it from now
// on.
func (m *Messages) stopTool(b *block) {
	t, tool := m.trace, b.tool
	if tool.Span.Status.Ended() {
		return // the result came before
	}
	if len(tool.Arguments()) == 0 {
		t.SetArguments(tool, b.input)
	}
	if len(tool.Arguments()) > 0 && !wellformed.JSON(tool.Arguments()) {
		return // the arguments were cut off, so that the call cannot be executed
	}
	t.FinishArguments(tool)
	t.Start(tool)
	if !b.serving && !m.Agent {
		t.Wait(tool)
	}
}

// result reads the result block of a tool of the server.
func (m *Messages) result(data []byte, v *fastjson.Value) {
	id := v.GetStringBytes("tool_use_id")
	if len(id) == 0 {
		return
	}
	text, media, parts := ResultText(dialect.RawMember(data, "content"), v.Get("content"))
	status, why := ResultStatus(v, text)
	m.trace.ResultWithParts(id, text, media, parts, status, why)
	m.trace.FirstToken()
}

// ResultStatus returns how the call of a result block ended. why is the error of a failed call: a
// code, or the result's text.
func ResultStatus(v *fastjson.Value, text []byte) (status schema.Status, why []byte) {
	content := v.Get("content")
	switch {
	case bytes.HasSuffix(content.GetStringBytes("type"), []byte("_error")):
		if code := content.GetStringBytes("error_code"); len(code) > 0 {
			text = code
		}
	case !v.GetBool("is_error"):
		return schema.StatusOK, nil
	}
	return schema.StatusError, text
}

// resultLimit bounds content that is kept as JSON, bytes, as images are long.
const resultLimit = 64 << 10

// ResultText returns the content of a result block: its texts (media "text"), or if it has other
// contents, such as images, its JSON (media "json"). For JSON that is too long it returns the texts
// only, and lists the types of the other contents in parts, a JSON array. text is nil without
// content. It may alias v and data.
func ResultText(data []byte, v *fastjson.Value) (text []byte, media string, parts []byte) {
	if v == nil || v.Type() == fastjson.TypeNull {
		return nil, "text", nil
	}
	if v.Type() == fastjson.TypeString {
		return notNil(v.GetStringBytes()), "text", nil
	}
	if v.Type() != fastjson.TypeArray {
		return data, "json", nil
	}
	others := false
	for _, b := range v.GetArray() {
		part := b.GetStringBytes("text")
		switch {
		case string(b.GetStringBytes("type")) != "text":
			others = true
		case text == nil:
			text = part[:len(part):len(part)] // a later append must not write after it
		default:
			text = append(append(text, '\n'), part...)
		}
	}
	if !others {
		return notNil(text), "text", nil
	}
	if len(data) <= resultLimit {
		return data, "json", nil
	}
	return notNil(text), "text", dialect.OtherParts(data)
}

func notNil(text []byte) []byte {
	if text == nil {
		return []byte{}
	}
	return text
}
