package anthropic

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// startTool begins a call that the model asks for.
func (m *Messages) startTool(b *block, typ, data []byte, v *fastjson.Value) {
	t := m.trace
	id := v.GetStringBytes("id")
	if t.Ended(id) {
		return // seen before, with its result
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

// stopTool says that a call's arguments are complete. From now on the server or
// the agent executes it, or the client is to.
func (m *Messages) stopTool(b *block) {
	t, tool := m.trace, b.tool
	if tool.Span.Status.Ended() {
		return // its result was quicker
	}
	if len(tool.Arguments()) == 0 {
		t.SetArguments(tool, b.input)
	}
	if len(tool.Arguments()) > 0 && !wellformed.JSON(tool.Arguments()) {
		return // cut off: nobody can execute it
	}
	t.FinishArguments(tool)
	t.Start(tool)
	if !b.serving && !m.Agent {
		t.Wait(tool)
	}
}

// result reads the block with which a server's tool ends.
func (m *Messages) result(data []byte, v *fastjson.Value) {
	id := v.GetStringBytes("tool_use_id")
	if len(id) == 0 {
		return
	}
	text, media := ResultText(dialect.RawMember(data, "content"), v.Get("content"))
	status, why := ResultStatus(v, text)
	m.trace.ResultOf(id, nil, text, media, status, why)
	m.trace.FirstToken()
}

// ResultStatus reads off a result block how its call ended. Where it failed
// why is what went wrong: a code, or the result's text.
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

// resultLimit bounds content that is kept as it stands, bytes: images are long.
const resultLimit = 64 << 10

// ResultText returns the content of a result block as a text, where it is one or
// consists of texts, and otherwise as it stands, with its media: "text" or
// "json". Of content that is too long for that only the texts are given. Nil
// says that there is no content. The text may alias v and data.
func ResultText(data []byte, v *fastjson.Value) (text []byte, media string) {
	if v == nil || v.Type() == fastjson.TypeNull {
		return nil, "text"
	}
	if v.Type() == fastjson.TypeString {
		return notNil(v.GetStringBytes()), "text"
	}
	if v.Type() != fastjson.TypeArray {
		return data, "json"
	}
	for _, b := range v.GetArray() {
		part := b.GetStringBytes("text")
		switch {
		case string(b.GetStringBytes("type")) != "text":
			if len(data) <= resultLimit {
				return data, "json"
			}
		case text == nil:
			text = part[:len(part):len(part)] // the next is not to be written behind it
		default:
			text = append(append(text, '\n'), part...)
		}
	}
	return notNil(text), "text"
}

func notNil(text []byte) []byte {
	if text == nil {
		return []byte{}
	}
	return text
}
