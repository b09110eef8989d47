package align_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tapedeck/query/compare/align"
)

// sequence makes elements of words such as "bash.ls.ok": kind and name, arguments, result.
func sequence(words ...string) []align.Element {
	list := make([]align.Element, len(words))
	for i, w := range words {
		parts := strings.SplitN(w, ".", 3)
		for k, to := range []*align.Hash{&list[i].Loose, &list[i].Key, &list[i].Exact} {
			sum := sha256.Sum256([]byte(strings.Join(parts[:min(k+1, len(parts))], ".")))
			*to = align.Hash(sum[:16])
		}
	}
	return list
}

func show(a, b []string, pairs []align.Pair) string {
	var s []string
	name := func(words []string, i int) string {
		if i == align.None {
			return "-"
		}
		return words[i]
	}
	for _, p := range pairs {
		s = append(s, name(a, p.A)+"|"+name(b, p.B))
	}
	return strings.Join(s, " ")
}

func TestAlign(t *testing.T) {
	for _, tc := range []struct{ name, a, b, want string }{
		{"nothing", "", "", ""},
		{"the same", "x y", "x y", "x|x y|y"},
		{"one side", "x y", "", "x|- y|-"},
		{"added in the middle", "x y", "x z y", "x|x -|z y|y"},
		{"another step", "x bash.ls y", "x read.f y", "x|x bash.ls|- -|read.f y|y"},
		{"other arguments", "x read.a y", "x read.b y", "x|x read.a|read.b y|y"},
		{"other results", "x read.a.1 y", "x read.a.2 y", "x|x read.a.1|read.a.2 y|y"},
		{"the same arguments go before the same place", "read.a read.b", "read.b", "read.a|- read.b|read.b"},
		{"a retry", "bash.t.err bash.t.ok", "bash.t.ok", "bash.t.err|- bash.t.ok|bash.t.ok"},
		{"repeated steps", "s s s t s", "s s t s s", "s|s s|s s|- t|t -|s s|s"},
		{"moved", "x y z", "y z x", "x|- y|y z|z -|x"},
	} {
		a, b := strings.Fields(tc.a), strings.Fields(tc.b)
		if d := cmp.Diff(tc.want, show(a, b, align.Align(sequence(a...), sequence(b...)))); d != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, d)
		}
	}
}

var steps = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
	return fmt.Sprintf("%s.%d.%d", rapid.SampledFrom([]string{"bash", "read", "llm"}).Draw(t, "tool"), rapid.IntRange(0, 3).Draw(t, "arguments"), rapid.IntRange(0, 2).Draw(t, "result"))
}), 0, 40)

// Every step of both sequences is there once, in its order, and only steps of one kind and
// name are paired.
func TestWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wordsA, wordsB := steps.Draw(t, "a"), steps.Draw(t, "b")
		a, b := sequence(wordsA...), sequence(wordsB...)
		nextA, nextB := 0, 0
		for _, p := range align.Align(a, b) {
			if p.A == align.None && p.B == align.None {
				t.Fatal("a pair of nothing")
			}
			if p.A != align.None {
				if p.A != nextA {
					t.Fatalf("step %d of A after %d", p.A, nextA-1)
				}
				nextA++
			}
			if p.B != align.None {
				if p.B != nextB {
					t.Fatalf("step %d of B after %d", p.B, nextB-1)
				}
				nextB++
			}
			if p.A != align.None && p.B != align.None && a[p.A].Loose != b[p.B].Loose {
				t.Fatalf("%s is paired with %s", wordsA[p.A], wordsB[p.B])
			}
		}
		if nextA != len(a) || nextB != len(b) {
			t.Fatalf("%d of %d and %d of %d steps", nextA, len(a), nextB, len(b))
		}
	})
}

// A sequence is aligned with itself step by step.
func TestReflexive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := sequence(steps.Draw(t, "a")...)
		for i, p := range align.Align(a, a) {
			if p.A != i || p.B != i {
				t.Fatalf("row %d: %v", i, p)
			}
		}
	})
}

// Which steps are paired does not depend on which sequence comes first.
func TestSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := sequence(steps.Draw(t, "a")...), sequence(steps.Draw(t, "b")...)
		there, back := align.Align(a, b), align.Align(b, a)
		for i := range back {
			back[i].A, back[i].B = back[i].B, back[i].A
		}
		sorted := func(list []align.Pair) []align.Pair {
			return slices.SortedFunc(slices.Values(list), func(x, y align.Pair) int {
				return (x.A-y.A)*1000 + x.B - y.B
			})
		}
		if d := cmp.Diff(sorted(there), sorted(back)); d != "" {
			t.Fatal(d)
		}
	})
}

// long returns two sequences of n steps with differences all along.
func long(n int) (a, b []align.Element) {
	random := rand.New(rand.NewPCG(1, 2))
	var wordsA, wordsB []string
	for i := range n {
		w := fmt.Sprintf("tool%d.%d.%d", random.IntN(5), random.IntN(20), random.IntN(3))
		if i%5 == 0 {
			w = fmt.Sprintf("llm.%d.", i)
		}
		switch wordsA = append(wordsA, w); random.IntN(10) {
		case 0: // missing
		case 1:
			wordsB = append(wordsB, w+"'")
		case 2:
			wordsB = append(wordsB, w, "bash.again.1")
		default:
			wordsB = append(wordsB, w)
		}
	}
	return sequence(wordsA...), sequence(wordsB...)
}

// Sequences longer than the table are aligned within the band.
func TestBand(t *testing.T) {
	const n = 4000
	words := func(from, step int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("s.%d.%d", (from+i*step)%7, (from+i)%3))
		}
		return list
	}
	a, b := sequence(words(0, 1)...), sequence(append([]string{"other"}, words(1, 1)...)...)
	pairs := align.Align(a, b)
	paired, exact := 0, 0
	for _, p := range pairs {
		if p.A != align.None && p.B != align.None {
			paired++
			if a[p.A].Exact == b[p.B].Exact {
				exact++
			}
		}
	}
	if len(pairs) != 2*n+1-paired || exact < n-2 {
		t.Errorf("%d rows, %d paired, %d of them equal, of %d", len(pairs), paired, exact, n)
	}
}

func BenchmarkAlign(b *testing.B) {
	x, y := long(2000)
	for b.Loop() {
		align.Align(x, y)
	}
}

// BenchmarkAlignUnanchored aligns what has no step in common that occurs once.
func BenchmarkAlignUnanchored(b *testing.B) {
	var wordsX, wordsY []string
	for i := range 2000 {
		wordsX = append(wordsX, fmt.Sprintf("s.%d.%d", i%7, i%3))
		wordsY = append(wordsY, fmt.Sprintf("s.%d.%d", i%5, i%4))
	}
	x, y := sequence(wordsX...), sequence(wordsY...)
	for b.Loop() {
		align.Align(x, y)
	}
}
