package dialecttest

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Line returns the input of a frame, for tests of a dialect's Match. A line with the prefix "> "
// was sent. A line with the prefix "head " is the head of a request or an answer, with "
// " between its lines. Any other line was received.
func Line(line string) *dialect.Input {
	if head, ok := strings.CutPrefix(line, "head "); ok {
		raw := strings.ReplaceAll(head, "|", "\r\n") + "\r\n\r\n"
		return &dialect.Input{Frame: &schema.Frame{Transport: schema.HTTP, Flags: schema.FlagNote, Raw: []byte(raw)}}
	}
	in := &dialect.Input{Frame: &schema.Frame{}}
	if rest, ok := strings.CutPrefix(line, "> "); ok {
		line, in.Direction = rest, schema.Send
	}
	in.Data = []byte(line)
	if fastjson.Validate(line) == nil {
		in.JSON = fastjson.MustParse(line)
	}
	return in
}
