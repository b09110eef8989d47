package dialect

import (
	"bytes"
	"encoding/json"
)

// RawMember gives the value of an object's member as it stands in the text,
// for what is kept verbatim (usage, arguments): fastjson.Value.MarshalTo drops
// white space and may change escapes. Of several members with the same name
// the first counts, as it does for fastjson. The text must be valid JSON; nil
// says that it is no object or has no such member. The result aliases text.
func RawMember(text []byte, name string) []byte {
	s := scanner{text: text}
	if !s.open('{') {
		return nil
	}
	for s.more('}') {
		start := s.at
		s.skipString()
		key := text[start:s.at]
		s.space()
		s.at++ // the colon
		s.space()
		start = s.at
		s.skipValue()
		if isKey(key, name) {
			return text[start:s.at]
		}
	}
	return nil
}

// RawElements calls see with each element of an array as it stands in the
// text, until see returns false. The same holds as for RawMember.
func RawElements(text []byte, see func(element []byte) bool) {
	s := scanner{text: text}
	if !s.open('[') {
		return
	}
	for s.more(']') {
		start := s.at
		s.skipValue()
		if !see(text[start:s.at]) {
			return
		}
	}
}

// isKey compares a quoted key with a name.
func isKey(quoted []byte, name string) bool {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return len(quoted) == len(name)+2 && string(quoted[1:len(quoted)-1]) == name
	}
	var key string
	return json.Unmarshal(quoted, &key) == nil && key == name
}

// scanner walks over valid JSON. On any other text it stops somewhere in it,
// and never runs past its end.
type scanner struct {
	text []byte
	at   int
}

func (s *scanner) space() {
	for s.at < len(s.text) && s.text[s.at] <= ' ' {
		s.at++
	}
}

// peek is the next byte, 0 at the end.
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

// more goes to the next item, over a comma, and reports whether there is one.
func (s *scanner) more(end byte) bool {
	s.space()
	if s.peek() == ',' {
		s.at++
		s.space()
	}
	c := s.peek()
	return c != 0 && c != end && (end != '}' || c == '"')
}

// skipString goes past a string's closing quote.
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

// skipValue goes past any value.
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
