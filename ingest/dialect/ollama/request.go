package ollama

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// request reads the new part of a request's body. Earlier requests had the messages up to the
// model's last one.
func (d *decoder) request(v *fastjson.Value, raw []byte) string {
	if v.GetStringBytes("model") == nil {
		d.Unknown()
		return typeRequest
	}
	if d.Run() == nil || d.spoke { // no head was recorded
		d.Leave()
		d.begin()
	}
	d.spoke = true
	d.RequestModel(v.GetStringBytes("model"))
	d.Instruct(v.GetStringBytes("system"))
	d.InstructWith(dialect.RawMember(raw, "messages"))
	d.Offer(model.ToolsOf(dialect.RawMember(raw, "tools"), "function.name"))
	if prompt := v.GetStringBytes("prompt"); len(prompt) > 0 {
		d.ask(prompt, v.GetArray("images"))
	}
	messages := v.GetArray("messages")
	first := dialect.NewSince(messages, dialect.IsAssistant, true)
	dialect.Elements(messages, dialect.RawMember(raw, "messages"), first, d.newMessage)
	return typeRequest
}

// newMessage reads a new message of a request. A tool result mostly names its tool and has no id;
// its call is then not known.
func (d *decoder) newMessage(_ int, m *fastjson.Value, raw []byte) {
	content := m.GetStringBytes("content")
	switch string(m.GetStringBytes("role")) {
	case "user":
		d.ask(content, m.GetArray("images"))
	case "tool":
		name := dialect.FirstText(m, "tool_name", "name")
		if id := m.GetStringBytes("tool_call_id"); len(id) > 0 {
			d.ResultOf(id, name, content, "text", schema.StatusOK, nil)
			return
		}
		result := d.Say(schema.MessageResult, content)
		result.Name, result.Span = string(name), d.Run().ID
	}
}

// ask records a message of the user.
func (d *decoder) ask(text []byte, images []*fastjson.Value) {
	m := d.UserMessage(text)
	var parts dialect.List
	for range min(len(images), 16) {
		parts.AddText([]byte("image"))
	}
	m.Attributes = dialect.Attribute("parts", parts.JSON())
}
