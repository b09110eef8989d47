// Package wellformed reports whether text is JSON, of any depth. fastjson recurses once
// per level: 16 MB of "[" overflow the stack, which ends the process.
package wellformed

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// MaxDepth is the number of levels that parsers read at most. Deeper values may be valid,
// but are not parsed.
const MaxDepth = fastjson.MaxDepth

// JSON reports whether data is one valid JSON value (RFC 8259), however deep. Its
// stack does not grow with the depth; it takes a bit of memory for each level.
func JSON(data []byte) bool {
	if !Deep(data, MaxDepth) {
		return fastjson.ValidateBytes(data) == nil
	}
	return validate(data)
}

// Deep reports whether data, which may be invalid, appears to have more levels than most.
func Deep(data []byte, most int) bool {
	if len(data) <= most || bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) <= most {
		return false // nearly always, at the price of looking for two bytes
	}
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString:
			if c == '\\' {
				i++
			} else if c == '"' {
				inString = false
			}
		case c == '"':
			inString = true
		case c == '[' || c == '{':
			if depth++; depth > most {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}
