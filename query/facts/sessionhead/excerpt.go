package sessionhead

import "unicode/utf8"

// ExcerptLength is how much of a message or a reply a run shows, in characters.
const ExcerptLength = 280

// Excerpt cuts a text to excerptLength characters.
func Excerpt(text string) *string {
	if utf8.RuneCountInString(text) > ExcerptLength {
		cut := []rune(text)[:ExcerptLength]
		text = string(cut) + "…"
	}
	return &text
}
