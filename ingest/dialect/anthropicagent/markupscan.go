package anthropicagent

import (
	"bytes"
	"slices"
)

// scanner splits XML that comes in pieces into tags, CDATA and text. It is not an XML parser: the
// library does not escape the text between tags, so that such a body ends with its own closing
// tag only. Between pieces it keeps an unfinished tag or the beginning of an end.
type scanner struct {
	held  []byte // an unfinished tag or end
	at    int    // how far held was searched for a tag's end
	quote bool   // whether that is inside of quotes
	until []byte // what ends the literal text or CDATA in progress; nil outside of both
	cdata bool   // until ends CDATA
	limit int    // bounds a tag, bytes; a "<" before a longer one is text
}

// sink receives tags and texts. The arguments are valid during the call.
type sink interface {
	// open receives a start tag: its name, its attributes, and whether it is empty. It returns
	// whether the body of the element is literal text.
	open(name, attributes []byte, empty bool) (literal bool)
	// text receives a piece of text. CDATA comes without its delimiters.
	text(piece []byte, cdata bool)
	// end receives an end tag.
	end(name []byte)
}

var (
	cdataStart = []byte("<![CDATA[")
	cdataEnd   = []byte("]]>")
)

// feed reads the next piece.
func (s *scanner) feed(piece []byte, to sink) {
	rest := piece
	if len(s.held) > 0 {
		s.held = append(s.held, piece...)
		rest = s.held
	}
	for len(rest) > 0 {
		n, more := s.next(rest, to)
		rest = rest[n:]
		if more {
			break
		}
	}
	s.hold(rest)
}

// hold keeps unfinished text.
func (s *scanner) hold(rest []byte) {
	switch {
	case len(rest) > 0:
		s.held = append(s.held[:0], rest...) // rest may alias held, which append allows
	case cap(s.held) > roomKept:
		s.held = nil
	default:
		s.held = s.held[:0]
	}
}

// next reads one tag or text at the beginning of rest and returns its length. more reports that
// its rest has not come yet.
func (s *scanner) next(rest []byte, to sink) (n int, more bool) {
	if s.until != nil {
		return s.literal(rest, to)
	}
	if rest[0] != '<' {
		n = bytes.IndexByte(rest, '<')
		if n < 0 {
			n = len(rest)
		}
		to.text(rest[:n], false)
		return n, false
	}
	switch {
	case bytes.HasPrefix(rest, cdataStart):
		s.until, s.cdata = cdataEnd, true
		return len(cdataStart), false
	case bytes.HasPrefix(cdataStart, rest):
		return 0, true
	case len(rest) > 1 && !isTagStart(rest[1]):
		to.text(rest[:1], false)
		return 1, false
	}
	end := s.tagEnd(rest)
	switch {
	case end >= 0 && end <= s.limit:
		s.tag(rest[1:end], to)
		return end + 1, false
	case end >= 0 || len(rest) > s.limit:
		s.at, s.quote = 0, false
		to.text(rest[:1], false)
		return 1, false
	}
	return 0, true
}

// isTagStart reports whether a tag may begin with c after the "<".
func isTagStart(c byte) bool {
	return c == '/' || c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// tagEnd returns the index of a tag's ">" outside of quotes, or -1.
func (s *scanner) tagEnd(rest []byte) int {
	i := max(s.at, 1)
	for i < len(rest) {
		stops := `">`
		if s.quote {
			stops = `"`
		}
		n := bytes.IndexAny(rest[i:], stops)
		if n < 0 {
			break
		}
		i += n
		if rest[i] == '>' {
			s.at, s.quote = 0, false
			return i
		}
		s.quote = !s.quote
		i++
	}
	s.at = len(rest)
	return -1
}

// tag reads a tag without its angle brackets.
func (s *scanner) tag(tag []byte, to sink) {
	if tag[0] == '/' {
		to.end(bytes.TrimSpace(tag[1:]))
		return
	}
	tag, empty := bytes.CutSuffix(tag, []byte("/"))
	name, attributes := tag, []byte(nil)
	if i := bytes.IndexAny(tag, " \t\r\n"); i >= 0 {
		name, attributes = tag[:i], tag[i:]
	}
	if to.open(name, attributes, empty) && !empty {
		s.until = slices.Concat([]byte("</"), name, []byte(">"))
		s.cdata = false
	}
}

// literal reads text up to its end, and holds back what may be the beginning of the end.
func (s *scanner) literal(rest []byte, to sink) (n int, more bool) {
	if i := bytes.Index(rest, s.until); i >= 0 {
		if i > 0 {
			to.text(rest[:i], s.cdata)
		}
		end := s.until
		cdata := s.cdata
		s.until, s.cdata = nil, false
		if !cdata {
			to.end(end[2 : len(end)-1])
		}
		return i + len(end), false
	}
	keep := min(len(s.until)-1, len(rest))
	for !bytes.HasPrefix(s.until, rest[len(rest)-keep:]) {
		keep--
	}
	if n = len(rest) - keep; n > 0 {
		to.text(rest[:n], s.cdata)
	}
	return n, true
}

// attribute returns the value of an attribute between its quotes, escaped, or nil.
func attribute(attributes []byte, name string) []byte {
	for len(attributes) > 0 {
		eq := bytes.Index(attributes, []byte(`="`))
		if eq < 0 {
			return nil
		}
		key, value := bytes.TrimSpace(attributes[:eq]), attributes[eq+2:]
		end := bytes.IndexByte(value, '"')
		if end < 0 {
			return nil
		}
		if string(key) == name {
			return value[:end:end]
		}
		attributes = value[end+1:]
	}
	return nil
}
