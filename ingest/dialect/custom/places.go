package custom

import (
	"bytes"
	"encoding/json"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// places are alternative paths. The first with a value counts.
type places []path

// raw returns the first value as JSON, or nil. A constant is JSON if its text is, such as true. The
// fields of a frame are not JSON, see text.
func (ps places) raw(s *source) (value []byte) {
	for i := range ps {
		if ps[i].field != inJSON {
			if text := ps[i].textOf(s); text != nil {
				return jsonOf(text)
			}
			continue
		}
		ps[i].walk(s, func(v []byte) bool { value = bytes.TrimSpace(v); return false })
		if value != nil {
			return value
		}
	}
	return nil
}

// jsonOf returns a text as JSON: the text itself if it is JSON, else a string.
func jsonOf(text []byte) []byte {
	if wellformed.JSON(text) {
		return text
	}
	quoted, _ := json.Marshal(string(text)) // a string never fails
	return quoted
}

// text returns the value as text: the content of a string, or any other value as JSON. It joins
// several values of one path. It returns nil for no value.
func (ps places) text(s *source) []byte {
	for i := range ps {
		if text := ps[i].textOf(s); text != nil {
			return text
		}
	}
	return nil
}

func (p *path) textOf(s *source) (text []byte) {
	switch p.field {
	case constant:
		return p.value
	case memberName:
		return s.key
	case eventName:
		return nonEmpty(s.in.Event)
	case eventID:
		return nonEmpty(s.in.ID)
	case direction:
		if s.in.Direction == schema.Send {
			return []byte("send")
		}
		return []byte("receive")
	case inJSON:
	}
	p.walk(s, func(v []byte) bool {
		content, _ := dialect.RawContent(bytes.TrimSpace(v))
		if text == nil {
			text = content
			return p.many()
		}
		text = append(text[:len(text):len(text)], content...)
		return true
	})
	return text
}

func nonEmpty(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}

// count returns a number of tokens. It adds the numbers of a path with [*].
func (ps places) count(s *source) (sum uint64, found bool) {
	for i := range ps {
		ps[i].walk(s, func(v []byte) bool {
			n, ok := dialect.RawUint(bytes.TrimSpace(v))
			if ok {
				sum, found = sum+n, true
			}
			return ps[i].many()
		})
		if found {
			return sum, true
		}
	}
	return 0, false
}

// each calls see with every value and, for the members of an object, its name.
func (ps places) each(s *source, see func(key, value []byte)) {
	for i := range ps {
		found := false
		if s.in.JSON != nil {
			descend(s.in.Data, nil, ps[i].steps, func(key, v []byte) bool { found = true; see(key, v); return true })
		}
		if found {
			return
		}
	}
}
