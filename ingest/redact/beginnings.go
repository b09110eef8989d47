package redact

import "math/bits"

// beginnings is a set of the first three bytes of keywords. It may report bytes that were not added. A lookup
// reads one table of 2 KiB and shifts by constants only: shifts by a variable are slow on amd64.
//
// The beginnings are divided into groups. The entry of a byte has one bit for each group and position: bits 0 to 20
// are the groups in which it may be the first byte, bits 21 to 41 the second, bits 42 to 62 the third. Three bytes
// are in the set if some group has all of them at their positions.
type beginnings struct {
	table  [256]uint64
	groups [groupsMost]beginning
}

const groupsMost = 21 // a third of the bits of an entry

// beginning are the bytes that may be the first, second and third.
type beginning [3]class

// add adds beginnings to the group that grows least by them.
func (s *beginnings) add(b beginning) {
	best, least := 0, -1
	for i, g := range s.groups {
		if grows := g.or(b).weight() - g.weight(); least < 0 || grows < least {
			best, least = i, grows
		}
	}
	s.groups[best] = s.groups[best].or(b)
	for i, c := range b {
		for _, c := range c.bytes() {
			s.table[c] |= 1 << (i*groupsMost + best)
		}
	}
}

// three returns the groups that have three bytes, of which the entries are given; 0 if the set does not have them.
func three(first, second, third uint64) uint64 {
	return first & (second >> groupsMost) & (third >> (2 * groupsMost))
}

// has reports whether three bytes are in the set.
func (s *beginnings) has(first, second, third byte) bool {
	return three(s.table[first], s.table[second], s.table[third]) != 0
}

func (b beginning) or(c beginning) beginning {
	for i := range b {
		b[i] = b[i].or(c[i])
	}
	return b
}

// weight is how many beginnings a group has, where small letters count for more: most texts are made of them.
func (b beginning) weight() int {
	product := 1
	for _, c := range b {
		n := 0
		for i := range c {
			n += bits.OnesCount64(c[i])
		}
		const small = 0x7fffffe << 32 // of bytes 64 to 127
		product *= n + 7*bits.OnesCount64(c[1]&small)
	}
	return product
}
