// Package difference finds the differences between two texts, word by word, and between two JSON
// values, path by path.
package difference

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"

	"tapedeck/query/compare/normalise"
)

// Op says in which text a piece occurs.
type Op string

// A piece is in both texts or in one of them.
const (
	Same  Op = "same"
	OnlyA Op = "a"
	OnlyB Op = "b"
)

// Piece is a run of words that are in both texts or in one of them. The text of a piece of both is
// the text of A: values that rules ignore may differ in B.
type Piece struct {
	Op   Op     `json:"op"`
	Text string `json:"text"`
}

// Words compares two texts word by word.
func Words(a, b string, n *normalise.Normaliser, kind normalise.Kind) []Piece {
	as, bs := n.Tokens(a, kind), n.Tokens(b, kind)
	pieces := []Piece{}
	var text strings.Builder
	var op Op
	write := func(o Op, raw string) {
		if o != op && text.Len() > 0 {
			pieces = append(pieces, Piece{op, text.String()})
			text.Reset()
		}
		op = o
		text.WriteString(raw)
	}
	i, j := 0, 0
	for _, d := range edits(as, bs) {
		for range utf8.RuneCountInString(d.Text) {
			switch d.Type {
			case diffmatchpatch.DiffEqual:
				write(Same, as[i].Raw)
				i, j = i+1, j+1
			case diffmatchpatch.DiffDelete:
				write(OnlyA, as[i].Raw)
				i++
			case diffmatchpatch.DiffInsert:
				write(OnlyB, bs[j].Raw)
				j++
			}
		}
	}
	if text.Len() > 0 {
		pieces = append(pieces, Piece{op, text.String()})
	}
	return pieces
}

// timeLimit bounds the search for the shortest difference. When it has passed, a longer difference
// is returned.
const timeLimit = 250 * time.Millisecond

// edits returns the edits that turn one list of tokens into the other. Each token is one rune.
func edits(a, b []normalise.Token) []diffmatchpatch.Diff {
	known := map[string]rune{}
	engine := diffmatchpatch.New()
	engine.DiffTimeout = timeLimit
	return engine.DiffMainRunes(runes(a, known), runes(b, known), false)
}

// runes maps tokens to runes, equal tokens to equal runes. It skips the surrogates, which are not
// characters in UTF-8.
func runes(tokens []normalise.Token, known map[string]rune) []rune {
	const surrogates, after = 0xD800, 0xE000
	list := make([]rune, len(tokens))
	for i := range tokens {
		r, is := known[tokens[i].Norm]
		if !is {
			r = rune(len(known)) + 1
			if r >= surrogates {
				r += after - surrogates
			}
			known[tokens[i].Norm] = r
		}
		list[i] = r
	}
	return list
}
