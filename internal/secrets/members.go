package secrets

import (
	"encoding/json"

	"tapedeck/internal/jsonstring"
)

// byteOrderMark may begin a text; many JSON parsers skip it.
var byteOrderMark = []byte("\ufeff")

// Cut is a part of a text that was replaced.
type Cut struct{ From, To, Length int } // [From, To) of the original text, and the length of the replacement

// MaskMembers replaces the values of members of an object that are secrets by Mask, if they are strings, and the
// strings of those that are arrays: the object's own ones by their names; at any depth those whose names are never
// those of anything else (access_token), and what the members that hold header fields, environments and credentials
// have (headers, env, credentials). All other bytes stay, and the text is as valid as it was. text
// may be the beginning of an object; in anything else nothing is replaced. text is not
// changed: masked is a copy, or text itself without cuts.
func (n Names) MaskMembers(text []byte) (masked []byte, cuts []Cut) { return n.maskMembers(text, body) }

// MaskAnswer is MaskMembers for what a server answers: of its own members, those that only may be secrets by their names
// are replaced if they look like credentials.
func (n Names) MaskAnswer(text []byte) (masked []byte, cuts []Cut) {
	return n.maskMembers(text, answer)
}

func (n Names) maskMembers(text []byte, outermost scope) (masked []byte, cuts []Cut) {
	masked = text
	last := 0
	n.eachSecret(text, outermost, func(from, to int) {
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
