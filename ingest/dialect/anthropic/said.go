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
	Reminders  [][]byte // what agents put between a user's words that the user did not say
}

// ReadSaid reads the content of a user's message, a text or blocks: data is it
// as it stood, v the same. result is called with each result of a tool.
func ReadSaid(data []byte, v *fastjson.Value, result func(data []byte, v *fastjson.Value)) (s Said) {
	if v != nil && v.Type() == fastjson.TypeString {
		return Said{Any: true, Text: v.GetStringBytes()}
	}
	var parts []byte
	texts, blocks, i := 0, v.GetArray(), 0
	dialect.RawElements(data, func(raw []byte) bool {
		if i >= len(blocks) {
			return false
		}
		b := blocks[i]
		i++
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
			parts = append(next(parts), typ...)
		}
		return true
	})
	if len(parts) > 0 {
		s.Attributes = `{"parts":` + string(parts) + "]}"
	}
	s.Any = texts > 0 || len(parts) > 0
	return s
}
