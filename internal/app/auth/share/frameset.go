package share

import (
	"cmp"
	"slices"

	"tapedeck/query/session/sessionframes"
)

// frameSet holds frames by their streams, as ranges of sequence numbers. After sort they are in ascending order.
type frameSet map[string][]frameRange

type frameRange struct{ first, last uint64 }

// add adds a frame. The frames of a stream are in order unless its clock was set back.
func (s frameSet) add(stream string, seq uint64) {
	list := s[stream]
	if n := len(list); n > 0 && list[n-1].last+1 == seq {
		list[n-1].last = seq
		return
	}
	s[stream] = append(list, frameRange{seq, seq})
}

// sort prepares for hasAll.
func (s frameSet) sort() {
	for _, list := range s {
		slices.SortFunc(list, func(a, b frameRange) int { return cmp.Compare(a.first, b.first) })
	}
}

// hasAll reports whether the set has some frames.
func (s frameSet) hasAll(of []sessionframes.FrameID) bool {
	for _, f := range of {
		_, found := slices.BinarySearchFunc(s[f.Stream], f.Seq, func(r frameRange, seq uint64) int {
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
