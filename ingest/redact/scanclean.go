package redact

// scanClean follows the growing texts of a frame that is clean. It returns false, and has not
// changed anything, at a text with a keyword that began in an earlier frame.
func (m *Masker) scanClean(raw []byte, l *leaf) bool {
	text := raw[l.from:l.to]
	here := m.states.find(l.path)
	now, ok := m.after(here.value(), text)
	if !ok {
		return false
	}
	if m.walker.identity != 0 {
		message := l.path ^ (m.walker.identity | 1)
		there := m.states.find(message)
		then := now
		if there.value() != here.value() {
			if then, ok = m.after(there.value(), text); !ok {
				return false
			}
		}
		if there != nil {
			there.state = then
		} else if then != (state{}) {
			m.states.set(message, then)
			here = m.states.find(l.path) // the table may have grown
		}
	}
	if here != nil {
		here.state = now
	} else if now != (state{}) {
		m.states.set(l.path, now)
	}
	return true
}

// after returns where a channel is after a text in which no keyword begins and ends. ok is
// false if a keyword ends in it that began before.
func (m *Masker) after(s state, text []byte) (now state, ok bool) {
	a := m.engine.automaton
	n, i := s.node, 0
	for n != root && i < len(text) {
		n = a.next[n][text[i]]
		i++
		if len(a.paths[n]) <= i { // what began before has ended
			break
		}
		if a.ends[n] {
			return s, false
		}
	}
	if len(a.paths[n]) <= i {
		n = a.tail(text)
	}
	if n == root {
		return state{}, true
	}
	path := len(a.paths[n])
	for _, c := range text[max(len(text)-path-2, 0):] {
		if c == '\\' {
			return m.afterEscapes(s, text)
		}
	}
	return state{n, m.byteBefore(s, text, len(text)-path)}, true
}

// afterEscapes is after for a text that ends near an escape.
func (m *Masker) afterEscapes(s state, text []byte) (state, bool) {
	const enough = 256 // more than the longest keyword in escapes
	if len(text) > enough {
		begin := len(text) - enough
		for begin > 0 && text[begin-1] == '\\' {
			begin--
		}
		text, s = text[begin:], state{}
	}
	t := decoded(text, 0, len(text), m.buf, m.ends)
	if t.ends != nil {
		m.buf, m.ends = t.bytes, t.ends
	}
	node, quiet := m.engine.automaton.quiet(s.node, t.bytes)
	if !quiet {
		return s, false
	}
	if node == root {
		return state{}, true
	}
	return state{node, m.byteBefore(s, t.bytes, len(t.bytes)-len(m.engine.automaton.paths[node]))}, true
}
