package redact

import "slices"

// automaton is an Aho-Corasick automaton over the keywords of all rules. The automaton's state at
// the end of one text is the initial state for the next text of the same message, so that a keyword
// that is split between two texts is found.
type automaton struct {
	next  [][256]uint16
	hits  [][]hit  // keywords that end at each node, the longest first
	paths []string // the text on the path to each node
	ends  []bool   // nodes with hits
	long  []uint16 // the length of the text on the path to each node, bytes
	first *pairs   // the first two bytes of each keyword
	all   *pairs   // each pair of successive bytes in a keyword
	depth int      // the length of the longest keyword, bytes
}

// pairs is a set of pairs of bytes. To be small it ignores the highest bit of each byte, so it may
// report pairs that were not added.
type pairs [256]uint64

func (p *pairs) add(a, b byte) {
	n := uint(a&0x7f) | uint(b&0x7f)<<7
	p[n/64] |= 1 << (n % 64)
}

func (p *pairs) has(a, b byte) bool {
	n := uint(a&0x7f) | uint(b&0x7f)<<7
	return p[n/64]>>(n%64)&1 != 0
}

// hit is a keyword that ends at a node.
type hit struct {
	rule   *rule
	key    string
	except bool // the keyword is one of Rule.Except
}

// root is the initial node, at which no keyword has begun.
const root = 0

func newAutomaton(rules []*rule) *automaton {
	a := &automaton{
		next:  make([][256]uint16, 1),
		hits:  make([][]hit, 1),
		paths: make([]string, 1),
		first: new(pairs),
		all:   new(pairs),
	}
	for _, r := range rules {
		for i, key := range slices.Concat(r.Keywords, r.Except) {
			except := i >= len(r.Keywords)
			a.depth = max(a.depth, len(key))
			n := uint16(root)
			for i := range len(key) {
				if i > 0 {
					a.all.add(key[i-1], key[i])
				}
				to := a.next[n][key[i]]
				if to == root {
					to = uint16(len(a.next))
					a.next = append(a.next, [256]uint16{})
					a.hits = append(a.hits, nil)
					a.paths = append(a.paths, key[:i+1])
					a.next[n][key[i]] = to
				}
				n = to
			}
			a.hits[n] = append(a.hits[n], hit{r, key, except})
		}
	}
	a.link()
	for n := range a.hits {
		a.hits[n] = excepted(a.hits[n])
	}
	for n, h := range a.hits {
		a.ends = append(a.ends, h != nil)
		a.long = append(a.long, uint16(min(len(a.paths[n]), 1<<16-1)))
	}
	for first := range 256 {
		n := a.next[root][first]
		for second := range 256 {
			if n != root && (a.ends[n] || len(a.paths[a.next[n][second]]) == 2 || len(a.paths[n]) != 1) {
				a.first.add(byte(first), byte(second))
			}
		}
	}
	return a
}

// excepted removes from the hits of a node, the longest first, each hit of a rule for which a
// longer text of Rule.Except ends at the same node.
func excepted(hits []hit) (left []hit) {
	not := map[*rule]bool{}
	for _, h := range hits {
		switch {
		case h.except:
			not[h.rule] = true
		case !not[h.rule]:
			left = append(left, h)
		}
	}
	return left
}

// link replaces each missing transition by the transition of the node's longest suffix that is a
// node, breadth first.
func (a *automaton) link() {
	fail := make([]uint16, len(a.next))
	var queue []uint16
	for _, to := range a.next[root] {
		if to != root {
			queue = append(queue, to)
		}
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		a.hits[n] = append(a.hits[n], a.hits[fail[n]]...)
		for c, to := range a.next[n] {
			if to == root {
				a.next[n][c] = a.next[fail[n]][c]
				continue
			}
			fail[to] = a.next[fail[n]][c]
			queue = append(queue, to)
		}
	}
}

// quiet runs over a text from node n. It returns the node at the end of the text, and whether no
// secret begins at a keyword that ended in the text.
func (a *automaton) quiet(n uint16, text []byte) (uint16, bool) {
	next, ends := a.next, a.ends
	for i := 0; i < len(text); i++ {
		if n == root { // the usual case: skip bytes at which no keyword begins
			for i+1 < len(text) && !a.first.has(text[i], text[i+1]) {
				i++
			}
		}
		if n = next[n][text[i]]; ends[n] && a.begins(n, text, i+1) {
			return n, false
		}
	}
	return n, true
}

// begins reports whether a secret may begin at a keyword that ends at node n, immediately before
// byte i of a text.
func (a *automaton) begins(n uint16, text []byte, i int) bool {
	for _, h := range a.hits[n] {
		start := i - len(h.key)
		if h.rule.goesOn(text[i:]) && (start <= 0 || h.rule.mayFollow(text[start-1]) || endsEscape(text[:start])) {
			return true
		}
	}
	return false
}

// tail returns the node at the end of a text that has no predecessor.
func (a *automaton) tail(text []byte) uint16 {
	begin := max(len(text)-1, 0)
	for least := len(text) - a.depth; begin > max(least, 0) && a.all.has(text[begin-1], text[begin]); {
		begin--
	}
	n := uint16(root)
	for _, c := range text[begin:] {
		n = a.next[n][c]
	}
	return n
}
