package wellformed

import (
	"encoding/binary"
	"math/bits"
)

// Check reports whether data is one valid JSON value (RFC 8259) and, if it is, how many levels of
// arrays and objects it has. It reads each byte once. Its stack does not grow with the depth; it
// needs one bit of memory for each level.
//
// As in fastjson, which decoders were written against, a control character in a string is accepted
// if an escape follows it in the string.
func Check(data []byte) (depth int, ok bool) {
	var open levels
	i := space(data, 0)
	for {
		// A value begins at i.
		if i >= len(data) {
			return 0, false
		}
		switch c := data[i]; c {
		case '{', '[':
			open.push(c == '{')
			depth = max(depth, open.depth)
			if i = space(data, i+1); i >= len(data) {
				return 0, false
			}
			if data[i] == c+2 { // the code of "]" and "}" is the code of "[" and "{" plus 2
				open.pop()
				i++
				break
			}
			if c == '{' {
				if i = name(data, i); i < 0 {
					return 0, false
				}
			}
			continue
		case '"':
			i = stringEnd(data, i+1)
		case 't':
			i = literal(data, i, "true")
		case 'f':
			i = literal(data, i, "false")
		case 'n':
			i = literal(data, i, "null")
		default:
			i = number(data, i)
		}
		if i < 0 {
			return 0, false
		}
		// A value ends before i.
		for {
			i = space(data, i)
			if open.depth == 0 {
				return depth, i == len(data)
			}
			if i >= len(data) {
				return 0, false
			}
			object, c := open.inObject(), data[i]
			i++
			if c == ',' {
				if i = space(data, i); object {
					if i = name(data, i); i < 0 {
						return 0, false
					}
				}
				break
			}
			if c != ']' && c != '}' || object != (c == '}') {
				return 0, false
			}
			open.pop()
		}
	}
}

// levels is a stack of the open containers. It has one bit for each container, set for an object.
type levels struct {
	bits  uint64   // the innermost containers, up to 64, the last one in the lowest bit
	outer []uint64 // the bits of the containers around these
	depth int
}

func (l *levels) push(object bool) {
	if l.depth%64 == 0 && l.depth > 0 {
		l.outer = append(l.outer, l.bits)
	}
	l.bits <<= 1
	if object {
		l.bits |= 1
	}
	l.depth++
}

func (l *levels) pop() {
	l.bits >>= 1
	l.depth--
	if n := len(l.outer); l.depth%64 == 0 && n > 0 {
		l.bits, l.outer = l.outer[n-1], l.outer[:n-1]
	}
}

func (l *levels) inObject() bool { return l.bits&1 == 1 }

// space returns the index of the first byte from i on that is not white space.
func space(data []byte, i int) int {
	if i < len(data) && data[i] > ' ' {
		return i // the usual case, which the compiler inlines
	}
	return afterSpace(data, i)
}

func afterSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// name returns the index of the value that follows the member's name and the colon at i, -1 if
// there are none.
func name(data []byte, i int) int {
	if i >= len(data) || data[i] != '"' {
		return -1
	}
	if i = stringEnd(data, i+1); i < 0 {
		return -1
	}
	if i = space(data, i); i >= len(data) || data[i] != ':' {
		return -1
	}
	return space(data, i+1)
}

// stringEnd returns the index after the string whose content begins at i, -1 if it is invalid.
func stringEnd(data []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	control := false // there is a control character after the last escape
	for {
		// Find the first quote, backslash or control character in eight bytes. A borrow can mark
		// higher bytes wrongly, but never the lowest marked one.
		for i+8 <= len(data) {
			v := binary.LittleEndian.Uint64(data[i:])
			quote, escape := v^ones*'"', v^ones*'\\'
			found := ((quote-ones)&^quote | (escape-ones)&^escape | (v-ones*' ')&^v) & highs
			if found != 0 {
				i += bits.TrailingZeros64(found) / 8
				break
			}
			i += 8
		}
		if i >= len(data) {
			return -1
		}
		switch c := data[i]; {
		case c == '"':
			if control {
				return -1
			}
			return i + 1
		case c == '\\':
			n := escape(data[i+1:])
			if n < 0 {
				return -1
			}
			i += n
			control = false
		case c < ' ':
			control = true
		}
		i++
	}
}

// escape returns the length of the escape that begins rest after its backslash, -1 if it is invalid.
func escape(rest []byte) int {
	if len(rest) == 0 {
		return -1
	}
	switch rest[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 1
	case 'u':
		const length = len("uffff")
		if len(rest) < length {
			return -1
		}
		for _, c := range rest[1:length] {
			if !isDigit(c) && (c|' ' < 'a' || c|' ' > 'f') {
				return -1
			}
		}
		return length
	}
	return -1
}

// literal returns the index after a literal at i, -1 if it is not there.
func literal(data []byte, i int, text string) int {
	if len(data)-i < len(text) || string(data[i:i+len(text)]) != text {
		return -1
	}
	return i + len(text)
}

// number returns the index after the number at i, -1 if there is none.
func number(data []byte, i int) int {
	if data[i] == '-' {
		i++
	}
	whole := digits(data, i)
	if whole == i || data[i] == '0' && whole > i+1 {
		return -1
	}
	if i = whole; i < len(data) && data[i] == '.' {
		fraction := digits(data, i+1)
		if fraction == i+1 {
			return -1
		}
		i = fraction
	}
	if i < len(data) && data[i]|' ' == 'e' {
		if i++; i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		exponent := digits(data, i)
		if exponent == i {
			return -1
		}
		i = exponent
	}
	return i
}

// digits returns the index of the first byte from i on that is not a digit.
func digits(data []byte, i int) int {
	for i < len(data) && isDigit(data[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
