package otlpwire

import (
	"encoding/json"
	"maps"
	"slices"
)

// lists has JSON texts by the index of a request.
type lists struct {
	of    map[int][]json.RawMessage
	order []int
}

func (l *lists) add(at int, raw json.RawMessage) {
	if l.of == nil {
		l.of = map[int][]json.RawMessage{}
	}
	if _, known := l.of[at]; !known {
		l.order = append(l.order, at)
	}
	l.of[at] = append(l.of[at], raw)
}

func (l *lists) each(use func(at int, list []json.RawMessage)) {
	for _, at := range l.order {
		use(at, l.of[at])
	}
}

// listed reads an object and the n elements of one of its arrays. Another number is an error: the
// array is there twice, or is none.
func listed(raw json.RawMessage, name string, n int) (o object, list []json.RawMessage, err error) {
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, nil, malformed(err)
	}
	if list, err = elements(o[name]); err == nil && len(list) != n {
		err = ErrMalformed
	}
	return o, list, err
}

func elements(raw json.RawMessage) (all []json.RawMessage, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, malformed(err)
	}
	return all, nil
}

// with encodes an object with other elements in one of its arrays, and with the texts of its other
// members as they are. json.Marshal would escape characters in them.
func with(o object, name string, list []json.RawMessage) []byte {
	out := []byte{'{'}
	for i, member := range slices.Sorted(maps.Keys(o)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendText(out, member), ':')
		if member != name {
			out = append(out, o[member]...)
			continue
		}
		out = append(out, '[')
		for i := range list {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, list[i]...)
		}
		out = append(out, ']')
	}
	return append(out, '}')
}
