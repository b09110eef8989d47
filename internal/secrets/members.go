package secrets

import (
	"bytes"
	"encoding/json"

	"tapedeck/internal/jsonstring"
)

// byteOrderMark may begin a text; many JSON parsers skip it.
var byteOrderMark = []byte("\ufeff")

// Cut is a part of a text that was replaced.
type Cut struct{ From, To, Length int } // [From, To) of the original text, and the length of the replacement

// MaskMembers replaces the values of an object's own members that are secrets by Mask, if the
// values are strings, and the strings in such values that are arrays. All other bytes are
// unchanged, and a valid text stays valid. text may be the beginning of an object; in anything else
// nothing is replaced. text is not changed: masked is a copy, or text itself if there are no cuts.
func (n Names) MaskMembers(text []byte) (masked []byte, cuts []Cut) {
	masked = text
	last := 0
	mask := func(from, to int) {
		from++
		if to > from && text[to-1] == '"' && closes(text, from, to) {
			to-- // the quotes stay
		}
		if string(text[from:to]) == Mask {
			return
		}
		if cuts == nil {
			masked = make([]byte, 0, len(text)+len(Mask))
		}
		masked = append(append(masked, text[last:from]...), Mask...)
		last = to
		cuts = append(cuts, Cut{from, to, len(Mask)})
	}
	eachMember(text, func(name []byte, from, to int) {
		if (text[from] == '"' || text[from] == '[') && n.Member(unquote(name)) {
			eachString(text, from, to, mask)
		}
	})
	if cuts != nil {
		masked = append(masked, text[last:]...)
	}
	return masked, cuts
}

// closes reports whether the quote before to ends the string whose text begins at from. Otherwise
// it is an escaped quote at which the string is cut off.
func closes(text []byte, from, to int) bool {
	escapes := 0
	for i := to - 2; i >= from && text[i] == '\\'; i-- {
		escapes++
	}
	return escapes%2 == 0
}

// Masked lists the members of an object whose values, or strings in them, were replaced.
func Masked(text []byte) (names []string) {
	eachMember(text, func(name []byte, from, to int) {
		masked := false
		eachString(text, from, to, func(from, to int) { masked = masked || string(text[from:to]) == `"`+Mask+`"` })
		if masked {
			names = append(names, unquote(name))
		}
	})
	return names
}

// eachMember calls see for each of an object's own members, with its quoted name and the range of
// its value.
func eachMember(text []byte, see func(name []byte, from, to int)) {
	i := 0
	if bytes.HasPrefix(text, byteOrderMark) {
		i = len(byteOrderMark)
	}
	i = space(text, i)
	if i >= len(text) || text[i] != '{' {
		return
	}
	for {
		i = space(text, i+1)
		if i >= len(text) || text[i] != '"' {
			return
		}
		nameEnd := stringEnd(text, i)
		name := text[i:nameEnd]
		if i = space(text, nameEnd); i >= len(text) || text[i] != ':' {
			return
		}
		from := space(text, i+1)
		if from >= len(text) {
			return
		}
		to := valueEnd(text, from)
		see(name, from, to)
		if i = space(text, to); i >= len(text) || text[i] != ',' {
			return
		}
	}
}

// eachString calls see with the range of a value that is a string, or of each string that is a
// direct element of an array.
func eachString(text []byte, from, to int, see func(from, to int)) {
	switch text[from] {
	case '"':
		see(from, to)
	case '[':
		for i := from; i < to && (i == from || text[i] == ','); {
			if i = space(text, i+1); i >= to {
				return
			}
			end := valueEnd(text, i)
			if text[i] == '"' {
				see(i, end)
			}
			i = space(text, end)
		}
	}
}

func space(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns the end of the string that begins at i, or of the text if the string is cut
// off.
func stringEnd(text []byte, i int) int { return min(jsonstring.End(text, i+1)+1, len(text)) }

// valueEnd returns the end of the value that begins at i.
func valueEnd(text []byte, i int) int {
	depth := 0
	for i < len(text) {
		switch text[i] {
		case '"':
			if i = stringEnd(text, i); depth == 0 {
				return i
			}
			continue
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth < 0 {
				return i
			}
			if depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// unquote returns a member's name without quotes and escapes.
func unquote(quoted []byte) string {
	var name string
	if json.Unmarshal(quoted, &name) != nil {
		return string(quoted)
	}
	return name
}
