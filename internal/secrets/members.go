package secrets

import (
	"encoding/json"

	"tapedeck/internal/jsonstring"
)

// byteOrderMark may begin a text. Many JSON parsers skip it.
var byteOrderMark = []byte("\ufeff")

// Cut is a replaced range of a text: bytes [From, To) of the original text, which were replaced by
// Length bytes.
type Cut struct{ From, To, Length int }

// MaskMembers replaces secret strings in JSON by Mask: in one or several objects, or arrays of
// objects. A string, or each string of an array, is a secret in one of these cases:
//
//   - it is a member of an outermost object and its name denotes a secret;
//   - at any depth, its name is used for nothing but secrets (access_token);
//   - it is in a member that holds header fields, environment variables or credentials (headers,
//     env, credentials), and its name denotes a secret there.
//
// All other bytes stay unchanged, and the text stays as valid as it was. text may be the beginning
// of an object or an array, and an element of an array with the comma before it; in any other text
// nothing is replaced. MaskMembers does not change text: masked is a copy, or text itself if there
// are no cuts.
func (n Names) MaskMembers(text []byte) (masked []byte, cuts []Cut) { return n.maskMembers(text, body) }

// MaskAnswer does the same as MaskMembers for the answer of a server, with one difference: a member
// of the outermost object whose name does not always denote a secret is replaced only if its value
// looks like a credential.
func (n Names) MaskAnswer(text []byte) (masked []byte, cuts []Cut) {
	return n.maskMembers(text, answer)
}

func (n Names) maskMembers(text []byte, outermost scope) (masked []byte, cuts []Cut) {
	masked = text
	last := 0
	n.eachSecret(text, outermost, func(from, to int) {
		from++
		if to > from && text[to-1] == '"' && closes(text, from, to) {
			to-- // keep the quotes
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

// closes reports whether the quote before byte to ends the string whose text begins at byte from.
// Otherwise that quote is escaped and the string is cut off there.
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

// stringEnd returns the end of the string that begins at byte i, or the end of the text if the
// string is cut off.
func stringEnd(text []byte, i int) int { return min(jsonstring.End(text, i+1)+1, len(text)) }

// valueEnd returns the end of the value that begins at byte i.
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

// unquote returns the name of a member without quotes and escapes.
func unquote(quoted []byte) string {
	var name string
	if json.Unmarshal(quoted, &name) != nil {
		return string(quoted)
	}
	return name
}
