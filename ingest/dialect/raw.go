package dialect

import "bytes"

// The functions in this file read the text of valid JSON (an Input whose JSON is not nil) without
// building values. They serve values that are kept as they were in the frame (usage, arguments),
// which fastjson.Value.MarshalTo does not return, and decoders that must be fast. On invalid text
// they stop early and never read past the end. All results alias the text.

// Members iterates over the members of an object.
type Members struct{ s scanner }

// MembersOf returns an iterator before the object's first member. ok is false if text is not an
// object.
func MembersOf(text []byte) (m Members, ok bool) {
	m.s.text = text
	return m, m.s.open('{')
}

// Next returns the next member: its name unescaped, and its value as JSON. ok is false after the
// last member.
func (m *Members) Next() (name, value []byte, ok bool) {
	text, i := m.s.text, m.s.at
	for i < len(text) && (text[i] <= ' ' || text[i] == ',') {
		i++
	}
	if i >= len(text) || text[i] != '"' {
		return nil, nil, false
	}
	i++
	start := i
	for i < len(text) && text[i] != '"' {
		if text[i] == '\\' {
			return m.nextEscaped(start - 1)
		}
		i++
	}
	name = text[start:i]
	return name, m.value(i + 1), true
}

// value returns the value after a name that ends before place i.
func (m *Members) value(i int) []byte {
	text := m.s.text
	for i < len(text) && (text[i] <= ' ' || text[i] == ':') {
		i++
	}
	start := min(i, len(text))
	if start < len(text) && text[start] == '"' {
		// Nearly all strings end with their first quote.
		if n := bytes.IndexByte(text[start+1:], '"'); n >= 0 && text[start+n] != '\\' {
			m.s.at = start + n + 2
			return text[start:m.s.at]
		}
	}
	m.s.at = start
	m.s.skipValue()
	return text[start:m.s.at]
}

// nextEscaped is Next for a name with escapes, which begins at place i.
func (m *Members) nextEscaped(i int) (name, value []byte, ok bool) {
	m.s.at = i
	m.s.skipString()
	name, _ = Unquote(m.s.text[i:m.s.at], nil)
	return name, m.value(m.s.at), true
}

// inner returns the text between a string's quotes.
func inner(quoted []byte) []byte {
	if len(quoted) < 2 {
		return nil
	}
	return quoted[1 : len(quoted)-1]
}

// RawMember returns the value of an object's member. Of several members with one name it returns
// the first, as fastjson does. It returns nil if text is not an object or has no such member.
func RawMember(text []byte, name string) []byte {
	m, ok := MembersOf(text)
	for ok {
		var key, value []byte
		if key, value, ok = m.Next(); ok && string(key) == name {
			return value
		}
	}
	return nil
}

// RawElements calls see with each element of an array until see returns false.
func RawElements(text []byte, see func(element []byte) bool) {
	s := scanner{text: text}
	if !s.open('[') {
		return
	}
	for s.more(']') {
		start := s.at
		s.skipValue()
		if s.at == start { // a bracket that closes nothing: the text is invalid
			return
		}
		if !see(text[start:s.at]) {
			return
		}
	}
}

// scanner reads JSON.
type scanner struct {
	text []byte
	at   int
}

func (s *scanner) space() {
	for s.at < len(s.text) && s.text[s.at] <= ' ' {
		s.at++
	}
}

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.at >= len(s.text) {
		return 0
	}
	return s.text[s.at]
}

func (s *scanner) open(bracket byte) bool {
	s.space()
	if s.peek() != bracket {
		return false
	}
	s.at++
	return true
}

// more skips a comma to the next item and reports whether there is one.
func (s *scanner) more(end byte) bool {
	s.space()
	if s.peek() == ',' {
		s.at++
		s.space()
	}
	c := s.peek()
	return c != 0 && c != end && (end != '}' || c == '"')
}

// skipString skips past a string's closing quote.
func (s *scanner) skipString() {
	s.at++
	for s.at < len(s.text) {
		n := bytes.IndexByte(s.text[s.at:], '"')
		if n < 0 {
			break
		}
		quote := s.at + n
		escapes := 0
		for i := quote - 1; i >= s.at && s.text[i] == '\\'; i-- {
			escapes++
		}
		s.at = quote + 1
		if escapes%2 == 0 {
			return
		}
	}
	s.at = len(s.text)
}

// skipValue skips any value.
func (s *scanner) skipValue() {
	depth := 0
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case '"':
			s.skipString()
			if depth == 0 {
				return
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				if depth == 0 {
					s.at++
				}
				return
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return
			}
		}
		s.at++
	}
	s.at = min(s.at, len(s.text))
}
