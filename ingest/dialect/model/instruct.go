package model

import (
	"bytes"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Bounds of what requests repeat: distinct prompts and lists of tools of a stream that are known,
// and names of tools in a list.
const (
	instructedKept = 32
	offeredTools   = 1024
)

// Instruct records the system prompt of a request, as a message with the attribute instructions.
// Requests repeat it: each distinct one is recorded once in a stream, and has one id in all streams
// of a session.
func (t *Conversation) Instruct(prompt []byte) {
	if prompt = bytes.TrimSpace(prompt); len(prompt) > 0 {
		t.instruct(prompt, `{"instructions":true}`)
	}
}

// InstructWith is Instruct for a request whose prompt is the messages of the system at the
// beginning of its conversation, a JSON array.
func (t *Conversation) InstructWith(messages []byte) {
	var prompt []byte
	dialect.RawElements(messages, func(m []byte) bool {
		if string(dialect.RawText(m, "role")) != "system" {
			return false
		}
		if len(prompt) > 0 {
			prompt = append(prompt, '\n')
		}
		prompt = append(prompt, dialect.RawWords(dialect.RawMember(m, "content"))...)
		return true
	})
	t.Instruct(prompt)
}

// Offer records the tools that a request offers to the model: their number, and their names, as a
// message with the attribute tools_offered. It records each distinct list once, as Instruct does.
func (t *Conversation) Offer(tools *Offered) {
	if tools.n == 0 {
		return
	}
	number := strconv.Itoa(tools.n)
	text := append([]byte("Tools offered: "+number+"\n"), tools.names...)
	t.instruct(text, `{"tools_offered":`+number+`}`)
}

func (t *Conversation) instruct(text []byte, attributes string) {
	hash := xxhash.Sum64(text)
	if t.instructed.HasHash(hash) {
		return
	}
	t.instructed.AddHash(hash, instructedKept)
	m := t.SayAs(schema.MessageSystem, dialect.EventID(string(schema.MessageSystem), hash), text)
	m.Attributes = attributes
	t.AwaitID(m)
}

// Offered is a list of the names of tools.
type Offered struct {
	names []byte
	n     int
}

// Add adds a tool. A tool without a name has the name other.
func (o *Offered) Add(name, other []byte) {
	if o.n++; o.n > offeredTools {
		return
	}
	if len(o.names) > 0 {
		o.names = append(o.names, ", "...)
	}
	o.names = append(o.names, dialect.FirstNonEmpty(name, other)...)
}

// ToolsOf returns the tools of a JSON array. See AddAll.
func ToolsOf(tools []byte, paths ...string) *Offered {
	o := &Offered{}
	o.AddAll(tools, paths...)
	return o
}

// AddAll adds the tools of a JSON array. A tool's name is at the first of the paths that has a
// text, else its type.
func (o *Offered) AddAll(tools []byte, paths ...string) {
	dialect.RawElements(tools, func(tool []byte) bool {
		var name []byte
		for _, path := range paths {
			if name, _ = dialect.Unquote(dialect.RawPath(tool, path), nil); len(name) > 0 {
				break
			}
		}
		o.Add(name, dialect.RawText(tool, "type"))
		return true
	})
}
