package search

import "strings"

// found is the position of a piece of an expression in a text, in bytes.
type found struct {
	piece    int
	from, to int
}

// match holds the positions of an expression in a text.
type match struct {
	places []found // in order, at most maxPlaces per piece
	counts []int   // number of matches of each piece
	terms  int     // number of terms of the text
}

// maxPlaces bounds the recorded positions per piece.
const maxPlaces = 100

// match searches a text for all pieces; nil if one is missing.
func (e *Expression) match(text string, isJSON bool) *match {
	m := &match{counts: make([]int, len(e.pieces))}
	recent := make([]term, 0, 2*e.most+64)
	for t := range terms(text, isJSON) {
		m.terms++
		if len(recent) == cap(recent) {
			recent = recent[:copy(recent, recent[len(recent)-e.most:])]
		}
		recent = append(recent, t)
		for i := range e.pieces {
			if p := &e.pieces[i]; p.ends(recent) {
				m.add(i, recent[len(recent)-len(p.terms)].from, t.to)
			}
		}
	}
	for i := range e.pieces {
		if literal := e.pieces[i].literal; literal != "" {
			m.literal(i, text, literal)
		}
		if m.counts[i] == 0 {
			return nil
		}
	}
	return m
}

func (m *match) add(piece, from, to int) {
	if m.counts[piece]++; m.counts[piece] <= maxPlaces {
		m.places = append(m.places, found{piece, from, to})
	}
}

// literal searches for a piece without terms.
func (m *match) literal(piece int, text, literal string) {
	for at := 0; ; {
		i := strings.Index(text[at:], literal)
		if i < 0 {
			return
		}
		m.add(piece, at+i, at+i+len(literal))
		at += i + len(literal)
	}
}

// ends reports whether a text ends with the terms of the piece.
func (p *piece) ends(recent []term) bool {
	n := len(p.terms)
	if n == 0 || len(recent) < n {
		return false
	}
	last := recent[len(recent)-1].word
	if p.prefix && !strings.HasPrefix(last, p.terms[n-1]) || !p.prefix && last != p.terms[n-1] {
		return false
	}
	for i, t := range recent[len(recent)-n : len(recent)-1] {
		if t.word != p.terms[i] {
			return false
		}
	}
	return true
}

// score returns the relevance: it rises with the number of matches and falls with the length of the
// text.
func (m *match) score() (score float64) {
	for _, n := range m.counts {
		score += float64(n) / (float64(n) + 1 + float64(m.terms)/200)
	}
	return score
}
