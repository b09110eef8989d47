package dialect

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"tapedeck/schema"
)

// Attributes builds a JSON object for the member Attributes of spans and messages: what a source
// reports and no other member holds. The zero value has no members.
type Attributes []byte

func (a *Attributes) key(name string) {
	if len(*a) == 0 {
		*a = append(*a, '{')
	} else {
		*a = append(*a, ',')
	}
	*a = append(append(append(*a, '"'), name...), '"', ':')
}

// AddRaw adds a JSON value as it was in a frame. It adds nothing for an empty value.
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

// Attribute returns an object with one member, whose value is JSON from a frame.
func Attribute(name string, value []byte) string {
	var a Attributes
	a.AddRaw(name, value)
	return a.Text()
}

// TextAttribute returns an object with one member, a text.
func TextAttribute(name, value string) string {
	var a Attributes
	a.AddText(name, value)
	return a.Text()
}

// Text returns the object, or "" without members.
func (a Attributes) Text() string {
	if len(a) == 0 {
		return ""
	}
	return string(a) + "}"
}

// errorLimit bounds the text in a span's error, bytes. The message of the error has all of it.
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

// Inseparable adds to a run's attributes, or to "", that the run may have frames of another run.
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
