package search

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"tapedeck/internal/problem"
)

// What is searched for is refused with what is wrong, or has pieces, each of which has terms or a literal of the
// text.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "a", "connec*", `"timed out"`, `"timed out"*`, `"`, `""`, "*", "main.go", "日本語", "e\u0301", "\x00", "\xff", "a a A", `x"y"z`, "  ", "--flag", "a*b*", "ß ẞ İ",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			p, ok := errors.AsType[*problem.Problem](err)
			if !ok || p.Status != http.StatusBadRequest || p.Parameter != "q" || p.Detail == "" {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		terms := 0
		for _, p := range e.pieces {
			if len(p.terms) == 0 && (p.literal == "" || !strings.Contains(norm.NFC.String(text), p.literal)) || len(p.terms) > e.most || p.prefix && len(p.terms) == 0 {
				t.Errorf("%q: the piece %+v of at most %d terms", text, p, e.most)
			}
			for _, term := range p.terms {
				if term == "" || strings.ContainsFunc(term, unicode.IsSpace) {
					t.Errorf("%q: the term %q", text, term)
				}
			}
			terms += max(len(p.terms), 1)
		}
		if len(e.pieces) == 0 || terms > maxTerms {
			t.Errorf("%q: %d pieces of %d terms", text, len(e.pieces), terms)
		}
	})
}

// A cursor that is accepted is the one of its place.
func FuzzParsePlace(f *testing.F) {
	f.Add(*place{At: 1, Stream: "s", Seq: 2, Session: "x", Fact: "f"}.cursor())
	f.Add("")
	f.Add("!")
	f.Add("e30")
	f.Fuzz(func(t *testing.T, cursor string) {
		p, err := parsePlace(cursor)
		if err != nil || p == nil {
			if err == nil && cursor != "" {
				t.Errorf("%q is taken for no cursor", cursor)
			}
			return
		}
		if again, err := parsePlace(*p.cursor()); err != nil || *again != *p {
			t.Errorf("%q: %+v, and again %+v, %v", cursor, p, again, err)
		}
	})
}
