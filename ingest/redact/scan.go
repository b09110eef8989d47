package redact

import (
	"bytes"
	"slices"

	"tapedeck/schema"
)

// scan searches a frame for secrets. A text continues the previous text at the same place. If
// frames identify their message, a text also continues the previous text of the same message, since
// texts of several messages may alternate.
func (m *Masker) scan(f *schema.Frame) {
	w := &m.walker
	clean := len(m.open) == 0 && len(m.engine.paths) == 0
	fits, from := false, 0
	if clean {
		fits, from = m.layout.fits(m, f)
	}
	if !fits {
		clean = clean && m.engine.prefilter.clean(&m.machine, f.Raw, from)
		w.walk(f, clean)
		if clean {
			m.layout.learn(m.engine.prefilter, f, w)
		}
	}
	for i := range w.leaves {
		l := &w.leaves[i]
		if clean {
			if l.whole || m.scanClean(f.Raw, l) {
				continue
			}
			clean = false
		}
		if l.from == l.to || l.whole && l.to-l.from < shortest {
			continue
		}
		t := decoded(f.Raw, l.from, l.to, m.buf, m.ends)
		if t.ends != nil {
			m.buf, m.ends = t.bytes, t.ends
		}
		if r := m.engine.paths[l.path]; r != nil && !l.name {
			m.whole(r, l, &t)
			continue
		}
		if l.member > 0 {
			m.assigned(f.Raw, w.members[l.member-1], &t)
		}
		if l.whole {
			m.alone(&t)
			continue
		}
		m.followBoth(l.path, w.identity, &t)
	}
}

// followBoth scans a text in the channel of its place and, if the frame identifies a message, in
// the channel of that message.
func (m *Masker) followBoth(path, identity uint64, t *text) {
	if identity == 0 {
		m.follow(path, t)
		return
	}
	message := path ^ (identity | 1)
	s := m.states.get(path)
	if len(m.open) == 0 && s == m.states.get(message) {
		if node, quiet := m.engine.automaton.quiet(s.node, t.bytes); quiet {
			m.keep(path, s, node, t)
			m.keep(message, s, node, t)
			return
		}
	}
	m.follow(path, t)
	m.follow(message, t)
}

// alone scans a text that no other text continues.
func (m *Masker) alone(t *text) {
	if _, quiet := m.engine.automaton.quiet(root, t.bytes); quiet {
		return
	}
	before := len(m.open)
	m.find(state{}, 0, t)
	for _, c := range m.open[before:] {
		m.settle(c)
	}
	m.open = m.open[:before]
}

// assigned masks a text that is a secret by the name of its JSON member.
func (m *Masker) assigned(raw []byte, name span, t *text) {
	r := m.engine.members
	if r == nil || len(t.bytes) < shortest {
		return
	}
	a, n := m.engine.automaton, uint16(root)
	for _, c := range bytes.TrimRight(raw[name.from:name.to], "_0123456789") {
		n = a.next[n][c]
	}
	for _, h := range a.hits[n] {
		if h.rule == r {
			if from := memberSecret([]byte(h.key), t.bytes); from >= 0 {
				m.rest(r, t, from)
			}
			return
		}
	}
}

// whole masks a text that is a secret by its path.
func (m *Masker) whole(r *rule, l *leaf, t *text) {
	c := &candidate{
		rule:   r,
		text:   t.bytes,
		n:      int32(len(t.bytes)),
		pieces: []piece{{0, int32(len(t.bytes)), m.frame, l.from, l.to}},
	}
	m.mask(c, 0, c.n, false)
}

// follow scans the next text of a channel.
func (m *Masker) follow(channel uint64, t *text) {
	s := m.states.get(channel)
	if len(m.open) > 0 {
		m.proceed(channel, t)
	}
	node, quiet := m.engine.automaton.quiet(s.node, t.bytes)
	if !quiet {
		node = m.find(s, channel, t)
	}
	m.keep(channel, s, node, t)
}

// keep stores the node that a channel has reached.
func (m *Masker) keep(channel uint64, s state, node uint16, t *text) {
	now := state{}
	if node != root {
		now = state{node, m.byteBefore(s, t.bytes, len(t.bytes)-len(m.engine.automaton.paths[node]))}
	}
	if now != s {
		m.states.set(channel, now)
	}
}

// byteBefore returns the byte before byte i of a text. That byte may be in the previous text, whose
// end is in s. It returns 0 if there is no such byte, and if the byte ends an escape.
func (m *Masker) byteBefore(s state, text []byte, i int) byte {
	if i > 0 {
		if endsEscape(text[:i]) {
			return 0
		}
		return text[i-1]
	}
	path := m.engine.automaton.paths[s.node]
	if at := len(path) + i; at > 0 {
		if endsEscape(append([]byte{s.before}, path[:at]...)) {
			return 0
		}
		return path[at-1]
	}
	return s.before
}

// proceed feeds a text to the open candidates of the text's channel.
func (m *Masker) proceed(channel uint64, t *text) {
	m.open = slices.DeleteFunc(m.open, func(c *candidate) bool {
		if c.channel != channel {
			return false
		}
		if m.advance(c, t, 0) {
			if c.forced {
				m.mask(c, 0, c.n, true)
				c.pieces = nil
			}
			return false
		}
		m.finish(c)
		return true
	})
}

// Bounds on the number of bytes that patterns read in order to scan one text. An ordinary text
// needs a small part of it; the bounds protect against texts that are designed to take long.
const (
	workLeast = 1 << 20
	workEach  = 8 // for each byte of the text
)

// find opens candidates for the keywords in a text and returns the automaton's node at the end.
// When it exceeds its bound of work, it masks the rest of the text.
func (m *Masker) find(s state, channel uint64, t *text) uint16 {
	a := m.engine.automaton
	node := s.node
	work := workLeast + workEach*len(t.bytes)
	for i, b := range t.bytes {
		node = a.next[node][b]
		for _, h := range a.hits[node] {
			start := i + 1 - len(h.key)
			if start != 0 && !h.rule.mayFollow(m.byteBefore(s, t.bytes, start)) || !h.rule.begins(t.bytes[max(start, 0):]) ||
				!h.rule.goesOn(t.bytes[i+1:]) {
				continue
			}
			c := m.begin(h, channel, t, i+1)
			if m.advance(c, t, i+1) {
				m.open = append(m.open, c)
			} else {
				m.finish(c)
			}
			if work -= int(c.n); work < 0 {
				m.rest(h.rule, t, i+1)
				m.bound(channel)
				return root
			}
		}
	}
	m.bound(channel)
	return node
}

// bound settles the oldest candidates beyond openLimit. Candidates of a text that stands alone are
// settled together with that text, and are not counted.
func (m *Masker) bound(channel uint64) {
	if n := len(m.open) - openLimit; n > 0 && channel != 0 {
		for _, c := range m.open[:n] {
			m.settle(c)
		}
		m.open = slices.Delete(m.open, 0, n)
	}
}

// rest masks a text from byte from on.
func (m *Masker) rest(r *rule, t *text, from int) {
	n := len(t.bytes)
	if from == n {
		return
	}
	begin, _ := t.at(from, n)
	_, end := t.at(n-1, n)
	c := &candidate{
		rule:   r,
		text:   t.bytes[from:],
		n:      int32(n - from),
		pieces: []piece{{0, int32(n - from), m.frame, begin, end}},
	}
	m.mask(c, 0, c.n, false)
}

// goesOn reports whether the pattern may match the text after the keyword, judging by the first
// bytes of that text.
func (r *rule) goesOn(text []byte) bool {
	if r.declared != "" || r.Open {
		return true
	}
	for i := range min(len(text), len(r.prefix)) {
		if !r.prefix[i].has(text[i]) {
			return false
		}
	}
	return true
}

// begins reports whether a declared secret may begin with the bytes of text that are available.
func (r *rule) begins(text []byte) bool {
	n := min(len(text), len(r.declared))
	return string(text[:n]) == r.declared[:n]
}
