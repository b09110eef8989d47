package dialect

import "github.com/valyala/fastjson"

// RawText returns the text of an object's member. It returns nil if there is no such member or it
// is not a string.
func RawText(object []byte, name string) []byte {
	text, _ := Unquote(RawMember(object, name), nil)
	return text
}

// RawContent returns a value for a message: the text of a string, and any other value as JSON. It
// returns nil for no value.
func RawContent(raw []byte) (text []byte, media string) {
	if text, _ = Unquote(raw, nil); text != nil {
		return text, "text"
	}
	return raw, "json"
}

// RawWords returns a string, or the member text of each element of an array, one a line. It returns
// nil if there are none.
func RawWords(raw []byte) []byte {
	text, _ := Unquote(raw, nil)
	if text != nil {
		return text
	}
	RawElements(raw, func(part []byte) bool {
		if words := RawText(part, "text"); len(words) > 0 {
			if text != nil {
				text = append(text, '\n')
			}
			text = append(text, words...)
		}
		return true
	})
	return text
}

// otherParts bounds the list of a message's parts that are not text, bytes.
const otherParts = 256

// OtherParts returns the kinds of a content's elements that are not text, such as images, as a JSON
// array. It returns nil for none. The kind is the element's type, else the name of its first
// member.
func OtherParts(raw []byte) []byte {
	var kinds List
	RawElements(raw, func(part []byte) bool {
		members, ok := MembersOf(part)
		if !ok {
			return true
		}
		kind := RawText(part, "type")
		if kind == nil {
			kind, _, _ = members.Next()
		}
		switch string(kind) {
		case "", "text", "input_text", "output_text", "inputText", "outputText":
		default:
			if len(kinds) < otherParts {
				kinds.AddText(kind)
			}
		}
		return true
	})
	return kinds.JSON()
}

// IsNull reports whether a value is null or missing.
func IsNull(v *fastjson.Value) bool { return v == nil || v.Type() == fastjson.TypeNull }

// IsObject reports whether a value exists and is an object.
func IsObject(v *fastjson.Value) bool { return v != nil && v.Type() == fastjson.TypeObject }

// IsArray reports whether a value exists and is an array.
func IsArray(v *fastjson.Value) bool { return v != nil && v.Type() == fastjson.TypeArray }

// FirstText returns the first of an object's members that is a non-empty text, or nil.
func FirstText(v *fastjson.Value, names ...string) []byte {
	for _, name := range names {
		if text := v.GetStringBytes(name); len(text) > 0 {
			return text
		}
	}
	return nil
}

// Elements calls see with the elements of an array, beginning with index from: the index, the
// parsed value, and its JSON from raw, which is the array's text.
func Elements(values []*fastjson.Value, raw []byte, from int, see func(i int, v *fastjson.Value, raw []byte)) {
	if from >= len(values) {
		return
	}
	i := 0
	RawElements(raw, func(element []byte) bool {
		if i >= from {
			see(i, values[i], element)
		}
		i++
		return i < len(values)
	})
}

// IsAssistant reports whether a message has the role assistant, which is the model's.
func IsAssistant(m *fastjson.Value) bool { return string(m.GetStringBytes("role")) == "assistant" }

// NewSince returns the index of the first message of a request that no earlier request had: the
// message after the model's last one. With prefill, a message of the model at the end is the
// beginning of the requested answer, and does not count.
func NewSince(messages []*fastjson.Value, ofModel func(*fastjson.Value) bool, prefill bool) int {
	i := len(messages)
	if prefill && i > 0 && ofModel(messages[i-1]) {
		i--
	}
	for i > 0 && !ofModel(messages[i-1]) {
		i--
	}
	return i
}
