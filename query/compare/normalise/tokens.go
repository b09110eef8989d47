package normalise

import (
	"unicode"
	"unicode/utf8"
)

// Token is a word, white space, a punctuation character, or a value that a rule ignores.
type Token struct {
	Raw  string
	Norm string // the form that is compared
}

// Tokens splits a text into tokens. Their Raw texts, joined, are the text.
func (n *Normaliser) Tokens(s string, kind Kind) []Token {
	tokens := make([]Token, 0, len(s)/3+1)
	for i := 0; i < len(s); {
		if n.Ignore && alnum(s[i]) {
			if rule, end := match(s, i, kind); rule != "" {
				tokens = append(tokens, Token{s[i:end], "<" + string(rule) + ">"})
				i = end
				continue
			}
		}
		end := i
		class := classAt(s, &end)
		for class != sign && end < len(s) {
			next := end
			if classAt(s, &next) != class {
				break
			}
			end = next
		}
		tokens = append(tokens, Token{s[i:end], s[i:end]})
		i = end
	}
	return tokens
}

type class int

const (
	sign class = iota
	word
	space
)

// classAt returns the class of the rune at s[*i] and advances *i past the rune.
func classAt(s string, i *int) class {
	r, size := utf8.DecodeRuneInString(s[*i:])
	*i += size
	switch {
	case unicode.IsSpace(r):
		return space
	case r == '_' || unicode.IsDigit(r) ||
		unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
		return word
	}
	return sign
}
