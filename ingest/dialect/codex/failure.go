package codex

import "github.com/valyala/fastjson"

// errorOf returns the text of the error of a turn or an item.
func errorOf(v *fastjson.Value) []byte {
	if why := v.GetStringBytes("error", "message"); why != nil {
		return why
	}
	return v.GetStringBytes("error")
}

// errorDepth bounds the nesting of errors in the texts of errors.
const errorDepth = 4

// innermost returns the innermost message of an error whose text is JSON: Codex prints the body of
// a provider's answer unchanged, and gateways nest bodies. It returns any other text unchanged.
func innermost(text []byte) []byte {
	for range errorDepth {
		if len(text) == 0 || text[0] != '{' {
			break
		}
		v, err := fastjson.ParseBytes(text)
		if err != nil {
			break
		}
		inner := errorOf(v)
		if len(inner) == 0 {
			inner = v.GetStringBytes("message")
		}
		if len(inner) == 0 {
			break
		}
		text = inner
	}
	return text
}
