package sse

import "bytes"

// scan scans p up to the end of the event. It returns how many bytes belong to the event,
// and whether the event ends there; the number is 0 if the event ended before p.
func (c *Framer) scan(p []byte) (n int, ended bool) {
	for n < len(p) {
		switch c.state {
		case inLine:
			i := lineEnd(p[n:])
			if i < 0 {
				return len(p), false
			}
			n += i + 1
			if c.crlf = false; p[n-1] == '\r' {
				c.state = afterCR
			} else {
				c.state = lineStart
			}
		case afterCR:
			c.state = lineStart
			if p[n] == '\n' {
				c.crlf = true
				n++
			}
		case afterBlankCR:
			c.state = lineStart
			if p[n] == '\n' {
				return n + 1, true
			}
			c.crlf = false
			return n, true
		case lineStart:
			switch p[n] {
			case '\n':
				c.crlf = false
				return n + 1, true
			case '\r':
				n++
				if !c.crlf {
					return n, true
				}
				c.state = afterBlankCR
			default:
				c.state = inLine
			}
		}
	}
	return n, false
}

// window bounds the search for one of the two line ends before the other is searched for. In a
// stream with only one of them, an unbounded search for the other would scan the whole read for
// every line.
const window = 1 << 10

// lineEnd returns the index of the first CR or LF, -1 for none.
func lineEnd(p []byte) int {
	for start := 0; start < len(p); start += window {
		w := p[start:min(start+window, len(p))]
		lf := bytes.IndexByte(w, '\n')
		if lf >= 0 {
			w = w[:lf]
		}
		if cr := bytes.IndexByte(w, '\r'); cr >= 0 {
			return start + cr
		}
		if lf >= 0 {
			return start + lf
		}
	}
	return -1
}
