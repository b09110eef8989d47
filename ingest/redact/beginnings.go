package redact

import (
	"cmp"
	"math/bits"
	"slices"
)

// beginnings is a set of the first three bytes of keywords. It may report bytes that were not
// added. A lookup reads one table of 2 KiB and shifts by constants only, since shifts by a variable
// are slow on amd64.
//
// The beginnings are divided into groups. The table entry of a byte has one bit for each group and
// position. Bits 0 to 20 are set for the groups in which the byte may be first, bits 21 to 41 for
// second, and bits 42 to 62 for third. Three bytes are in the set if some group contains all three
// at their positions. Bit 63 marks letters and digits except m, which ends colour sequences.
//
// exact removes most of the combinations that the groups contain in addition to the beginnings. It
// compares the lower five bits of each byte.
type beginnings struct {
	table  [256]uint64
	groups [groupsMost]beginning
	exact  [1 << 15 / 64]uint64
}

const groupsMost = 21 // three positions for each group have to fit into 63 bits

// beginning holds the sets of bytes that may be first, second and third.
type beginning [3]class

// newBeginnings divides beginnings into groups. It adds each beginning, those with the most bytes
// first, to the group whose weight grows least, and then moves beginnings to better groups in
// further passes. words are the beginnings of keywords that match only at the start of a word; they
// have the first wordGroups groups.
func newBeginnings(all, words []beginning) *beginnings {
	s := &beginnings{}
	s.divide(words, 0, wordGroups)
	s.divide(all, wordGroups, groupsMost)
	for group, b := range s.groups {
		for i, c := range b {
			for _, c := range c.bytes() {
				s.table[c] |= 1 << (i*groupsMost + group)
			}
		}
	}
	for _, c := range alphanumeric.bytes() {
		if c != 'm' {
			s.table[c] |= inWord
		}
	}
	for _, b := range slices.Concat(all, words) {
		for _, first := range b[0].bytes() {
			for _, second := range b[1].bytes() {
				for _, third := range b[2].bytes() {
					n := exactly(first, second, third)
					s.exact[n/64] |= 1 << (n % 64)
				}
			}
		}
	}
	return s
}

// inWord is the bit of an entry that marks letters and digits. groupBits masks the bits of the
// groups in the result of three.
const (
	inWord    = 1 << 63
	groupBits = 1<<groupsMost - 1
)

// exactly returns the index of three bytes in beginnings.exact.
func exactly(first, second, third byte) int {
	return int(first&31)<<10 | int(second&31)<<5 | int(third&31)
}

// divide divides beginnings among the groups [from, to), so that the groups have little weight.
func (s *beginnings) divide(all []beginning, from, to int) {
	slices.SortStableFunc(all, func(a, b beginning) int { return cmp.Compare(b.weight(), a.weight()) })
	all = slices.Compact(all)
	in := make([]int, len(all))
	for i := range in {
		in[i] = -1
	}
	group := func(g, without int) (b beginning) {
		for i, other := range all {
			if in[i] == g && i != without {
				b = b.or(other)
			}
		}
		return b
	}
	for range dividePasses {
		for i, b := range all {
			best, least := from, -1
			for g := from; g < to; g++ {
				rest := s.groups[g]
				if in[i] == g {
					rest = group(g, i)
				}
				if grows := rest.or(b).weight() - rest.weight(); least < 0 || grows < least {
					best, least = g, grows
				}
			}
			if old := in[i]; old != best {
				in[i] = best
				if old >= 0 {
					s.groups[old] = group(old, i)
				}
				s.groups[best] = s.groups[best].or(b)
			}
		}
	}
}

// wordGroups is the number of groups for keywords that match only at the start of a word. Within a
// word these groups are ignored. dividePasses is the number of passes of divide.
const (
	wordGroups   = 11
	dividePasses = 3
)

// three returns the groups that contain three bytes, given the entries of the bytes; 0 if no group
// does. Bits beyond groupBits are undefined.
func three(first, second, third uint64) uint64 {
	return first & (second >> groupsMost) & (third >> (2 * groupsMost))
}

// has returns the groups that contain three bytes, 0 if the bytes are not in the set.
func (s *beginnings) has(first, second, third byte) uint64 {
	n := exactly(first, second, third)
	if s.exact[n/64]>>(n%64)&1 == 0 {
		return 0
	}
	return three(s.table[first], s.table[second], s.table[third]) & groupBits
}

func (b beginning) or(c beginning) beginning {
	for i := range b {
		b[i] = b[i].or(c[i])
	}
	return b
}

// weight estimates how often texts contain the beginning, relative to other beginnings.
func (b beginning) weight() int {
	product := 1
	for _, c := range b {
		n := 0
		for i, set := range c {
			for ; set != 0; set &= set - 1 {
				n += int(often[i*64+bits.TrailingZeros64(set)])
			}
		}
		product *= n
	}
	return product
}

// often is the approximate frequency of each byte in English texts and source code.
var often = func() (n [256]uint8) {
	for c := range n {
		n[c] = 2
	}
	for i, c := range []byte(" etaoinsrhdlucmfpgwybvk") {
		n[c] = uint8(120 - 5*i)
	}
	for _, c := range []byte("0123456789.,_-/:\"\\()=xjqz") {
		n[c] = 8
	}
	return n
}()
