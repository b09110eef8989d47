package redact

import (
	"cmp"
	"math/bits"
	"slices"
)

// beginnings is a set of the first three bytes of keywords. It may report bytes that were not added. A lookup
// reads one table of 2 KiB and shifts by constants only: shifts by a variable are slow on amd64.
//
// The beginnings are divided into groups. The entry of a byte has one bit for each group and position: bits 0 to 20
// are the groups in which it may be the first byte, bits 21 to 41 the second, bits 42 to 62 the third. Three bytes
// are in the set if some group has all of them at their positions.
//
// exact has most of what the groups have besides in no beginning left out: it tells bytes apart by their lower five
// bits. Bit 63 of an entry marks letters and digits other than m, which ends colours.
type beginnings struct {
	table  [256]uint64
	groups [groupsMost]beginning
	exact  [1 << 15 / 64]uint64
}

const groupsMost = 21 // a third of the bits of an entry

// beginning are the bytes that may be the first, second and third.
type beginning [3]class

// newBeginnings divides beginnings into groups. Each is put into the group that grows least by it, those that have most
// bytes first, and then once more where that is better now. words are the beginnings of keywords that begin words
// only; they have groups of their own, wordGroups.
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

// inWord is the bit of an entry that marks what a word consists of, groupBits are those of the groups of three.
const (
	inWord    = 1 << 63
	groupBits = 1<<groupsMost - 1
)

// exactly returns the place of three bytes in beginnings.exact.
func exactly(first, second, third byte) int {
	return int(first&31)<<10 | int(second&31)<<5 | int(third&31)
}

// divide divides beginnings among the groups [from, to).
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

// wordGroups is the number of the groups of keywords that begin words only: within a word they are none.
const (
	wordGroups   = 11
	dividePasses = 3
)

// three returns the groups that have three bytes, of which the entries are given; 0 if the set does not have them. Bits
// beyond groupBits mean nothing.
func three(first, second, third uint64) uint64 {
	return first & (second >> groupsMost) & (third >> (2 * groupsMost))
}

// has returns the groups that have three bytes, 0 if the set does not have them.
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

// weight is how often texts have the beginnings of a group, in relation to those of other groups.
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

// often is about how often English texts and programs have a byte.
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
