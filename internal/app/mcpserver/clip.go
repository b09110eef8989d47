package mcpserver

import (
	"fmt"
	"unicode/utf8"
)

// Sizes of texts in answers, in bytes of their form in the content of a result: JSON in a string of JSON.
const (
	nameSize    = 200   // names and other short values
	idSize      = 900   // ids, which are cut only where a source has none of a sensible length
	excerptSize = 400   // the beginning of a text
	errorSize   = 1_000 // an error
	windowSize  = 4_000 // a part of a text that was asked for
)

// clip returns the beginning of a text that takes at most size bytes in an answer, and how many bytes
// of the text that is.
func clip(text string, size int) (beginning string, bytes int) {
	for i, r := range text {
		if size -= sizeOf(r, text[i:]); size < 0 {
			return text[:i], i
		}
	}
	return text, len(text)
}

// sizeOf returns the bytes that a character takes in an answer.
func sizeOf(r rune, rest string) int {
	switch {
	case r == '"' || r == '\\':
		return len(`\\\"`)
	case r == '\n' || r == '\r' || r == '\t':
		return len(`\\n`)
	case r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029:
		return len(`\\u2028`)
	case r == utf8.RuneError:
		if _, n := utf8.DecodeRuneInString(rest); n <= 1 {
			return len(`\\ufffd`)
		}
	}
	return utf8.RuneLen(r)
}

// short returns the beginning of a text, with a mark if it is cut.
func short(text string, size int) string {
	beginning, n := clip(text, size)
	if n < len(text) {
		return beginning + "…"
	}
	return text
}

// shortList is short for a list of names. A long list ends with the number of those left out.
func shortList(names []string, most int) []string {
	list := make([]string, 0, min(len(names), most+1))
	for i, name := range names {
		if i == most {
			return append(list, fmt.Sprintf("and %d more", len(names)-most))
		}
		list = append(list, short(name, nameSize))
	}
	return list
}

// window is a part of a text.
type window struct {
	Text string `json:"text"`
	// From is the offset of Text in the whole text, in bytes, and Bytes the size of the whole.
	From  int `json:"from,omitempty"`
	Bytes int `json:"bytes"`
}

// windowOf returns the part of a text from an offset in bytes, which takes at most size bytes in an
// answer, and the offset of the part after it; 0 if there is none.
func windowOf(text string, from, size int) (w window, next int) {
	from = min(max(from, 0), len(text))
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	part, n := clip(text[from:], size)
	w = window{Text: part, From: from, Bytes: len(text)}
	if from+n < len(text) {
		next = from + n
	}
	return w, next
}
