package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// answerLimit is the largest answer of a tool, in bytes of the content of its result: the text as a
// string of JSON, and what is around it.
const answerLimit = 20_480

// contentSize returns the bytes that a text takes in the content of a result.
func contentSize(text []byte) int {
	return len(encoded(string(text))) + len(`[{"type":"text","text":}]`)
}

// answer is the answer of a tool: JSON with the outline first, one item on a line.
type answer struct {
	outline string
	head    []member
	list    string // name of the list of items; "" for none
	items   []json.RawMessage
	// more returns what is left out if the first n items are shown, and how to get it.
	more func(n int) ([]more, error)
	// reserve is about how many bytes the entries of what is left out take.
	reserve int
}

type member struct {
	name  string
	value any
}

// more names what is left out of an answer, and the call that returns it.
type more struct {
	What      string         `json:"what"`
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
}

// set adds a member of the head.
func (a *answer) set(name string, value any) { a.head = append(a.head, member{name, value}) }

// item adds an item.
func (a *answer) item(value any) { a.items = append(a.items, encoded(value)) }

// encoded returns the JSON of a value without escapes for HTML.
func encoded(value any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // answers consist of values that have a JSON form
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// errTooLong is the error of an answer whose head alone exceeds the limit.
var errTooLong = errors.New("the answer does not fit into 20 KB even without its items: ask for less, with shorter arguments")

// text returns the answer with as many items as fit.
func (a *answer) text() (string, error) {
	for n := a.fitting(); n >= 0; n-- {
		text, err := a.render(n)
		if err != nil {
			return "", err
		}
		if contentSize(text) <= answerLimit {
			return string(text), nil
		}
	}
	return "", errTooLong
}

// fitting returns about how many items fit beside the head.
func (a *answer) fitting() int {
	size := contentSize(a.rendered(0, nil)) + a.reserve
	for i, item := range a.items {
		if size += len(encoded(string(item))) + len(",\n"); size > answerLimit {
			return i
		}
	}
	return len(a.items)
}

func (a *answer) render(n int) ([]byte, error) {
	var left []more
	if a.more != nil {
		var err error
		if left, err = a.more(n); err != nil {
			return nil, err
		}
	}
	return a.rendered(n, left), nil
}

func (a *answer) rendered(n int, left []more) []byte {
	var b bytes.Buffer
	b.WriteString("{\"outline\":")
	b.Write(encoded(a.outline))
	for _, m := range a.head {
		fmt.Fprintf(&b, ",\n%q:%s", m.name, encoded(m.value))
	}
	if a.list != "" {
		fmt.Fprintf(&b, ",\n%q:[", a.list)
		for i, item := range a.items[:n] {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteByte('\n')
			b.Write(item)
		}
		b.WriteString("]")
	}
	if len(left) > 0 {
		b.WriteString(",\n\"more\":")
		b.Write(encoded(left))
	}
	b.WriteString("}")
	return b.Bytes()
}
