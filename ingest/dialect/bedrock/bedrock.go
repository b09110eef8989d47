// Package bedrock reads the streams of Amazon Bedrock. ConverseStream comes as binary messages or
// as lines. The messages of InvokeModelWithResponseStream wrap the model's own events.
// docs/dialects/bedrock.md describes how it reads them.
package bedrock

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is Amazon Bedrock's runtime API.
var Dialect = dialect.Dialect{Name: "bedrock", Match: match, New: newDecoder}

// provider serves all models.
const provider = "aws"

// decoder reads one stream: one exchange behind a proxy, otherwise answers one after the other.
type decoder struct {
	model.Exchange
	answer  answer
	stated  uint64          // hash of the latest metadata
	tail    dialect.Tail    // of the latest answer that began with a messageStart
	invoked dialect.Decoder // reads the events of InvokeModel
	chunks  bool            // a chunk of InvokeModel was seen
	way     operation
	other   bool // InvokeModel with a model that uses neither of the two protocols
	settled bool // whether other is known
	// headCounts has the tokens that the head of an answer states.
	headCounts []byte
}

func newDecoder(streamID string) dialect.Decoder {
	d := &decoder{invoked: anthropic.Dialect.New(streamID)}
	d.Init(d, provider)
	return d
}

// Decode implements dialect.Decoder. The decoder of the invoked model fills in the envelopes of
// its frames.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	if _, ok := dialect.HeadOf(in); ok || !d.invokes(in) {
		d.Exchange.Decode(in, b)
		return
	}
	d.Begin(in, b)
	d.invoke(in, b)
	d.Done()
}

// Message implements model.API.
func (d *decoder) Message(in *dialect.Input) string {
	if in.Direction == schema.Send {
		d.request(in)
	} else {
		d.event(in)
	}
	return in.Type
}

// events maps the types of messages, and the members of lines, to handlers.
var events = dialect.NewTypes(map[string]func(*decoder, *dialect.Input, part){
	"messageStart":      (*decoder).messageStart,
	"contentBlockStart": (*decoder).blockStart,
	"contentBlockDelta": (*decoder).blockDelta,
	"contentBlockStop":  (*decoder).blockStop,
	"messageStop":       (*decoder).messageStop,
	"metadata":          (*decoder).metadata,
})

// event reads an event of the server, also one that a chunk of InvokeModel wraps.
func (d *decoder) event(in *dialect.Input) {
	name, p := partOf(in)
	if string(name) != "chunk" {
		d.read(in, name, p)
		return
	}
	known := parsed(unwrap(p.v), func(inside *dialect.Input) {
		inside.Frame = in.Frame
		event, q := wrappedEvent(inside)
		d.read(inside, event, q)
		d.countMetrics(inside.Data)
	})
	if !known {
		d.Unknown()
	}
}

// read reads an event by its name.
func (d *decoder) read(in *dialect.Input, name []byte, p part) {
	typ, known := events.Of(name)
	in.Type = typ.Name
	switch {
	case isFailure(in, name):
		d.failure(string(name), p)
	case known && dialect.IsObject(p.v) && d.repeats(in, p):
		d.Emitter.Mark(d.Frame, schema.FlagEventRepeat, 0)
	case known && dialect.IsObject(p.v):
		typ.Handle(d, in, p)
	case len(in.Data) == 0:
	case in.Transport == schema.HTTP && d.Refusal.Refused():
		d.failure("", p)
	case dialect.IsObject(p.v.Get("output", "message")):
		in.Type = "converse"
		d.whole(p)
	default:
		d.Unknown()
	}
}

// repeats reports whether an event of the latest answer comes again after the end. An answer
// without a messageStart may begin with the same piece of text as another.
func (d *decoder) repeats(in *dialect.Input, p part) bool {
	delta := p.v.Get("delta")
	text := delta.Get("text") != nil || delta.Get("reasoningContent") != nil
	return d.tail.Again(in.Data, d.answer.begun && !d.answer.ended) && (d.answer.started || !text)
}

// isFailure reports whether a message ends the answer with an error.
func isFailure(in *dialect.Input, name []byte) bool {
	if in.Transport == schema.EventStream {
		m, _ := schema.ParseEventMessage(in.Raw)
		switch string(m.Header(":message-type")) {
		case "exception", "error":
			return true
		}
		return false
	}
	return isException(name)
}

func isException(name []byte) bool { return bytes.HasSuffix(name, []byte("Exception")) }

// Leave implements model.API. An answer of another model that stated why it ended is complete.
func (d *decoder) Leave() {
	if d.other && d.Run() != nil && d.answer.begun && !d.answer.ended && d.answer.reason != "" {
		d.endOther()
	}
	d.Exchange.Leave()
}

// End implements dialect.Decoder.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.invoked.End(at, b)
	d.Exchange.End(at, b)
}
