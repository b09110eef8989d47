package langgraph

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// recent bounds the messages that are read from the end of a state.
const recent = 64

// values reads a whole state. The first state of a run has messages of earlier runs: only the
// user's latest messages in it are new. In later states the messages that the previous one did
// not have are new.
func (d *decoder) values(v *fastjson.Value, data []byte) {
	d.interrupts(v)
	messages := v.GetArray("messages")
	first := max(len(messages)-recent, 0)
	if d.based {
		if len(messages) == 0 || nameless(messages[len(messages)-1]) {
			return // every state would repeat them
		}
		d.since(messages, data, d.unknownFrom(messages, first))
		return
	}
	d.based = true
	last := len(messages)
	for last > first && isHuman(messages[last-1]) {
		last--
	}
	if last < len(messages) && !d.request.seen {
		for _, m := range messages[last:] {
			_, m, _ = plain(m, nil)
			d.ask(m)
		}
	}
	for _, m := range messages[first:] {
		_, m, _ = plain(m, nil)
		if d.answer(m.GetStringBytes("id")) == nil || len(m.GetStringBytes("id")) == 0 {
			d.note(bare(m.GetStringBytes("id")))
		}
	}
}

// unknownFrom returns the index of the first message after the last known one.
func (d *decoder) unknownFrom(messages []*fastjson.Value, first int) int {
	for i := len(messages); i > first; i-- {
		_, m, _ := plain(messages[i-1], nil)
		id := m.GetStringBytes("id")
		if a := d.answer(id); d.past.Has(bare(id)) && (a == nil || a.done) {
			return i
		}
	}
	return first
}

// since reads the messages of a state from an index on.
func (d *decoder) since(messages []*fastjson.Value, data []byte, from int) {
	dialect.Elements(messages, dialect.RawMember(data, "messages"), from, func(_ int, m *fastjson.Value, raw []byte) {
		d.newMessage(m, raw, nil)
	})
}

// nameless reports whether a message has no id. States repeat such messages.
func nameless(m *fastjson.Value) bool {
	_, m, _ = plain(m, nil)
	return len(m.GetStringBytes("id")) == 0
}

// sinceTheUser reads the messages of a run in its last state: those after the user's last
// message.
func (d *decoder) sinceTheUser(v *fastjson.Value, data []byte) {
	messages := v.GetArray("messages")
	d.since(messages, data, dialect.NewSince(messages, isHuman, false))
}

// newMessages reads the messages that a node has added. An update is an object or an array of
// objects.
func (d *decoder) newMessages(update *fastjson.Value, raw, node []byte) {
	if update == nil {
		return
	}
	if several := update.GetArray(); several != nil {
		dialect.Elements(several, raw, 0, func(_ int, one *fastjson.Value, raw []byte) {
			if one.Type() == fastjson.TypeObject {
				d.newMessages(one, raw, node)
			}
		})
		return
	}
	messages, raw := update.Get("messages"), dialect.RawMember(raw, "messages")
	if messages == nil {
		return
	}
	if messages.Type() == fastjson.TypeObject {
		d.newMessage(messages, raw, node)
		return
	}
	dialect.Elements(messages.GetArray(), raw, 0, func(_ int, m *fastjson.Value, raw []byte) { d.newMessage(m, raw, node) })
}

// newMessage reads a message that a node has added.
func (d *decoder) newMessage(m *fastjson.Value, raw, node []byte) {
	k, m, raw := plain(m, raw)
	switch k {
	case ai, aiChunk:
		d.whole(m, raw, nil, string(node))
		if a := d.answer(m.GetStringBytes("id")); a != nil && a.node == "" {
			a.node = string(node)
		}
	case tool:
		d.result(m)
	}
}
