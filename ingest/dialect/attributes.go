package dialect

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"tapedeck/schema"
)

// Attributes builds the JSON object of what else a source reports: the member
// Attributes of spans and messages. The zero value is one without members.
type Attributes []byte

func (a *Attributes) key(name string) {
	if len(*a) == 0 {
		*a = append(*a, '{')
	} else {
		*a = append(*a, ',')
	}
	*a = append(append(append(*a, '"'), name...), '"', ':')
}

// AddRaw adds a value as it stood in a frame; nothing for none.
func (a *Attributes) AddRaw(name string, value []byte) {
	if len(value) == 0 {
		return
	}
	a.key(name)
	*a = append(*a, value...)
}

// AddText adds a text.
func (a *Attributes) AddText(name, value string) {
	quoted, _ := json.Marshal(value) // a string never fails
	a.AddRaw(name, quoted)
}

// AddTime adds a time as RFC 3339 in UTC.
func (a *Attributes) AddTime(name string, at int64) {
	a.key(name)
	*a = time.Unix(0, at).UTC().AppendFormat(append(*a, '"'), time.RFC3339Nano)
	*a = append(*a, '"')
}

// Attribute returns the object with one member, a value as it stood in a frame.
func Attribute(name string, value []byte) string {
	var a Attributes
	a.AddRaw(name, value)
	return a.Text()
}

// TextAttribute returns the object with one member, a text.
func TextAttribute(name, value string) string {
	var a Attributes
	a.AddText(name, value)
	return a.Text()
}

// Text is the object, "" without members.
func (a Attributes) Text() string {
	if len(a) == 0 {
		return ""
	}
	return string(a) + "}"
}

// errorLimit bounds what of an error's text goes with its span, bytes. All of
// it is in the message.
const errorLimit = 4096

// Short copies the beginning of a text, for the error of a span.
func Short(text []byte) string {
	if len(text) <= errorLimit {
		return string(text)
	}
	n := errorLimit
	for n > errorLimit-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return string(text[:n]) + "…"
}

// Inseparable adds to a run's attributes that it may have frames of another; "" are none.
func Inseparable(attributes string) string {
	const mark = `"` + schema.Inseparable + `":true}`
	switch {
	case attributes == "":
		return "{" + mark
	case strings.HasSuffix(attributes, mark):
		return attributes
	}
	return strings.TrimSuffix(attributes, "}") + "," + mark
}
