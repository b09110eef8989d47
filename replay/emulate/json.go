package emulate

import (
	"github.com/valyala/fastjson"

	"tapedeck/internal/jsonstring"
)

// AppendJSON appends a value. It replaces fastjson's own writer, which quotes strings like Go: the
// result is invalid JSON for control characters.
func AppendJSON(b []byte, v *fastjson.Value) []byte {
	if v == nil { // a missing member
		return append(b, "null"...)
	}
	switch v.Type() {
	case fastjson.TypeObject:
		b = append(b, '{')
		first := true
		v.GetObject().Visit(func(k []byte, member *fastjson.Value) {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = AppendJSON(append(jsonstring.Append(b, string(k)), ':'), member)
		})
		return append(b, '}')
	case fastjson.TypeArray:
		b = append(b, '[')
		for i, item := range v.GetArray() {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendJSON(b, item)
		}
		return append(b, ']')
	case fastjson.TypeString:
		return jsonstring.Append(b, string(v.GetStringBytes()))
	}
	return v.MarshalTo(b) // numbers keep their text
}
