package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Part is a part of a snippet: a match, or the text around it.
type Part struct {
	Text  string `json:"text"`
	Match bool   `json:"match"`
}

// Lengths of snippets in bytes: the total, and the text before the first match.
const (
	snippetLength = 240
	snippetBefore = 60
)

// snippet returns the first part of a text with the most matches, and the offset of its first
// match.
func (m *match) snippet(text string) (parts []Part, at int) {
	slices.SortFunc(m.places, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	best, most := 0, 0
	for i := range m.places {
		if n := m.within(i); n > most {
			best, most = i, n
		}
	}
	at = m.places[best].from
	from := blankBefore(text, max(at-snippetBefore, 0), at)
	to := min(from+snippetLength, len(text))
	to = max(to, min(m.places[best].to, from+2*snippetLength))
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	if from > 0 {
		parts = plain(parts, "…")
	}
	done := from
	for _, f := range m.places[best:] {
		if f.from < done {
			continue
		}
		if f.from >= to {
			break
		}
		parts = plain(parts, text[done:f.from])
		done = min(f.to, to)
		parts = append(parts, Part{strings.ToValidUTF8(text[f.from:done], "�"), true})
	}
	parts = plain(parts, text[min(done, to):to])
	if to < len(text) {
		parts = plain(parts, "…")
	}
	return parts, at
}

// within counts the distinct pieces in a snippet that begins at place i.
func (m *match) within(i int) (n int) {
	end := m.places[i].from + snippetLength - snippetBefore
	var seen [maxTerms + 1]bool
	for _, f := range m.places[i:] {
		if f.from >= end {
			break
		}
		if !seen[f.piece] {
			seen[f.piece] = true
			n++
		}
	}
	return n
}

// plain adds text without matches.
func plain(parts []Part, text string) []Part {
	if text == "" {
		return parts
	}
	text = strings.ToValidUTF8(text, "�")
	if n := len(parts); n > 0 && !parts[n-1].Match {
		parts[n-1].Text += text
		return parts
	}
	return append(parts, Part{Text: text})
}

// blankBefore returns the first offset from i on at which a word, or else a character, begins.
func blankBefore(text string, i, end int) int {
	if i == 0 {
		return 0
	}
	if blank := strings.IndexFunc(text[i:end], unicode.IsSpace); blank >= 0 {
		_, size := utf8.DecodeRuneInString(text[i+blank:])
		return i + blank + size
	}
	for i < end && !utf8.RuneStart(text[i]) {
		i++
	}
	return i
}
