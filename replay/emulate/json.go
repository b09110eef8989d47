package emulate

import (
	"unicode/utf8"

	"github.com/valyala/fastjson"
)

// AppendJSON appends a value. fastjson's own writer quotes strings as Go does,
// which is invalid JSON for control characters.
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
			b = AppendJSON(append(AppendText(b, string(k)), ':'), member)
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
		return AppendText(b, string(v.GetStringBytes()))
	}
	return v.MarshalTo(b) // numbers stay as they were written
}

const hex = "0123456789abcdef"

// AppendText appends a text as a JSON string. Bytes that are not UTF-8 become
// U+FFFD, since JSON cannot represent them.
func AppendText(b []byte, s string) []byte {
	b = append(b, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = utf8.AppendRune(b, c)
		}
	}
	return append(b, '"')
}
