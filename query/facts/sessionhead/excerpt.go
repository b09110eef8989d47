package sessionhead

import "unicode/utf8"

// ExcerptLength is the length of the excerpt of a message or reply, in characters.
const ExcerptLength = 280

// Excerpt cuts a text to ExcerptLength characters.
func Excerpt(text string) *string {
	if utf8.RuneCountInString(text) > ExcerptLength {
		cut := []rune(text)[:ExcerptLength]
		text = string(cut) + "…"
	}
	return &text
}
