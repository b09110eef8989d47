package cohere

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// request reads the new part of a request's body. Earlier requests had the messages up to the
// model's last one.
func (d *decoder) request(v *fastjson.Value, raw []byte) string {
	messages := v.GetArray("messages")
	if len(messages) == 0 {
		d.Unknown()
		return typeRequest
	}
	if d.Run() == nil || d.begun { // no head was recorded
		d.Leave()
		d.asks()
	}
	d.RequestModel(v.GetStringBytes("model"))
	d.InstructWith(dialect.RawMember(raw, "messages"))
	d.Offer(model.ToolsOf(dialect.RawMember(raw, "tools"), "function.name"))
	first := dialect.NewSince(messages, dialect.IsAssistant, false)
	dialect.Elements(messages, dialect.RawMember(raw, "messages"), first, d.newMessage)
	return typeRequest
}

// newMessage reads a new message of a request.
func (d *decoder) newMessage(_ int, m *fastjson.Value, raw []byte) {
	content := dialect.RawMember(raw, "content")
	switch string(m.GetStringBytes("role")) {
	case "user":
		said := d.UserMessage(dialect.RawWords(content))
		said.Attributes = dialect.Attribute("parts", otherParts(m.GetArray("content")))
		d.AwaitID(said)
	case "tool":
		result, media := dialect.RawWords(content), "text"
		if len(result) == 0 {
			result, media = dialect.RawContent(content)
		}
		var parts []byte
		if media == "text" {
			parts = otherParts(m.GetArray("content"))
		}
		d.ResultWithParts(m.GetStringBytes("tool_call_id"), result, media, parts, schema.StatusOK, nil)
	}
}

// otherParts returns the types of parts that are not text, as a JSON array.
func otherParts(parts []*fastjson.Value) []byte {
	var kinds dialect.List
	for _, part := range parts {
		if kind := part.GetStringBytes("type"); len(kind) > 0 && string(kind) != "text" && len(kinds) < 256 {
			kinds.AddText(kind)
		}
	}
	return kinds.JSON()
}
