// Package wellformed reports whether text is JSON of any depth. fastjson recurses once per level:
// 16 MB of "[" overflow the stack, which ends the process.
package wellformed

import "github.com/valyala/fastjson"

// MaxDepth is the maximum number of levels that parsers read. Deeper values may be valid, but are
// not parsed.
const MaxDepth = fastjson.MaxDepth

// JSON reports whether data is one valid JSON value of any depth, as Check does.
func JSON(data []byte) bool {
	_, ok := Check(data)
	return ok
}
