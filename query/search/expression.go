package search

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"tapedeck/internal/problem"
)

// Bounds of a query.
const (
	maxBytes = 2000
	maxTerms = 60
)

// Expression is a parsed query. A text matches if it contains all pieces.
type Expression struct {
	pieces []piece
	most   int // number of terms of the longest piece
}

// piece is a word, a phrase or a prefix: a sequence of adjacent terms.
type piece struct {
	terms  []string
	prefix bool // the last term is a prefix
	// literal is a text without terms, which is searched as it is written.
	literal string
}

// Parse parses words, "phrases" and prefixes*. A word of several terms, such as main.go, is a
// phrase.
func Parse(text string) (*Expression, error) {
	switch {
	case len(text) > maxBytes:
		return nil, badQuery("q has "+strconv.Itoa(len(text))+" bytes.", "at most "+strconv.Itoa(maxBytes)+" bytes")
	case !utf8.ValidString(text):
		return nil, badQuery("q is not valid UTF-8.", "text in UTF-8")
	case strings.ContainsRune(text, 0):
		return nil, badQuery("q has a NUL character.", "text without NUL")
	}
	e := &Expression{}
	count := 0
	for rest := norm.NFC.String(text); ; {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			break
		}
		var part string
		var ok bool
		if part, rest, ok = cutPiece(rest); !ok {
			return nil, badQuery("q has a quotation mark without another one that ends the phrase.",
				`a phrase between quotation marks, as "timed out"`)
		}
		p := newPiece(part)
		if len(p.terms) == 0 && p.literal == "" || slices.ContainsFunc(e.pieces, p.equal) {
			continue
		}
		e.pieces = append(e.pieces, p)
		e.most = max(e.most, len(p.terms))
		if count += max(len(p.terms), 1); count > maxTerms {
			most := strconv.Itoa(maxTerms)
			return nil, badQuery("q has more than "+most+" words. "+
				"A character of Chinese, Japanese, Korean or Thai counts as one.", "at most "+most+" words")
		}
	}
	if len(e.pieces) == 0 {
		return nil, badQuery("q has nothing to search for.", "words", `"a phrase"`,
			"the beginning of a word with *, as connec*")
	}
	return e, nil
}

func badQuery(detail string, allowed ...string) error {
	return problem.BadParameter("q", detail, allowed...)
}

// cutPiece returns the first piece of a text that does not begin with a blank. A phrase keeps its
// quotation marks. It returns false if a quotation mark is not closed.
func cutPiece(text string) (part, rest string, ok bool) {
	if inner, quoted := strings.CutPrefix(text, `"`); quoted {
		end := strings.IndexByte(inner, '"')
		if end < 0 {
			return "", "", false
		}
		end += 2
		if end < len(text) && text[end] == '*' {
			end++
		}
		return text[:end], text[end:], true
	}
	end := strings.IndexFunc(text, func(r rune) bool { return r == '"' || unicode.IsSpace(r) })
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:], true
}

// newPiece parses a piece from cutPiece.
func newPiece(text string) (p piece) {
	bare, star := strings.CutSuffix(text, "*")
	inner, quoted := strings.CutPrefix(bare, `"`)
	if quoted {
		inner = strings.TrimSuffix(inner, `"`)
	}
	end := 0
	for t := range terms(inner, false) {
		p.terms, end = append(p.terms, t.word), t.to
	}
	if len(p.terms) == 0 {
		if p.literal = text; quoted {
			p.literal = strings.TrimSpace(inner)
		}
		return p
	}
	last, _ := utf8.DecodeLastRuneInString(inner[:end])
	p.prefix = star && end == len(inner) && classOf(last) == letter
	return p
}

func (p piece) equal(o piece) bool {
	return slices.Equal(p.terms, o.terms) && p.prefix == o.prefix && p.literal == o.literal
}
