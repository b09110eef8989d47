package share

import (
	"cmp"
	"slices"

	"tapedeck/schema"
)

// frameSet holds frames by their streams, as ranges of sequence numbers in ascending order.
type frameSet map[string][]frameRange

type frameRange struct{ first, last uint64 }

// add adds a frame. The frames of a stream are added in their order.
func (s frameSet) add(stream string, seq uint64) {
	list := s[stream]
	if n := len(list); n > 0 && list[n-1].last+1 == seq {
		list[n-1].last = seq
		return
	}
	s[stream] = append(list, frameRange{seq, seq})
}

// hasAll reports whether the set has the frames at some positions.
func (s frameSet) hasAll(of []schema.Position) bool {
	for _, p := range of {
		_, found := slices.BinarySearchFunc(s[p.StreamID], p.Seq, func(r frameRange, seq uint64) int {
			if r.last < seq {
				return -1
			}
			return max(0, cmp.Compare(r.first, seq))
		})
		if !found {
			return false
		}
	}
	return true
}
