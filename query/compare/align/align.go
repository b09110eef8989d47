// Package align aligns two sequences of steps. Equal steps that occur once are anchors, and
// the steps between two anchors are aligned by dynamic programming within a band.
package align

import (
	"bytes"
	"cmp"
	"slices"
)

// Hash identifies content.
type Hash [16]byte

// Element is one step for the alignment. Elements with equal Exact also have equal Key, and
// elements with equal Key also have equal Loose.
type Element struct {
	Exact Hash // hash of the whole step
	Key   Hash // hash of the kind, the name and the normalised arguments
	Loose Hash // hash of the kind and the name: only steps with equal Loose may be paired
}

// None is the index in a Pair that means no step.
const None = -1

// Pair pairs a step of the first sequence with a step of the second. Either index may be None.
type Pair struct{ A, B int }

// Align returns every step of both sequences once and keeps the order of both. Where neither
// sequence decides the order, steps of the first come first. The set of pairs does not depend on
// which sequence is the first.
func Align(a, b []Element) []Pair {
	swapped := compareAll(a, b) > 0
	if swapped {
		a, b = b, a
	}
	t := &task{a: intern(a, b), partner: make([]int, len(a))}
	t.b = t.a[len(a):]
	t.a = t.a[:len(a):len(a)]
	for i := range t.partner {
		t.partner[i] = None
	}
	t.segment(0, len(a), 0, len(b))
	pairs := make([]Pair, 0, len(a)+len(b))
	if swapped {
		return merge(pairs, invert(t.partner, len(b)), len(a))
	}
	return merge(pairs, t.partner, len(b))
}

func compareAll(a, b []Element) int {
	return slices.CompareFunc(a, b, func(x, y Element) int {
		return cmp.Or(bytes.Compare(x.Exact[:], y.Exact[:]), bytes.Compare(x.Key[:], y.Key[:]),
			bytes.Compare(x.Loose[:], y.Loose[:]))
	})
}

// element is an Element with small integers in place of the hashes.
type element struct{ exact, key, loose int32 }

func intern(a, b []Element) []element {
	numbers := make(map[Hash]int32, len(a)+len(b))
	number := func(h Hash) int32 {
		n, known := numbers[h]
		if !known {
			n = int32(len(numbers))
			numbers[h] = n
		}
		return n
	}
	all := make([]element, 0, len(a)+len(b))
	for _, list := range [][]Element{a, b} {
		for _, e := range list {
			all = append(all, element{number(e.Exact), number(e.Key), number(e.Loose)})
		}
	}
	return all
}

type task struct {
	a, b    []element
	partner []int // for each element of a the index of its partner in b, or None
}

func (t *task) pair(i, j int) { t.partner[i] = j }

// segment aligns a[i:iEnd] with b[j:jEnd].
func (t *task) segment(i, iEnd, j, jEnd int) {
	for i < iEnd && j < jEnd && t.a[i].exact == t.b[j].exact {
		t.pair(i, j)
		i, j = i+1, j+1
	}
	for i < iEnd && j < jEnd && t.a[iEnd-1].exact == t.b[jEnd-1].exact {
		iEnd, jEnd = iEnd-1, jEnd-1
		t.pair(iEnd, jEnd)
	}
	if i == iEnd || j == jEnd {
		return
	}
	anchors := t.anchors(i, iEnd, j, jEnd, func(e element) int32 { return e.exact })
	if len(anchors) == 0 {
		anchors = t.anchors(i, iEnd, j, jEnd, func(e element) int32 { return e.key })
	}
	if len(anchors) == 0 {
		t.banded(i, iEnd, j, jEnd)
		return
	}
	for _, at := range anchors {
		t.segment(i, at.A, j, at.B)
		t.pair(at.A, at.B)
		i, j = at.A+1, at.B+1
	}
	t.segment(i, iEnd, j, jEnd)
}

// anchors returns the longest chain of pairs, in order on both sides, of elements whose value by
// the function of occurs once on each side.
func (t *task) anchors(i, iEnd, j, jEnd int, of func(element) int32) []Pair {
	type place struct{ a, b, inA, inB int }
	found := make(map[int32]*place, iEnd-i)
	for k := i; k < iEnd; k++ {
		p := found[of(t.a[k])]
		if p == nil {
			p = &place{}
			found[of(t.a[k])] = p
		}
		p.a, p.inA = k, p.inA+1
	}
	for k := j; k < jEnd; k++ {
		if p := found[of(t.b[k])]; p != nil {
			p.b, p.inB = k, p.inB+1
		}
	}
	var once []Pair
	for k := i; k < iEnd; k++ {
		if p := found[of(t.a[k])]; p.inA == 1 && p.inB == 1 {
			once = append(once, Pair{k, p.b})
		}
	}
	return chain(once)
}

// chain returns the longest subsequence with increasing B (patience sorting).
func chain(pairs []Pair) []Pair {
	var tops, before []int // the last pair of the best chain of each length; the pair before each
	for k, p := range pairs {
		n, _ := slices.BinarySearchFunc(tops, p.B, func(top, b int) int { return cmp.Compare(pairs[top].B, b) })
		if n == 0 {
			before = append(before, None)
		} else {
			before = append(before, tops[n-1])
		}
		if n == len(tops) {
			tops = append(tops, k)
		} else {
			tops[n] = k
		}
	}
	if len(tops) == 0 {
		return nil
	}
	longest := make([]Pair, len(tops))
	for k, n := tops[len(tops)-1], len(tops)-1; n >= 0; k, n = before[k], n-1 {
		longest[n] = pairs[k]
	}
	return longest
}

func invert(partner []int, n int) []int {
	inverse := make([]int, n)
	for i := range inverse {
		inverse[i] = None
	}
	for i, j := range partner {
		if j != None {
			inverse[j] = i
		}
	}
	return inverse
}

// merge returns the pairs in order, with the elements that have no partner between them.
func merge(pairs []Pair, partner []int, n int) []Pair {
	j := 0
	for i, p := range partner {
		if p == None {
			pairs = append(pairs, Pair{i, None})
			continue
		}
		for ; j < p; j++ {
			pairs = append(pairs, Pair{None, j})
		}
		pairs = append(pairs, Pair{i, p})
		j = p + 1
	}
	for ; j < n; j++ {
		pairs = append(pairs, Pair{None, j})
	}
	return pairs
}
