package anthropic

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// order tracks the order of events. Deltas and ends do not name their message. A repeated end, or
// two streams on one connection, are therefore detected only by events that do not fit.
type order struct {
	started bool // the message_start of the message in progress or the last one was seen
	ended   bool // that message has ended with the status ok, and no other has begun
	again   bool // its events came again after its end
	blocks  int  // one more than the highest index of its blocks
	cut     int  // messages cut off by its start, each of which may continue
	mixed   bool // one of them does continue
}

// cutLimit bounds the messages that may continue.
const cutLimit = 64

// cutBy returns the number of messages that may continue once a message with an id begins.
func (o *order) cutBy(m *Messages, id []byte) int {
	if !m.open || !o.started || len(id) == 0 || m.id == "" {
		return 0
	}
	return min(o.cut+1, cutLimit)
}

// misplaced reports whether an event is a repeat, which it marks, or belongs to an unknown
// message. It then changes nothing else.
func (m *Messages) misplaced(typ string, data []byte, v *fastjson.Value) bool {
	if m.open {
		return m.stray(typ, data, v)
	}
	again := m.repeated(typ, v.GetInt("index"))
	if again && !m.order.mixed {
		m.trace.Frame.Flags |= schema.FlagEventRepeat
	}
	return again
}

// repeated reports whether an event without a message_start repeats an event of the message that
// has ended: sources that deliver at least once send the end of a stream again. A block with a
// higher index than that message had belongs to another message, whose start was not seen. The
// usage of a message_delta right after the end counts, as gateways send it there.
func (m *Messages) repeated(typ string, index int) bool {
	switch typ {
	case "content_block_start", "content_block_delta", "content_block_stop":
		m.order.again = index < m.order.blocks
		m.order.ended = m.order.again
		return m.order.again
	case "message_delta", "message_stop":
		return m.order.again
	}
	return false
}

// stray reports whether an event contradicts the message in progress, so that it belongs to a
// message that was cut off. Two streams are then mixed and cannot be separated.
func (m *Messages) stray(typ string, data []byte, v *fastjson.Value) bool {
	o, stray := &m.order, false
	switch typ {
	case "content_block_start":
		stray = m.find(v.GetInt("index")) != nil
		o.mixed = o.mixed || stray
	case "content_block_delta", "content_block_stop": // the block has stopped
		index := v.GetInt("index")
		stray = index < o.blocks && m.find(index) == nil
		o.mixed = o.mixed || stray
	case "message_delta":
		input, stated := dialect.RawUint(dialect.RawPath(data, "usage.input_tokens"))
		own, _ := dialect.RawUint(dialect.RawMember(m.counts, "input_tokens"))
		stray = o.mixed && stated && input != own
	case "message_stop":
		if stray = o.mixed; stray {
			o.cut-- // each cut-off message has an end of its own
		}
	}
	return stray
}

// Ended reports whether a message whose start was seen has ended with the status ok. The next
// event begins another message or is a repeat.
func (m *Messages) Ended() bool { return !m.open && m.order.ended }
