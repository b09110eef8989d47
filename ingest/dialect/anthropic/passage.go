package anthropic

import (
	"strconv"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// An answer with citations comes in many blocks of text, one for each passage
// that has sources of its own. They are one message: blocks of text that follow
// on each other go on in the same text, and its attribute "cited" lists which
// bytes of it have which citations.

// passage is the part of a text that a block brings.
type passage struct {
	from  int          // bytes of the text before it
	cites dialect.List // its citations
	cited dialect.List // those of the passages before it
}

// tail is a text whose block has stopped and which the next may go on with.
type tail struct {
	index int
	key   []byte
	passage
}

// citesLimit bounds the citations that are kept of a text, bytes.
const citesLimit = 64 << 10

// cite adds a citation to a passage, which may come only afterwards.
func (p *passage) cite(citation []byte) {
	if len(citation) > 0 && len(p.cites)+len(p.cited)+len(citation) <= citesLimit {
		p.cites.Add(citation)
	}
}

// stopText settles the passage of a block. The text waits for the next block.
func (m *Messages) stopText(b *block) {
	m.dropTail()
	message := m.trace.Growing(schema.MessageAssistant, b.key)
	if message == nil {
		return // it brought nothing
	}
	if len(b.cites) > 0 {
		var one dialect.Attributes
		one.AddRaw("from", strconv.AppendInt(nil, int64(b.from), 10))
		one.AddRaw("to", strconv.AppendInt(nil, int64(message.TextLen()), 10))
		one.AddRaw("citations", b.cites.JSON())
		b.cited.Add([]byte(one.Text()))
		b.cites = nil
		message.Attributes = dialect.Attribute("cited", b.cited.JSON())
		m.trace.Emitter.ChangedMessage(message, m.trace.Frame)
	}
	m.tail = tail{index: b.index, key: b.key, passage: b.passage}
}

// dropTail completes the text that waits: nothing goes on with it.
func (m *Messages) dropTail() {
	if m.tail.key != nil {
		m.trace.Complete(schema.MessageAssistant, m.tail.key)
		m.tail = tail{}
	}
}

// textLen is the length of a growing text, bytes.
func (m *Messages) textLen(key []byte) int {
	if message := m.trace.Growing(schema.MessageAssistant, key); message != nil {
		return message.TextLen()
	}
	return 0
}
