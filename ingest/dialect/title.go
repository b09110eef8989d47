package dialect

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// titleLength bounds a title, runes.
const titleLength = 120

// TitleOf returns the title that a text is for its session: its first words on one line. It is ""
// for a text without words.
func TitleOf(text []byte) string { return oneLine(text, titleLength) }

// oneLine cuts text to one line of at most limit runes and folds white space.
func oneLine(text []byte, limit int) string {
	var out strings.Builder
	runes, space := 0, false
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			space = out.Len() > 0
			continue
		}
		if space {
			out.WriteByte(' ')
			runes++
			space = false
		}
		if runes >= limit {
			out.WriteRune('…')
			break
		}
		out.WriteRune(r)
		runes++
	}
	return out.String()
}
