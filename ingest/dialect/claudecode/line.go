package claudecode

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// line is the present line.
type line struct {
	*dialect.Input
	v    *fastjson.Value
	data []byte
}

// text returns a member of the line that is a text, or nil.
func (l *line) text(name ...string) []byte { return l.v.GetStringBytes(name...) }

// session returns the id of the line's session, or nil. Its name differs in the file of a
// conversation.
func (l *line) session() []byte {
	if id := l.text("session_id"); len(id) > 0 {
		return id
	}
	return l.text("sessionId")
}

// raw returns a member of the line as JSON, or nil if it is missing or null.
func (l *line) raw(name string) []byte {
	raw := dialect.RawMember(l.data, name)
	if dialect.RawNull(raw) {
		return nil
	}
	return raw
}
