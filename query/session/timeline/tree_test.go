package timeline

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// outline writes a tree as "a(b c(d)) e".
func outline(spans []*Span) string {
	words := make([]string, len(spans))
	for i, s := range spans {
		words[i] = s.ID
		if len(s.Children) > 0 {
			words[i] += "(" + outline(s.Children) + ")"
		}
	}
	return strings.Join(words, " ")
}

func TestTree(t *testing.T) {
	for _, tc := range []struct{ spans, want string }{
		{"", ""},
		{"run think<run act<run llm<think tool<act", "run(think(llm) act(tool))"},
		{"child<parent parent", "parent(child)"},    // the parent began later
		{"a b<nowhere c<b", "a b(c)"},               // an orphan
		{"self<self child<self", "self(child)"},     // its own parent
		{"a<b b<a c<b", "a(b(c))"},                  // one another's parents
		{"t<x x<y y<x z", "x(t y) z"},               // something hangs from a loop
		{"a<b b<c c<a d<e e<d", "a(c(b)) d(e)"},     // two loops
		{"r1 r2 x<r2 y<r1 x2<r2", "r1(y) r2(x x2)"}, // order is kept
	} {
		var spans []*Span
		for word := range strings.FieldsSeq(tc.spans) {
			id, parent, _ := strings.Cut(word, "<")
			spans = append(spans, &Span{ID: id, Parent: parent})
		}
		if got := outline(tree(spans)); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.spans, got, tc.want)
		}
	}
}

// Whatever the parents are, every span stands in the tree once.
func TestTreeHoldsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(t, "spans")
		spans := make([]*Span, n)
		name := func(i int) string { return string(rune('A' + i)) }
		for i := range spans {
			spans[i] = &Span{ID: name(i), Parent: name(rapid.IntRange(0, n).Draw(t, "parent"))}
		}
		seen := map[string]int{}
		var count func(list []*Span)
		count = func(list []*Span) {
			for _, s := range list {
				if seen[s.ID]++; seen[s.ID] > 1 {
					t.Fatalf("%s stands in the tree twice", s.ID)
				}
				count(s.Children)
			}
		}
		count(tree(spans))
		if len(seen) != n {
			t.Fatalf("%d of %d spans are in the tree", len(seen), n)
		}
	})
}
