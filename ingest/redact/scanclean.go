package redact

// scanClean follows a growing text of a frame that is clean. If a keyword in the text began in an
// earlier frame, scanClean returns false and changes nothing.
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

// after returns the state of a channel after a text in which no keyword begins and ends. ok is
// false if a keyword that began earlier ends in the text.
func (m *Masker) after(s state, text []byte) (now state, ok bool) {
	a := m.engine.automaton
	n, i := s.node, 0
	for n != root && i < len(text) {
		n = a.next[n][text[i]]
		i++
		if len(a.paths[n]) <= i { // no keyword from an earlier text is open
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

// afterEscapes does the same as after for a text that ends near an escape.
func (m *Masker) afterEscapes(s state, text []byte) (state, bool) {
	const enough = 256 // more than the bytes of the longest keyword if all of it is escaped
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
