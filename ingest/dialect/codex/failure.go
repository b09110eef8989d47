package codex

import "github.com/valyala/fastjson"

// errorOf returns what the error of a turn or an item says.
func errorOf(v *fastjson.Value) []byte {
	if why := v.GetStringBytes("error", "message"); why != nil {
		return why
	}
	return v.GetStringBytes("error")
}

// errorDepth bounds how often the text of an error is read as JSON that holds another one.
const errorDepth = 4

// innermost returns the message of an error whose text is JSON: codex prints the body of a
// provider's answer as it came, and gateways put one body into another. A text that is
// anything else is returned as it is.
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
