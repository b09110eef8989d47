package schema

import (
	"bytes"
	"strconv"
	"time"
)

// Content is the content of a frame without its transport's framing.
type Content struct {
	// Data is the message: a line without its terminator, the data lines of an
	// SSE event joined by "\n", a WebSocket message, the payload of an event stream's
	// message. It aliases the frame's Raw or the buffer given to Unframe.
	Data  []byte
	Event string        // SSE: the event field; event stream: the result of EventMessage.Event; "" for none
	ID    string        // SSE: the id field
	HasID bool          // SSE: an id field was present, maybe empty
	Retry time.Duration // SSE: the retry field, 0 for none
	// Empty reports that the frame has no message: it is a comment, blank lines or only an id.
	Empty bool
}

var bom = []byte("\xef\xbb\xbf")

// Unframe removes the transport's framing from a frame. buf is a buffer for joined data lines and
// may be nil; pass the returned buffer to the next call. Content is valid as long as Raw and that
// buffer are.
func Unframe(f *Frame, buf []byte) (Content, []byte) {
	switch f.Transport {
	case SSE:
		return unframeSSE(f.Raw, buf)
	case NDJSON:
		data := f.Raw
		if n := len(data); n > 1 && data[0] == '{' && data[n-1] == '\n' && !f.Flags.Has(FlagNote) { // nearly every line
			return Content{Data: bytes.TrimSuffix(data[:n-1], []byte("\r"))}, buf
		}
		if f.Seq == 0 {
			data = bytes.TrimPrefix(data, bom)
		}
		if members, ok := head(f.Flags, data); ok {
			buf = append(append(buf[:0], members...), '}')
			return Content{Data: buf}, buf
		}
		data = element(data)
		data = bytes.TrimSuffix(data, []byte("\n"))
		data = bytes.TrimSuffix(data, []byte("\r"))
		return Content{Data: data, Empty: f.Flags.Has(FlagNote) || len(bytes.TrimSpace(data)) == 0}, buf
	case EventStream:
		return unframeEvent(f.Raw), buf
	case NATS:
		if f.Flags.Has(FlagNote) || f.Flags.Has(FlagOversize) {
			return Content{Data: f.Raw, Empty: f.Flags.Has(FlagNote)}, buf
		}
		_, data := CutNATS(f.Raw)
		return Content{Data: data, Empty: len(data) == 0}, buf
	default:
		return Content{Data: f.Raw, Empty: len(f.Raw) == 0 || f.Flags.Has(FlagNote)}, buf
	}
}

// head returns the beginning of a conversation's object, up to the array of its messages. The
// elements of the array are the frames that follow. A head ends in the ":" of a member, which
// distinguishes it even from a line without a line end.
func head(flags Flags, raw []byte) ([]byte, bool) {
	if len(raw) == 0 || raw[len(raw)-1] != ':' && raw[len(raw)-1] != ' ' || flags.Has(FlagNote) ||
		flags.Has(FlagOversize) || flags.Has(FlagUnterminated) {
		return nil, false
	}
	members, colon := bytes.CutSuffix(bytes.TrimRight(raw, " "), []byte(":"))
	members, named := bytes.CutSuffix(members, []byte(`"messages"`))
	members = bytes.TrimSpace(members)
	if !colon || !named || !bytes.HasPrefix(members, []byte("{")) {
		return nil, false
	}
	return bytes.TrimSuffix(members, []byte(",")), true
}

// element removes the separator before an element of a JSON array: the "[" before the first
// element, the comma before the others. An element has no line end, unlike a line, and the first
// element does not end in "]", unlike a line that is an array.
func element(raw []byte) []byte {
	rest := bytes.TrimLeft(raw, " \t\r\n")
	if len(rest) == 0 || rest[0] != ',' && rest[0] != '[' || rest[len(rest)-1] == '\n' {
		return raw
	}
	inside := bytes.TrimLeft(rest[1:], " \t\r\n")
	switch {
	case len(inside) == 0:
		return raw
	case rest[0] == '[' && (inside[0] != '{' || inside[len(inside)-1] != '}'):
		return raw
	}
	return inside
}

// unframeSSE parses one event as specified in WHATWG HTML, section 9.2.6 ("Interpreting an event
// stream"), except that an event without its final blank line counts, so that its content is shown.
func unframeSSE(raw, buf []byte) (Content, []byte) {
	c := Content{Empty: true}
	raw = bytes.TrimPrefix(raw, bom)
	buf = buf[:0]
	lines := 0
	for len(raw) > 0 {
		var line []byte
		line, raw = cutLine(raw)
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			if lines == 0 {
				c.Data = value // common case: no copy
			} else {
				if lines == 1 {
					buf = append(buf, c.Data...)
				}
				buf = append(append(buf, '\n'), value...)
			}
			lines++
			c.Empty = false
		case "event":
			c.Event = string(value)
		case "id":
			if !bytes.ContainsRune(value, 0) {
				c.ID, c.HasID = string(value), true
			}
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				c.Retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
	if lines > 1 {
		c.Data = buf
	}
	return c, buf
}

// cutLine splits off the first line, which ends in CR LF, LF or CR.
func cutLine(p []byte) (line, rest []byte) {
	i := bytes.IndexAny(p, "\r\n")
	if i < 0 {
		return p, nil
	}
	if p[i] == '\r' && i+1 < len(p) && p[i+1] == '\n' {
		return p[:i], p[i+2:]
	}
	return p[:i], p[i+1:]
}
