// Package wellformed reports whether text is JSON, of any depth. fastjson checks
// with a function that calls itself for each level: 16 MB of "[" take more stack
// than a process may have, and end it.
package wellformed

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// MaxDepth is the number of levels that parsers read. What is deeper may be valid,
// and is not looked into.
const MaxDepth = fastjson.MaxDepth

// JSON reports whether data is one valid JSON value (RFC 8259), however deep. Its
// stack does not grow with the depth; it takes a bit of memory for each level.
func JSON(data []byte) bool {
	if !Deep(data) {
		return fastjson.ValidateBytes(data) == nil
	}
	return validate(data)
}

// Deep reports whether data has more than MaxDepth levels, as far as that can be
// said of what may not be JSON.
func Deep(data []byte) bool {
	if len(data) <= MaxDepth || bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) <= MaxDepth {
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
			if depth++; depth > MaxDepth {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}
