package ndjson

// event is the construct at which a scanner stopped.
type event uint8

const (
	within     event = iota
	elementEnd       // an element ends with the last consumed byte
	numberEnd        // an element ended before the next byte, which was not consumed
	arrayEnd         // the array ends with the last consumed byte
	broken           // the next byte, which was not consumed, is not valid in a JSON array
)

// scanner finds the ends of the elements of a JSON array, beginning after its "[". It checks no
// more of the JSON than that requires.
type scanner struct {
	depth   int  // number of open brackets inside the element
	quoted  bool // inside a string
	escaped bool // after a backslash in a string
	number  bool // inside a number or a literal
	closed  bool // the array ended
}

// between reports whether no element is in progress.
func (s *scanner) between() bool { return s.depth == 0 && !s.number && !s.quoted }

// next consumes bytes up to the next event and returns how many.
func (s *scanner) next(p []byte) (int, event) {
	for i := 0; i < len(p); i++ {
		switch ev := s.step(p[i]); ev {
		case within:
		case numberEnd:
			return i, elementEnd
		case broken:
			return i, broken
		default:
			return i + 1, ev
		}
	}
	return len(p), within
}

// step consumes one byte.
func (s *scanner) step(b byte) event {
	switch {
	case s.quoted:
		return s.inString(b)
	case b == '"':
		if s.number {
			return broken
		}
		s.quoted = true
	case s.depth > 0:
		return s.inElement(b)
	case s.number:
		if isBlankByte(b) || b == ',' || b == ']' {
			s.number = false
			return numberEnd
		}
	case isBlankByte(b) || b == ',':
	case b == ']':
		s.closed = true
		return arrayEnd
	case b == '{' || b == '[':
		s.depth = 1
	case b == '-' || b == 't' || b == 'f' || b == 'n' || '0' <= b && b <= '9':
		s.number = true
	default:
		return broken
	}
	return within
}

func (s *scanner) inString(b byte) event {
	switch {
	case b == '\n': // JSON has no line end in a string
		return broken
	case s.escaped:
		s.escaped = false
	case b == '\\':
		s.escaped = true
	case b == '"':
		s.quoted = false
		if s.depth == 0 {
			return elementEnd
		}
	}
	return within
}

func (s *scanner) inElement(b byte) event {
	switch b {
	case '{', '[':
		s.depth++
	case '}', ']':
		if s.depth--; s.depth == 0 {
			return elementEnd
		}
	}
	return within
}

func isBlankByte(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }
