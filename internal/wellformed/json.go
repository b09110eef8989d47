// Package wellformed reports whether text is JSON of any depth. fastjson recurses once per level:
// 16 MB of "[" overflow the stack, which ends the process.
package wellformed

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// MaxDepth is the maximum number of levels that parsers read. Deeper values may be valid, but are
// not parsed.
const MaxDepth = fastjson.MaxDepth

// JSON reports whether data is one valid JSON value (RFC 8259) of any depth. Its stack does not
// grow with the depth; it needs one bit of memory for each level.
func JSON(data []byte) bool {
	if !Deep(data, MaxDepth) {
		return fastjson.ValidateBytes(data) == nil
	}
	return validate(data)
}

// Deep reports whether data, which may be invalid, appears to have more than most levels.
func Deep(data []byte, most int) bool {
	if len(data) <= most || bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) <= most {
		return false // the usual case, at the cost of counting two bytes
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
