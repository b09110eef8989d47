package loom

import (
	"encoding/json"
	"time"
	"unicode/utf8"
)

// attributes builds the JSON object of what else a source tells.
type attributes []byte

func (a *attributes) key(name string) {
	if len(*a) == 0 {
		*a = append(*a, '{')
	} else {
		*a = append(*a, ',')
	}
	*a = append(append(append(*a, '"'), name...), '"', ':')
}

// addRaw adds a value as it stood in a frame; nothing for none.
func (a *attributes) addRaw(name string, value []byte) {
	if len(value) == 0 {
		return
	}
	a.key(name)
	*a = append(*a, value...)
}

func (a *attributes) addText(name, value string) {
	quoted, _ := json.Marshal(value) // a string never fails
	a.addRaw(name, quoted)
}

// addTime adds a time as RFC 3339 in UTC.
func (a *attributes) addTime(name string, at int64) {
	a.key(name)
	*a = time.Unix(0, at).UTC().AppendFormat(append(*a, '"'), time.RFC3339Nano)
	*a = append(*a, '"')
}

func (a attributes) text() string {
	if len(a) == 0 {
		return ""
	}
	return string(a) + "}"
}

// errorLimit bounds what of an error's text goes with its span, bytes. All of
// it is in the message.
const errorLimit = 4096

// short copies the beginning of a text.
func short(text []byte) string {
	if len(text) <= errorLimit {
		return string(text)
	}
	n := errorLimit
	for n > errorLimit-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return string(text[:n]) + "…"
}
