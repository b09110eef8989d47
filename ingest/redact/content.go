package redact

import (
	"bytes"
	"encoding/json"

	"tapedeck/schema"
)

var dataField = []byte("data:")

// content returns the range of a frame that the next frame may continue: the data fields of an
// event, from the first to the last, and the whole of any other frame.
func content(f *schema.Frame) (from, to int) {
	if f.Transport != schema.SSE || f.Flags&(schema.FlagOversize|schema.FlagNote) != 0 {
		return 0, len(f.Raw)
	}
	from, to = -1, len(f.Raw)
	for at := 0; at < len(f.Raw); {
		end := len(f.Raw)
		if n := bytes.IndexAny(f.Raw[at:], "\r\n"); n >= 0 {
			end = at + n
		}
		if bytes.HasPrefix(f.Raw[at:end], dataField) {
			to = end
			if from < 0 {
				if from = at + len(dataField); from < end && f.Raw[from] == ' ' {
					from++
				}
			}
		}
		at = end + 1
	}
	if from < 0 {
		return 0, len(f.Raw)
	}
	return from, to
}

// mayBePiece reports whether a frame that begins like JSON may be part of a plain text: a frame
// that does not end like JSON, or a string or a number that follows plain text.
func mayBePiece(f *schema.Frame, plain bool) bool {
	if f.Transport == schema.EventStream || !plain && closes(f.Raw) {
		return false
	}
	from, to := content(f)
	return plain && !composed(f.Raw[from:to]) || !closes(f.Raw[from:to])
}

// composed reports whether JSON is an object or an array, and not a string, a number, true, false
// or null.
func composed(raw []byte) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n,\x1e")
	return len(raw) > 0 && (raw[0] == '{' || raw[0] == '[')
}

// closes reports whether a text ends with a byte that can end JSON.
func closes(raw []byte) bool {
	n := len(raw)
	for n > 0 && (raw[n-1] == '\n' || raw[n-1] == ' ' || raw[n-1] == '\r' || raw[n-1] == '\t' || raw[n-1] == ',') {
		n--
	}
	return n > 0 && (raw[n-1] == '}' || raw[n-1] == ']' || raw[n-1] == '"' && n > 1) || json.Valid(raw)
}
