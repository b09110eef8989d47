package console

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns a text in which control characters, marks that change the direction of writing,
// and bytes that are not UTF-8 are escaped in Go syntax. The characters in keep are not escaped.
func Visible(s, keep string) string {
	unfit := func(r rune) bool {
		return (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029') &&
			!strings.ContainsRune(keep, r)
	}
	if utf8.ValidString(s) && !strings.ContainsFunc(s, unfit) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1, r < utf8.RuneSelf && unfit(r):
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case unfit(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// Line is like Visible for a text on one line: it replaces white space of any kind by spaces.
func Line(s string) string { return Visible(strings.Join(strings.Fields(s), " "), "") }

// Clip shortens a text to one visible line of at most n runes.
func Clip(s string, n int) string {
	s = Line(s)
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
