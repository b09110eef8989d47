package langgraph

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// kind is the author of a message.
type kind int

const (
	other kind = iota
	human
	ai
	aiChunk
	tool
)

// kindOf returns a message's type, or its role.
func kindOf(m *fastjson.Value) kind {
	typ := m.GetStringBytes("type")
	switch {
	case typ == nil:
		typ = m.GetStringBytes("role")
	case string(typ) == "constructor":
		if path := m.GetArray("id"); len(path) > 0 {
			typ = path[len(path)-1].GetStringBytes()
		}
	}
	switch string(typ) {
	case "human", "user", "HumanMessage", "HumanMessageChunk":
		return human
	case "ai", "assistant", "AIMessage":
		return ai
	case "AIMessageChunk":
		return aiChunk
	case "tool", "ToolMessage", "ToolMessageChunk":
		return tool
	}
	return other
}

// plain unwraps a message in the form in which JavaScript servers serialise it: {lc, type:
// "constructor", id: […, "AIMessage"], kwargs}.
func plain(m *fastjson.Value, raw []byte) (kind, *fastjson.Value, []byte) {
	k := kindOf(m)
	if inner := object(m, "kwargs"); inner != nil && m.Exists("lc") {
		return k, inner, dialect.RawMember(raw, "kwargs")
	}
	return k, m, raw
}

// bare returns the id of a message without the prefix that servers put before the id of the call
// of a model.
func bare(id []byte) []byte {
	for _, prefix := range []string{"lc_run--", "run--", "run-"} {
		if rest, ok := bytes.CutPrefix(id, []byte(prefix)); ok {
			return rest
		}
	}
	return id
}

func isHuman(m *fastjson.Value) bool { return kindOf(m) == human }

// pastIDs bounds the ids of messages and tasks that are kept.
const pastIDs = 128

// note keeps an id, and reports whether it was known.
func (d *decoder) note(id []byte) bool { return d.past.Note(id, pastIDs) }

// content returns a message's text and its thoughts. They alias the message or the decoder's
// buffer, and are valid until the next message is read.
func (d *decoder) content(m *fastjson.Value) (text, thought []byte) {
	thought = m.GetStringBytes("additional_kwargs", "reasoning_content")
	c := m.Get("content")
	if c == nil {
		return nil, thought
	}
	if c.Type() == fastjson.TypeString {
		return c.GetStringBytes(), thought
	}
	d.texts, d.thoughts = d.texts[:0], append(d.thoughts[:0], thought...)
	for _, block := range c.GetArray() {
		d.block(block)
	}
	return d.texts, d.thoughts
}

// block reads one block of a message's content.
func (d *decoder) block(b *fastjson.Value) {
	if b.Type() == fastjson.TypeString {
		d.texts = append(d.texts, b.GetStringBytes()...)
		return
	}
	switch string(b.GetStringBytes("type")) {
	case "text":
		d.texts = append(d.texts, b.GetStringBytes("text")...)
	case "thinking":
		d.thoughts = append(d.thoughts, b.GetStringBytes("thinking")...)
	case "reasoning":
		d.thoughts = append(d.thoughts, b.GetStringBytes("reasoning")...)
		for _, part := range b.GetArray("summary") {
			d.thoughts = append(d.thoughts, part.GetStringBytes("text")...)
		}
	case "reasoning_content":
		d.thoughts = append(d.thoughts, b.GetStringBytes("reasoning_content", "text")...)
	}
}
