package search

import (
	"iter"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
)

// term is a term of a text with its position, in bytes.
type term struct {
	word     string
	from, to int
}

// alone lists the scripts whose characters are single terms.
var alone = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// inWord lists the classes of word characters outside ASCII.
var inWord = []*unicode.RangeTable{unicode.L, unicode.M, unicode.N}

// class is the class of a character.
type class int

const (
	separator class = iota
	letter          // part of a word
	single          // a term by itself
)

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		if '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return letter
		}
		return separator
	case r == utf8.RuneError || !unicode.In(r, inWord...):
		return separator
	case unicode.In(r, alone...):
		return single
	}
	return letter
}

// terms returns the terms of a text in order. In JSON, escape sequences of strings count as the
// decoded characters. ClickHouse computes the same terms in the column terms.
func terms(text string, isJSON bool) iter.Seq[term] {
	return func(yield func(term) bool) {
		var word []byte
		from, to := 0, 0
		f := folder{cases.Fold(), map[rune]string{}}
		for i := 0; i < len(text); {
			r, size := next(text[i:], isJSON)
			class := classOf(r)
			if class == letter {
				if len(word) == 0 {
					from = i
				}
				word, to = append(word, f.lower(r)...), i+size
				i += size
				continue
			}
			if len(word) > 0 && !yield(term{string(word), from, to}) {
				return
			}
			word = word[:0]
			if class == single && !yield(term{f.lower(r), i, i + size}) {
				return
			}
			i += size
		}
		if len(word) > 0 {
			yield(term{string(word), from, to})
		}
	}
}

// folder folds the case of characters. It caches the results.
type folder struct {
	caser cases.Caser
	known map[rune]string
}

// lower returns the lower case of a character, which may consist of several characters.
func (f *folder) lower(r rune) string {
	if r < utf8.RuneSelf {
		return ascii[r]
	}
	text, ok := f.known[r]
	if !ok {
		text = f.caser.String(string(r))
		f.known[r] = text
	}
	return text
}

// ascii has the ASCII characters in lower case.
var ascii = func() (list [utf8.RuneSelf]string) {
	for r := range list {
		list[r] = strings.ToLower(string(rune(r)))
	}
	return list
}()

// next returns the first character of a text and its length in bytes.
func next(text string, isJSON bool) (rune, int) {
	if !isJSON || text[0] != '\\' || len(text) < 2 {
		return utf8.DecodeRuneInString(text)
	}
	if text[1] != 'u' {
		if strings.IndexByte(`nrtbf"/\`, text[1]) >= 0 {
			return ' ', 2
		}
		return ' ', 1
	}
	if len(text) >= 6 {
		// Surrogates remain as they are written.
		if n, err := strconv.ParseUint(text[2:6], 16, 16); err == nil && (n < 0xd800 || n > 0xdfff) {
			return rune(n), 6
		}
	}
	return ' ', 1
}
