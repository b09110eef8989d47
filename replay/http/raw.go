package replayhttp

import (
	"bytes"
	"encoding/base64"
	"unicode/utf8"

	"tapedeck/internal/jsonstring"
	"tapedeck/internal/wellformed"
	"tapedeck/replay"
	"tapedeck/schema"
)

// payloads encodes the content of frames in another transport's framing, for mode=raw.
type payloads struct {
	joined []byte // scratch of schema.Unframe
	lines  events // used for its method oneLine
}

// content removes the framing; false for a frame without a message.
func (p *payloads) content(f *schema.Frame) ([]byte, bool) {
	var c schema.Content
	c, p.joined = schema.Unframe(f, p.joined)
	return c.Data, !c.Empty
}

// appendSSE appends the payload as an SSE event without a name: a data line for each line of the
// payload. Binary messages, and bodies that are not text, are encoded as Base64.
func (p *payloads) appendSSE(dst []byte, f *replay.Frame) []byte {
	data, ok := p.content(&f.Frame)
	if !ok {
		return dst
	}
	if f.Flags.Has(schema.FlagBinary) ||
		(f.Transport == schema.HTTP || f.Transport == schema.EventStream) && !utf8.Valid(data) {
		data = base64.StdEncoding.AppendEncode(nil, data)
	}
	for {
		end := bytes.IndexAny(data, "\r\n")
		dst = append(dst, "data: "...)
		if end < 0 {
			dst = append(dst, data...)
			return append(dst, "\n\n"...)
		}
		dst = append(append(dst, data[:end]...), '\n')
		if data[end] == '\r' && end+1 < len(data) && data[end+1] == '\n' {
			end++
		}
		data = data[end+1:]
	}
}

// appendNDJSON appends the payload as one line. JSON on several lines loses its white space. Other
// text on several lines becomes a JSON string, a binary message a JSON string of Base64. Text on
// one line is unchanged.
func (p *payloads) appendNDJSON(dst []byte, f *replay.Frame) []byte {
	data, ok := p.content(&f.Frame)
	switch {
	case !ok:
		return dst
	case f.Flags.Has(schema.FlagBinary):
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, data)
		dst = append(dst, '"')
	case !bytes.ContainsAny(data, "\r\n"):
		dst = append(dst, data...)
	default:
		if wellformed.JSON(data) {
			if line, ok := p.lines.oneLine(data); ok {
				dst = append(dst, line...)
				break
			}
		}
		dst = jsonstring.Append(dst, string(data))
	}
	return append(dst, '\n')
}

// message returns the payload as a WebSocket message, and whether it is text. ok is false for a
// frame without a message.
func (p *payloads) message(f *replay.Frame) (data []byte, text, ok bool) {
	if f.Transport == schema.WebSocket { // an empty WebSocket message is a message too
		data, ok = f.Raw, !f.Flags.Has(schema.FlagNote)
	} else {
		data, ok = p.content(&f.Frame)
	}
	return data, !f.Flags.Has(schema.FlagBinary) && utf8.Valid(data), ok
}
