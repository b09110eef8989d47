package anthropicagent

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"tapedeck/internal/wellformed"
)

// What stands in tags was escaped in three ways, one for each age of the
// library, and nothing says which:
//
//   - at first not at all: newlines stand as they are, which breaks SSE;
//   - then newlines became a backslash and an n;
//   - at last backslashes were doubled before that, but only in what comes from
//     the model: not in results of the agent's own tools, and not in meta_ tags.
//
// Newlines that stand as they are show the first, and JSON that is valid
// only if its backslashes are single (or double) the others. Until then the last
// is assumed.
type escapes struct {
	verbatim bool // newlines stand as they are
	single   bool // backslashes are not doubled
	double   bool // backslashes are doubled
	slash    bool // a text's piece ended in the middle of an escape
}

// text undoes the escapes of a piece of the model's text. room is for the
// result.
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
		case c == '\\': // the first is one of its own, the second may begin an escape
			out = append(out, '\\')
			continue
		default:
			out = append(out, '\\', c)
		}
		e.slash = false
	}
	return out
}

// rest is what a text's last piece ended with.
func (e *escapes) rest() []byte {
	if !e.slash {
		return nil
	}
	e.slash = false
	return []byte{'\\'}
}

// json undoes the escapes of JSON that comes from the model, and learns from it.
// It aliases raw where nothing is to be undone.
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

// halve makes one backslash of two. paired says that there are only pairs.
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

// result undoes the escapes of what a tool of the agent's returned: newlines
// only, and not in JSON, where they are JSON's own.
func (e *escapes) result(raw []byte) []byte {
	if e.verbatim || !bytes.Contains(raw, []byte(`\n`)) || isJSON(raw) {
		return raw
	}
	return bytes.ReplaceAll(raw, []byte(`\n`), []byte("\n"))
}

// whole undoes the escapes of JSON of which it is not known who wrote it.
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

// entities are those that escaping writes.
var entities = []struct {
	name string
	c    byte
}{{"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"apos;", '\''}}

// unescape undoes HTML's escapes in an attribute's value. It aliases the value
// where there are none.
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

// entity appends what the "&" at the beginning of text stands for, and says how
// long it is.
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
