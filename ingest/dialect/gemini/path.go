package gemini

import (
	"bytes"
	"strconv"
	"strings"

	"tapedeck/ingest/dialect"
)

// step is a step of a JSON path: to a member by its name, or to an element.
type step struct {
	name  string
	index int // -1 for a name
}

// container returns the kind of the value that the step selects from.
func (s step) container() byte {
	if s.index < 0 {
		return '{'
	}
	return '['
}

// depthLimit bounds the steps of a path.
const depthLimit = 64

// pathOf parses a JSON path (RFC 9535) to one value: "$.foo.bar[0].data", "$['foo']". The first
// step is a name, as arguments are an object.
func pathOf(text []byte) (path []step, ok bool) {
	rest, ok := bytes.CutPrefix(text, []byte("$"))
	for ok && len(rest) > 0 && len(path) < depthLimit {
		s := step{index: -1}
		switch rest[0] {
		case '.':
			end := bytes.IndexAny(rest[1:], ".[") + 1
			if end == 0 {
				end = len(rest)
			}
			s.name, rest = string(rest[1:end]), rest[end:]
			ok = s.name != ""
		case '[':
			s, rest, ok = bracket(rest[1:])
		default:
			ok = false
		}
		path = append(path, s)
	}
	return path, ok && len(rest) == 0 && len(path) > 0 && path[0].index < 0
}

// bracket parses what follows a "[": an index, or a name in quotes.
func bracket(text []byte) (s step, rest []byte, ok bool) {
	s.index = -1
	if len(text) > 0 && (text[0] == '\'' || text[0] == '"') {
		quote := text[0]
		end := 1
		for end < len(text) && text[end] != quote {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		if end+1 >= len(text) || text[end+1] != ']' {
			return s, nil, false
		}
		s.name = unquoteName(string(text[1:end]))
		return s, text[end+2:], true
	}
	digits, rest, ok := bytes.Cut(text, []byte("]"))
	n, err := strconv.ParseUint(dialect.Alias(digits), 10, 31)
	s.index = int(n)
	return s, rest, ok && err == nil
}

// unquoteName unescapes a name in quotes.
func unquoteName(name string) string {
	if !strings.Contains(name, `\`) {
		return name
	}
	name = strings.ReplaceAll(name, `\'`, `'`)
	text, _ := dialect.Unquote([]byte(`"`+name+`"`), nil)
	return string(text)
}

// valueOf reads the value of a piece. For a string it returns the text between its quotes. A
// piece at the end of a string may have no value.
func valueOf(piece []byte) (kind byte, value []byte, ok bool) {
	if text := dialect.RawMember(piece, "stringValue"); len(text) > 1 && text[0] == '"' {
		return '"', text[1 : len(text)-1], true
	}
	for _, name := range [...]string{"numberValue", "boolValue"} {
		if value = dialect.RawMember(piece, name); !dialect.RawNull(value) {
			return 'v', value, value[0] != '{' && value[0] != '['
		}
	}
	if dialect.RawMember(piece, "nullValue") != nil {
		return 'v', []byte("null"), true
	}
	return '"', nil, dialect.RawMember(piece, "jsonPath") != nil
}
