package live

import (
	"math/rand/v2"
	"testing"
)

func TestRanges(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var r, others ranges
		in, out := map[uint64]bool{}, map[uint64]bool{}
		for range 12 {
			first := rnd.Uint64N(60)
			end := first + rnd.Uint64N(9)
			r.add(first, end)
			for n := first; n < end; n++ {
				in[n] = true
			}
			if rnd.IntN(3) == 0 {
				others.add(first+5, end+5)
				for n := first + 5; n < end+5; n++ {
					out[n] = true
				}
			}
		}
		end := rnd.Uint64N(70)
		with := append(ranges(nil), r...)
		with.addWithout(end, others)
		begin, missing := rnd.Uint64N(70), uint64(0)
		unseen := begin
		for in[unseen] {
			unseen++
		}
		if got := r.unseen(begin); got != unseen {
			t.Fatalf("seed %d: %v: unseen from %d on: %d, want %d", seed, r, begin, got, unseen)
		}
		for n := begin; n < begin+9; n++ {
			if !in[n] {
				missing++
			}
		}
		if got := r.missing(begin, begin+9); got != missing {
			t.Fatalf("seed %d: %v: %d of the 9 numbers from %d on are missing, want %d", seed, r, got, begin, missing)
		}
		for n := range uint64(80) {
			if r.has(n) != in[n] || with.has(n) != (in[n] || n < end && !out[n]) {
				t.Fatalf("seed %d: %v, %v without %v below %d: wrong about %d", seed, r, with, others, end, n)
			}
		}
		for i := 1; i < len(with); i++ {
			if with[i-1].end >= with[i].first {
				t.Fatalf("seed %d: %v is not in order", seed, with)
			}
		}
	}
}

// A set of too many spans keeps its later ones.
func TestRangesAreBounded(t *testing.T) {
	var r ranges
	for n := range uint64(3 * mostSpans) {
		r.add(2*n, 2*n+1)
		r.bound()
		if len(r) > mostSpans {
			t.Fatalf("%d spans", len(r))
		}
	}
	last := uint64(6 * mostSpans)
	for n := last - mostSpans/2; n < last; n++ {
		if r.has(n) != (n%2 == 0) {
			t.Errorf("wrong about %d", n)
		}
	}
	if !r.covers(0, mostSpans) {
		t.Error("the first spans were not joined")
	}
}
