package custom

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tapedeck/ingest/dialect"
)

// path is a place in a frame: "a.b[0].c[*]", relative to the frame or to the element of "each".
// "$.a" is always relative to the frame.
type path struct {
	text  string
	field field
	root  bool // relative to the frame also in "each"
	value []byte
	steps []step
}

// field is the start of a path.
type field uint8

const (
	inJSON     field = iota
	memberName       // $key: the name of the present member of "each"
	eventName        // $event: the SSE event's name
	eventID          // $id: its id
	direction        // $direction: receive or send
	constant         // =text
)

// step selects a member or an element of a value.
type step struct {
	name  string
	index int  // of an element, if name is ""
	all   bool // all elements of a list, or the values of all members of an object
}

const (
	maxPath  = 512 // bytes
	maxSteps = 32
)

// parsePath reads a path.
func parsePath(text string) (path, error) {
	p := path{text: text}
	switch {
	case text == "":
		return p, errors.New("the path is empty")
	case len(text) > maxPath:
		return p, fmt.Errorf("the path has %d bytes, more than %d", len(text), maxPath)
	case text[0] == '=':
		p.field, p.value = constant, []byte(text[1:])
		return p, nil
	case text == "$key":
		p.field = memberName
		return p, nil
	case text == "$event":
		p.field = eventName
		return p, nil
	case text == "$id":
		p.field = eventID
		return p, nil
	case text == "$direction":
		p.field = direction
		return p, nil
	}
	rest := text
	if rest[0] == '$' {
		p.root = true
		rest = rest[1:]
		if rest != "" && rest[0] != '.' && rest[0] != '[' {
			return p, fmt.Errorf("%q: after $ comes a dot or a bracket; the other fields are $key, $event, $id and $direction", text)
		}
		rest = strings.TrimPrefix(rest, ".")
		if rest == "" {
			return p, nil
		}
	}
	if rest == "." { // the element itself
		return p, nil
	}
	for rest != "" {
		s, after, err := parseStep(rest)
		if err != nil {
			return p, fmt.Errorf("%q: %w", text, err)
		}
		if p.steps = append(p.steps, s); len(p.steps) > maxSteps {
			return p, fmt.Errorf("%q: more than %d steps", text, maxSteps)
		}
		if after != "" && after[0] == '.' {
			if after = after[1:]; after == "" {
				return p, fmt.Errorf("%q ends in a dot", text)
			}
		}
		rest = after
	}
	return p, nil
}

// parseStep reads the first step of a path.
func parseStep(text string) (step, string, error) {
	if text[0] != '[' {
		end := strings.IndexAny(text, ".[]")
		if end < 0 {
			end = len(text)
		}
		switch {
		case end == 0:
			return step{}, "", fmt.Errorf("a name is missing before %q: a path begins with a name, also the path of an element", text)
		case end < len(text) && text[end] == ']':
			return step{}, "", errors.New("a ] is without its [")
		}
		return step{name: text[:end]}, text[end:], nil
	}
	if strings.HasPrefix(text, `["`) {
		quoted, err := strconv.QuotedPrefix(text[1:])
		if err != nil || !strings.HasPrefix(text[1+len(quoted):], "]") {
			return step{}, "", errors.New(`a name in brackets is ["name"]`)
		}
		name, err := strconv.Unquote(quoted)
		if err != nil || name == "" {
			return step{}, "", fmt.Errorf("the name %s is empty or wrongly quoted", quoted)
		}
		return step{name: name}, text[2+len(quoted):], nil
	}
	inside, after, ok := strings.Cut(text[1:], "]")
	if !ok {
		return step{}, "", errors.New("a [ is without its ]")
	}
	if inside == "*" {
		return step{all: true}, after, nil
	}
	i, err := strconv.Atoi(inside)
	if err != nil || i < 0 {
		return step{}, "", fmt.Errorf(`[%s] is not one of [0], [*], ["name"]`, inside)
	}
	return step{index: i}, after, nil
}

// many reports whether the path may have several values.
func (p *path) many() bool {
	for i := range p.steps {
		if p.steps[i].all {
			return true
		}
	}
	return false
}

// source is what paths are evaluated on: a frame, and the present element of "each".
type source struct {
	in      *dialect.Input
	element []byte // nil outside of "each"
	key     []byte // the name of the member that has the element; nil for an element of a list
}

// walk calls see with the values at a path, as JSON, until see returns false. It skips missing
// values and null.
func (p *path) walk(s *source, see func(value []byte) bool) {
	base := s.in.Data
	if s.element != nil && !p.root {
		base = s.element
	}
	if s.in.JSON != nil {
		descend(base, nil, p.steps, func(_, value []byte) bool { return see(value) })
	}
}

// descend follows the steps and reports whether see wants more values. key is the name of the
// latest member that a step for all members took.
func descend(value, key []byte, steps []step, see func(key, value []byte) bool) bool {
	for i, s := range steps {
		switch {
		case s.name != "":
			value = dialect.RawMember(value, s.name)
		case !s.all:
			value = nthElement(value, s.index)
		default:
			more := true
			if members, ok := dialect.MembersOf(value); ok {
				for name, v, ok := members.Next(); ok && more; name, v, ok = members.Next() {
					more = descend(v, name, steps[i+1:], see)
				}
				return more
			}
			dialect.RawElements(value, func(e []byte) bool {
				more = descend(e, key, steps[i+1:], see)
				return more
			})
			return more
		}
		if value == nil {
			return true
		}
	}
	return dialect.RawNull(value) || see(key, value)
}

func nthElement(list []byte, n int) (found []byte) {
	i := 0
	dialect.RawElements(list, func(e []byte) bool {
		if i == n {
			found = e
		}
		i++
		return found == nil
	})
	return found
}
