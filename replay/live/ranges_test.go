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
		unseen := uint64(0)
		for in[unseen] {
			unseen++
		}
		if r.unseen() != unseen {
			t.Fatalf("seed %d: %v: unseen %d, want %d", seed, r, r.unseen(), unseen)
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
