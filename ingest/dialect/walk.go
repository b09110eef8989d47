package dialect

import "github.com/valyala/fastjson"

// RawText returns the text of an object's member; nil where there is no such
// member, and where it is no string.
func RawText(object []byte, name string) []byte {
	text, _ := Unquote(RawMember(object, name), nil)
	return text
}

// RawContent returns a value for a message: a string as the text that it is,
// everything else as the JSON that it stands there as. Nil is for no value.
func RawContent(raw []byte) (text []byte, media string) {
	if text, _ = Unquote(raw, nil); text != nil {
		return text, "text"
	}
	return raw, "json"
}

// RawWords returns a string, or the texts of an array's elements on lines of
// their own: the member text of each. It is nil where there are none.
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

// IsNull reports whether a value is null, or is not there.
func IsNull(v *fastjson.Value) bool { return v == nil || v.Type() == fastjson.TypeNull }

// IsObject reports whether a value is there and is an object.
func IsObject(v *fastjson.Value) bool { return v != nil && v.Type() == fastjson.TypeObject }

// IsArray reports whether a value is there and is an array.
func IsArray(v *fastjson.Value) bool { return v != nil && v.Type() == fastjson.TypeArray }

// FirstText returns the first of an object's members that is a text and is not
// empty; nil for none.
func FirstText(v *fastjson.Value, names ...string) []byte {
	for _, name := range names {
		if text := v.GetStringBytes(name); len(text) > 0 {
			return text
		}
	}
	return nil
}

// Elements calls see with the elements of an array from one on: each with its
// place, parsed, and as it stands in raw, the text of the array.
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

// NewSince returns the place of the first of a request's messages that no
// earlier request held: the one after the model's last. With prefill a message
// of the model's at the end is the beginning of the answer that is asked for.
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
