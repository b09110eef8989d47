package wellformed

import (
	"github.com/valyala/fastjson"

	"tapedeck/internal/jsonstring"
)

// levels is a stack of the open containers, the outermost first. It has one bit for each container,
// set for an object.
type levels struct {
	bits  []uint64
	depth int
}

func (l *levels) push(object bool) {
	if l.depth%64 == 0 && l.depth/64 == len(l.bits) {
		l.bits = append(l.bits, 0)
	}
	bit := uint64(1) << (l.depth % 64)
	l.bits[l.depth/64] &^= bit
	if object {
		l.bits[l.depth/64] |= bit
	}
	l.depth++
}

func (l *levels) pop() { l.depth-- }

func (l *levels) inObject() bool {
	at := l.depth - 1
	return l.bits[at/64]>>(at%64)&1 == 1
}

// validate implements JSON for deep values. fastjson checks strings and numbers.
func validate(data []byte) bool {
	var open levels
	i := 0
	space := func() {
		for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
			i++
		}
	}
	name := func() bool { // a member's name and the colon
		end := scalar(data, i)
		if end < 0 || data[i] != '"' {
			return false
		}
		i = end
		space()
		if i >= len(data) || data[i] != ':' {
			return false
		}
		i++
		space()
		return true
	}
	for {
		// A value begins here.
		space()
		if i >= len(data) {
			return false
		}
		if c := data[i]; c == '[' || c == '{' {
			open.push(c == '{')
			i++
			space()
			empty := i < len(data) && data[i] == c+2 // the code of "]" and "}" is the code of "[" and "{" plus 2
			if !empty {
				if c == '{' && (i >= len(data) || !name()) {
					return false
				}
				continue
			}
			open.pop()
			i++
		} else if i = scalar(data, i); i < 0 {
			return false
		}
		// A value has ended here.
		for {
			space()
			if open.depth == 0 {
				return i == len(data)
			}
			if i >= len(data) {
				return false
			}
			object, c := open.inObject(), data[i]
			i++
			if c == ',' {
				space()
				if object && (i >= len(data) || !name()) {
					return false
				}
				break
			}
			if c == ']' && object || c == '}' && !object || c != ']' && c != '}' {
				return false
			}
			open.pop()
		}
	}
}

// scalar returns the end of the string, number or literal that begins at i, -1 if there is none.
func scalar(data []byte, i int) int {
	end := i
	if data[i] == '"' {
		end = jsonstring.End(data, end+1) + 1
	} else {
		for end < len(data) && !delimits(data[end]) {
			end++
		}
	}
	if end == i || end > len(data) || fastjson.ValidateBytes(data[i:end]) != nil {
		return -1
	}
	return end
}

func delimits(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', ',', ':', '[', ']', '{', '}', '"':
		return true
	}
	return false
}
