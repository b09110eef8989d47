package live

import "slices"

// span is the range [first, end) of a stream's frame numbers.
type span struct{ first, end uint64 }

// ranges is a set of a stream's frame numbers: sorted spans that do not touch.
type ranges []span

// add adds the frames [first, end).
func (r *ranges) add(first, end uint64) {
	if first >= end {
		return
	}
	s := *r
	from, _ := slices.BinarySearchFunc(s, first, func(x span, v uint64) int {
		if x.end < v {
			return -1
		}
		return 1
	})
	to := from
	for to < len(s) && s[to].first <= end {
		first, end = min(first, s[to].first), max(end, s[to].end)
		to++
	}
	*r = slices.Replace(s, from, to, span{first, end})
}

// has reports whether frame n is in the set.
func (r ranges) has(n uint64) bool {
	return r.covers(n, n+1)
}

// covers reports whether all frames [first, end) are in the set.
func (r ranges) covers(first, end uint64) bool {
	i, _ := slices.BinarySearchFunc(r, first, func(x span, v uint64) int {
		if x.end <= v {
			return -1
		}
		return 1
	})
	return i < len(r) && r[i].first <= first && end <= r[i].end
}

// end returns the number after the last frame of the set, 0 for an empty set.
func (r ranges) end() uint64 {
	if len(r) == 0 {
		return 0
	}
	return r[len(r)-1].end
}

// unseen returns the first number from begin on that is not in the set.
func (r ranges) unseen(begin uint64) uint64 {
	for _, s := range r {
		if s.first <= begin && begin < s.end {
			return s.end
		}
	}
	return begin
}

// missing returns the number of frames [first, end) that are not in the set.
func (r ranges) missing(first, end uint64) uint64 {
	missing := end - first
	for _, s := range r {
		if from, to := max(s.first, first), min(s.end, end); from < to {
			missing -= to - from
		}
	}
	return missing
}

// mostSpans bounds the spans of a set that a reader keeps: 64 KiB. A reader with a filter receives
// frames with others between them.
const mostSpans = 4096

// bound joins the first half of the spans if there are too many. The set then contains the frames
// between them.
func (r *ranges) bound() {
	s := *r
	if len(s) <= mostSpans {
		return
	}
	half := len(s) / 2
	s[half].first = s[0].first
	*r = slices.Delete(s, 0, half)
}

// addWithout adds the frames below end that others does not contain.
func (r *ranges) addWithout(end uint64, others ranges) {
	var at uint64
	for _, o := range others {
		r.add(at, min(o.first, end))
		at = o.end
	}
	r.add(at, end)
}
