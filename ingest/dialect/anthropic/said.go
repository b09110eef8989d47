package anthropic

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// Said is what a message of the user's holds beside the results of tools. Its
// texts may alias the message.
type Said struct {
	Any        bool     // there is something
	Text       []byte   // its texts, on lines of their own
	Attributes string   // the types of its other parts: {"parts":["image"]}, or ""
	Reminders  [][]byte // what agents put between a user's texts that the user did not say
}

// ReadSaid reads the content of a user's message, a text or blocks: data is it
// as it stood, v the same. result is called with each result of a tool.
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
