package opencode

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how OpenCode counts. input excludes tokens from a cache and tokens written to one,
// output excludes reasoning, and total, which only newer versions state, is the sum of all. How
// long a cache is kept is not stated. The steps of a message add up; a repeated message replaces
// itself.
var counting = dialect.Counting{
	Input: "input", CacheRead: "cache.read", CacheWrite5m: "cache.write",
	Output: "output", Reasoning: "reasoning", Total: "total",
	Mode: schema.UsageAdd,
}

// message is the usage of an agent's message: the sum of its steps. The usage has the message's
// id, so that a session that is recorded twice, as lines and as events, counts once.
type message struct {
	id    string
	usage *dialect.Usage
	steps int
	sum   schema.Tokens // of the steps
	total uint64        // the sum of stated totals; 0 if a step states none
	costs costs         // of the steps
}

// openMessages bounds the messages of a session that are kept.
const openMessages = 4

// messageOf returns a message of the session. Messages without an id are one.
func (t *session) messageOf(id []byte) *message {
	for _, m := range t.messages {
		if m.id == string(id) {
			return m
		}
	}
	if len(t.messages) >= openMessages {
		t.settle(t.messages[0])
	}
	m := &message{id: string(id)}
	t.messages = append(t.messages, m)
	return m
}

// settle records that a message is complete.
func (t *session) settle(m *message) {
	t.note([]byte(m.id))
	t.messages = slices.DeleteFunc(t.messages, func(x *message) bool { return x == m })
}

// whole reads the tokens of a message.updated. They are the tokens of its last step, and count only
// if no step was seen.
func (m *message) whole(t *session, raw []byte) {
	tokens := dialect.RawMember(raw, "tokens")
	counted, _, ok := counting.Read(tokens)
	if !ok || m.steps > 0 || m.id == "" || counted.Sum() == 0 && m.usage == nil {
		return
	}
	m.use(t, tokens, t.conv.Call())
	if m.usage != nil {
		m.usage.StateCost(dialect.Alias(dialect.RawMember(raw, "cost")), currency)
	}
}

// step adds the tokens of a step and its cost.
func (m *message) step(t *session, part []byte, call *dialect.Span) {
	raw := dialect.RawMember(part, "tokens")
	tokens, total, ok := counting.Read(raw)
	if !ok {
		return
	}
	m.sum = dialect.AddTokens(m.sum, tokens)
	if m.steps++; m.steps == 1 || m.total != 0 && total != 0 {
		m.total += total
	} else {
		m.total = 0
	}
	m.use(t, raw, call)
	m.usage.Tokens, m.usage.Total = m.sum, m.total
	m.costs.add(dialect.RawMember(part, "cost"), tokens)
	m.costs.state(&m.usage.Usage)
}

func (m *message) use(t *session, raw []byte, call *dialect.Span) {
	if m.usage != nil {
		t.conv.UpdateUsage(m.usage, &counting, raw)
		return
	}
	if call == nil {
		call = t.conv.Run()
	}
	of := m.id
	if t.seen.Has([]byte(of)) {
		of = "" // much too late to be the same message's
	}
	m.usage = t.conv.Count(nil, &counting, of, call, raw)
}
