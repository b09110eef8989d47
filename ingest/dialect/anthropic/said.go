package anthropic

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// Said is the content of a user's message without the results of tools. Its texts may alias the
// message.
type Said struct {
	Any        bool     // the message has such content
	Text       []byte   // the texts, one a line
	Attributes string   // the types of the other parts: {"parts":["image"]}, or ""
	Reminders  [][]byte // texts that agents add to the user's message
}

// ReadSaid reads the content of a user's message, a text or blocks. data is its JSON and v the
// same, parsed. It calls result with each result of a tool.
func ReadSaid(data []byte, v *fastjson.Value, result func(data []byte, v *fastjson.Value)) (s Said) {
	if v != nil && v.Type() == fastjson.TypeString {
		return Said{Any: true, Text: v.GetStringBytes()}
	}
	var parts dialect.List
	texts := 0
	dialect.Elements(v.GetArray(), data, 0, func(_ int, b *fastjson.Value, raw []byte) {
		switch string(b.GetStringBytes("type")) {
		case "text":
			part := b.GetStringBytes("text")
			if bytes.HasPrefix(bytes.TrimSpace(part), []byte("<system-reminder>")) {
				s.Reminders = append(s.Reminders, part)
				break
			}
			if texts++; texts > 1 {
				s.Text = append(s.Text, '\n')
			}
			s.Text = append(s.Text, part...)
		case "tool_result":
			result(raw, b)
		default:
			typ := dialect.RawMember(raw, "type")
			if typ == nil {
				typ = []byte("null")
			}
			parts.Add(typ)
		}
	})
	s.Attributes = dialect.Attribute("parts", parts.JSON())
	s.Any = texts > 0 || len(parts) > 0
	return s
}
