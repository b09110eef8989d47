package anthropic

import (
	"strconv"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// An answer with citations comes in many blocks of text, one for each passage with sources of its
// own. They are one message: adjacent blocks of text share a text, and its attribute "cited"
// lists the bytes that have citations.

// passage is the part of a text that one block has.
type passage struct {
	from  int          // bytes of the text before the passage
	cites dialect.List // its citations
	cited dialect.List // citations of earlier passages
}

// tail is a text whose block has stopped and that the next block may continue.
type tail struct {
	index int
	key   []byte
	passage
}

// citesLimit bounds the citations of a text, bytes.
const citesLimit = 64 << 10

// cite adds a citation to a passage. It may come after the text.
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
		return // the block had no text
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

// dropTail completes the waiting text, as no block continues it.
func (m *Messages) dropTail() {
	if m.tail.key != nil {
		m.trace.Complete(schema.MessageAssistant, m.tail.key)
		m.tail = tail{}
	}
}

// textLen returns the length of a growing text, bytes.
func (m *Messages) textLen(key []byte) int {
	if message := m.trace.Growing(schema.MessageAssistant, key); message != nil {
		return message.TextLen()
	}
	return 0
}
