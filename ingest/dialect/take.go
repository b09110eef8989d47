package dialect

import (
	"slices"
	"strconv"
	"strings"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// An open message is taken when its text has doubled since it was taken last and is at most
// retellText bytes long, so that the beginning of a message is readable at once. A longer one is
// taken when this much time (ns) has passed for every retellFact bytes of the fact, since it was
// taken or offered: each state has the whole text, and a message that grows fast is stored with few
// blocks. A message whose text is full is not taken again before it ends.
const (
	retell     = int64(1e9)
	retellFact = 256 << 10
	retellText = 4 << 10
)

// Take returns the facts that changed since the last Take. now is the present time, ns. putOff
// reports whether open messages were left for a later Take; with all set none are. The texts and
// lists are copies, or are never written again.
func (b *Emitter) Take(now int64, all bool) (facts block.Facts, putOff bool) {
	if len(b.spans) > 0 {
		facts.Spans = make([]schema.Span, len(b.spans))
		for i, s := range b.spans {
			s.dirty = false
			facts.Spans[i] = s.Span
		}
		clear(b.spans) // releases facts that have ended
		b.spans = b.spans[:0]
	}
	if len(b.usages) > 0 {
		facts.Usages = make([]schema.Usage, len(b.usages))
		for i, u := range b.usages {
			u.dirty = false
			facts.Usages[i] = u.Usage
		}
		clear(b.usages)
		b.usages = b.usages[:0]
	}
	facts.Messages, putOff = b.takeMessages(now, all)
	return facts, putOff
}

func (b *Emitter) takeMessages(now int64, all bool) ([]schema.Message, bool) {
	if len(b.messages) == 0 {
		return nil, false
	}
	taken := make([]schema.Message, 0, len(b.messages))
	kept := b.messages[:0]
	for _, m := range b.messages {
		if m.since == 0 && len(m.text) > retellText { // it grew beyond that before it was offered
			m.since = now
		}
		if !all && !m.Message.Complete && !m.due(now) {
			kept = append(kept, m)
			continue
		}
		m.dirty, m.since, m.taken, m.full = false, now, len(m.text), m.beyond > 0
		taken = append(taken, m.take())
	}
	clear(b.messages[len(kept):])
	b.messages = kept
	return taken, len(kept) > 0
}

// due reports whether Take returns the open message now.
func (m *Message) due(now int64) bool {
	if m.full && m.beyond > 0 {
		return false
	}
	if len(m.text) <= retellText {
		return len(m.text) >= 2*m.taken || now-m.since >= retell
	}
	size := len(m.text) + chunkSize*len(m.ChunkAt)
	return now-m.since >= retell*int64(1+size/retellFact)
}

const chunkSize = 12 // of an element of ChunkAt and one of ChunkEnd

// take returns the message as it is. It copies nothing: Append writes after the bytes that were
// taken, and all other changes allocate.
func (m *Message) take() schema.Message {
	out := m.Message
	m.shared = true
	out.Text = Alias(m.text)
	out.ChunkAt, out.ChunkEnd = slices.Clip(m.ChunkAt), slices.Clip(m.ChunkEnd)
	if len(out.ChunkAt) == 0 {
		out.ChunkAt, out.ChunkEnd = nil, nil
	}
	if m.beyond > 0 {
		out.Attributes = truncated(out.Attributes, m.beyond)
	}
	return out
}

// truncated adds to a JSON object, or to "", how many bytes of a text were left out.
func truncated(object string, bytes int) string {
	member := `"truncated_bytes":` + strconv.Itoa(bytes) + "}"
	if rest, ok := strings.CutSuffix(object, "}"); ok && rest != "{" {
		return rest + "," + member
	}
	return "{" + member
}
