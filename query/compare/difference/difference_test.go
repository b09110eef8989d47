package difference_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tapedeck/query/compare/difference"
	"tapedeck/query/compare/normalise"
)

var ignoring = &normalise.Normaliser{Ignore: true}

func TestWords(t *testing.T) {
	for _, tc := range []struct {
		name, a, b string
		want       []difference.Piece
	}{
		{"the same", "a b", "a b", []difference.Piece{{Op: "same", Text: "a b"}}},
		{"nothing", "", "", []difference.Piece{}},
		{"a word", "read the file now", "read a file now", []difference.Piece{
			{Op: "same", Text: "read "}, {Op: "a", Text: "the"}, {Op: "b", Text: "a"}, {Op: "same", Text: " file now"},
		}},
		{"an id", "of toolu_01A09q90qw90lq917835 ok", "of toolu_01B19q90qw90lq917835 no", []difference.Piece{
			{Op: "same", Text: "of toolu_01A09q90qw90lq917835 "}, {Op: "a", Text: "ok"}, {Op: "b", Text: "no"},
		}},
		{"no spaces", "日本語", "日本酒", []difference.Piece{{Op: "same", Text: "日本"}, {Op: "a", Text: "語"}, {Op: "b", Text: "酒"}}},
	} {
		if d := cmp.Diff(tc.want, difference.Words(tc.a, tc.b, ignoring, normalise.Result)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, d)
		}
	}
}

// The pieces of each side, joined, are its text.
func TestWordsAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab .\n_é語")), 0, 60, -1)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		var inA, inB strings.Builder
		for _, p := range difference.Words(a, b, &normalise.Normaliser{}, normalise.Result) {
			if p.Op != difference.OnlyB {
				inA.WriteString(p.Text)
			}
			if p.Op != difference.OnlyA {
				inB.WriteString(p.Text)
			}
		}
		if inA.String() != a || inB.String() != b {
			t.Fatalf("%q and %q of %q and %q", inA.String(), inB.String(), a, b)
		}
	})
}

func TestPaths(t *testing.T) {
	for _, tc := range []struct {
		name, a, b string
		want       []string // path, a, b
	}{
		{"the same", `{"a":1,"b":[1]}`, `{"b":[1.0],"a":1}`, nil},
		{"a member", `{"a":{"b":1,"c":2}}`, `{"a":{"b":3,"c":2}}`, []string{"$.a.b 1 3"}},
		{"added and removed", `{"a":1}`, `{"b":"x"}`, []string{"$.a 1 -", `$.b - "x"`}},
		{"another type", `{"a":[1]}`, `{"a":{"x":1}}`, []string{`$.a [1] {"x":1}`}},
		{"an element in the middle", `[1,2,3]`, `[1,9,2,3]`, []string{"$[1] - 9"}},
		{"an element that changed", `[{"n":1},{"n":2}]`, `[{"n":1},{"n":5}]`, []string{"$[1].n 2 5"}},
		{"odd names", `{"a b":1,"":2}`, `{"a b":2,"":3}`, []string{`$[""] 2 3`, `$["a b"] 1 2`}},
		{"ignored", `{"t":"2026-01-01T00:00:00Z","n":1}`, `{"t":"2026-01-01T00:00:09Z","n":2}`, []string{"$.n 1 2"}},
	} {
		a, _ := normalise.Parse(tc.a)
		b, _ := normalise.Parse(tc.b)
		changes, more := difference.Paths(a, b, ignoring, normalise.Result, 10)
		var got []string
		for _, c := range changes {
			got = append(got, c.Path+" "+or(c.A)+" "+or(c.B))
		}
		if d := cmp.Diff(tc.want, got); d != "" || more {
			t.Errorf("%s (-want +got):\n%s", tc.name, d)
		}
	}
	a, _ := normalise.Parse(`[1,1,1,1]`)
	b, _ := normalise.Parse(`[2,2,2,2]`)
	if changes, more := difference.Paths(a, b, ignoring, normalise.Result, 3); len(changes) != 3 || !more {
		t.Errorf("with a bound of 3: %d changes, more %t", len(changes), more)
	}
}

func or(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}
