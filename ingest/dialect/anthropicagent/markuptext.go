package anthropicagent

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"tapedeck/internal/wellformed"
)

// The library escaped text in tags in three ways over time, and no frame states which:
//
//   - at first not at all: newlines are not escaped, which breaks SSE;
//   - then a newline became a backslash and an n;
//   - at last backslashes were also doubled before that, but only in output of the model: not
//     in results of the agent's own tools, and not in meta_ tags.
//
// Unescaped newlines identify the first way. JSON that is valid only with single backslashes, or
// only with doubled ones, identifies the other two. Until one of them is identified, the last way
// is assumed.
type escapes struct {
	verbatim bool // newlines are not escaped
	single   bool // backslashes are not doubled
	double   bool // backslashes are doubled
	slash    bool // a text's piece ended in the middle of an escape
}

// text unescapes a piece of the model's text. The result may use room.
func (e *escapes) text(piece, room []byte) []byte {
	if e.verbatim || !e.slash && bytes.IndexByte(piece, '\\') < 0 {
		return piece
	}
	out := room[:0]
	for _, c := range piece {
		switch {
		case !e.slash && c == '\\':
			e.slash = true
			continue
		case !e.slash:
			out = append(out, c)
			continue
		case c == 'n':
			out = append(out, '\n')
		case c == '\\' && !e.single:
			out = append(out, '\\')
		case c == '\\': // one backslash ends here; the second may begin an escape
			out = append(out, '\\')
			continue
		default:
			out = append(out, '\\', c)
		}
		e.slash = false
	}
	return out
}

// rest returns what remains of an incomplete escape at a text's end.
func (e *escapes) rest() []byte {
	if !e.slash {
		return nil
	}
	e.slash = false
	return []byte{'\\'}
}

// json unescapes JSON of the model, and learns the way of escaping from it. The result aliases raw
// if it has no escapes.
func (e *escapes) json(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	halved, paired := halve(raw)
	asIs := wellformed.JSON(raw)
	undone := paired && wellformed.JSON(halved)
	switch {
	case asIs && !undone:
		e.single = true
	case undone && !asIs:
		e.double = true
	}
	if undone && (!asIs || e.double || !e.single && !e.verbatim) {
		return halved
	}
	return raw
}

// halve replaces two backslashes by one. paired reports that all backslashes come in pairs.
func halve(raw []byte) (out []byte, paired bool) {
	out = make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' {
			if i+1 == len(raw) || raw[i+1] != '\\' {
				return nil, false
			}
			i++
		}
		out = append(out, raw[i])
	}
	return out, true
}

// result unescapes the result of an agent's own tool: newlines only, and not in JSON, which has
// its own.
func (e *escapes) result(raw []byte) []byte {
	if e.verbatim || !bytes.Contains(raw, []byte(`\n`)) || isJSON(raw) {
		return raw
	}
	return bytes.ReplaceAll(raw, []byte(`\n`), []byte("\n"))
}

// whole unescapes JSON whose author is not known.
func (e *escapes) whole(raw []byte) []byte {
	if wellformed.JSON(raw) {
		return raw
	}
	for _, undone := range [][]byte{bytes.ReplaceAll(raw, []byte(`\n`), []byte("\n")), e.json(raw)} {
		if wellformed.JSON(undone) {
			return undone
		}
	}
	return raw
}

// entities are the entities that the library writes.
var entities = []struct {
	name string
	c    byte
}{{"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"apos;", '\''}}

// unescape replaces HTML entities in an attribute's value. The result aliases the value if there
// are none.
func unescape(value []byte) []byte {
	n := bytes.IndexByte(value, '&')
	if n < 0 {
		return value
	}
	out := make([]byte, 0, len(value))
	for n >= 0 {
		out = append(out, value[:n]...)
		var size int
		out, size = entity(out, value[n:])
		value = value[n+size:]
		n = bytes.IndexByte(value, '&')
	}
	return append(out, value...)
}

// entity appends the character of the entity at the beginning of text, and returns the entity's
// length.
func entity(out, text []byte) (grown []byte, size int) {
	for _, e := range entities {
		if bytes.HasPrefix(text[1:], []byte(e.name)) {
			return append(out, e.c), 1 + len(e.name)
		}
	}
	end := bytes.IndexByte(text[:min(len(text), 12)], ';')
	if end > 2 && text[1] == '#' {
		digits, base := string(text[2:end]), 10
		if digits[0] == 'x' || digits[0] == 'X' {
			digits, base = digits[1:], 16
		}
		if r, err := strconv.ParseUint(digits, base, 21); err == nil && utf8.ValidRune(rune(r)) {
			return utf8.AppendRune(out, rune(r)), end + 1
		}
	}
	return append(out, '&'), 1
}
