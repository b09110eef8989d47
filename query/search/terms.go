package search

import (
	"iter"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
)

// term is a term of a text with its place, in bytes.
type term struct {
	word     string
	from, to int
}

// alone are the scripts whose characters are terms by themselves.
var alone = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// inWord are the characters of words outside ASCII.
var inWord = []*unicode.RangeTable{unicode.L, unicode.M, unicode.N}

// class is the role of a character in terms.
type class int

const (
	separator class = iota
	letter          // of a word
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

// terms returns the terms of a text in order. In JSON, escapes of strings count as the
// decoded characters. The column terms of ClickHouse has the same terms.
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

// folder folds the case of characters.
type folder struct {
	caser cases.Caser
	known map[rune]string
}

// lower returns the lower case of a character, which may be several characters.
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

// ascii are the characters of ASCII in lower case.
var ascii = func() (list [utf8.RuneSelf]string) {
	for r := range list {
		list[r] = strings.ToLower(string(rune(r)))
	}
	return list
}()

// next returns the first character of a text and how many bytes it takes there.
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
		// Halves of surrogate pairs stay as they are written.
		if n, err := strconv.ParseUint(text[2:6], 16, 16); err == nil && (n < 0xd800 || n > 0xdfff) {
			return rune(n), 6
		}
	}
	return ' ', 1
}
