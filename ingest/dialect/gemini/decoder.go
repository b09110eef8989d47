package gemini

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// decoder reads one stream: behind a proxy one exchange, otherwise responses
// one after the other, or several at a time.
type decoder struct {
	model.Conversation
	stream  model.Stream
	answer  answer
	others  []response    // begun and not the present one
	tail    dialect.Tail  // of the responses that have ended
	foreign bool          // the request went to another endpoint
	refusal model.Refusal // an HTTP answer that is an error, until its body is seen
	runID   dialect.Last
	typ     dialect.Last
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.Stream = &d.stream
	d.Provider = provider
	return d
}

// Decode implements dialect.Decoder.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.Begin(in, b)
	defer d.Done()
	if head, ok := dialect.HeadOf(in); ok {
		d.head(&head)
	} else if len(in.Data) > 0 {
		in.Type = d.message(in)
	}
	d.Address()
	if in.ID != "" {
		in.EventID = in.ID
	}
}

// message reads what is no head, and returns its type.
func (d *decoder) message(in *dialect.Input) string {
	switch {
	case string(in.Data) == dialect.DoneMarker: // of gateways
		return dialect.DoneMarker
	case !d.mine(in):
		return ""
	case in.Direction == schema.Send:
		return d.request(in)
	case in.JSON == nil:
		return d.textAnswer(in)
	case in.JSON.Type() == fastjson.TypeArray:
		return d.array(in)
	}
	typ := d.response(in.JSON, in.Data)
	if in.Transport == schema.HTTP {
		d.whole()
	}
	return typ
}

// mine reports whether a message is of this protocol. Gateways serve it at
// addresses of their own: there the answers say so.
func (d *decoder) mine(in *dialect.Input) bool {
	if d.foreign && in.Direction == schema.Receive {
		sure, _ := match(in)
		d.foreign = sure < dialect.Likely
	}
	return !d.foreign
}

// array reads the answers of a stream in one JSON array, which was recorded as
// one body.
func (d *decoder) array(in *dialect.Input) string {
	typ := ""
	dialect.Elements(in.JSON.GetArray(), in.Data, 0, func(_ int, v *fastjson.Value, raw []byte) {
		typ = d.response(v, raw)
	})
	if in.Transport == schema.HTTP {
		d.whole()
	}
	return typ
}

// whole says that a body was all of the answer.
func (d *decoder) whole() {
	switch {
	case d.Run() == nil:
	case d.refusal.Refused():
		d.failStatus()
	default:
		d.finish()
	}
}

// textAnswer reads what is no JSON: the page of a gateway, a part of a body.
func (d *decoder) textAnswer(in *dialect.Input) string {
	if in.Transport == schema.HTTP && d.refusal.Refused() {
		d.failed(in.Data, d.refusal.Text())
		return "error"
	}
	if in.Transport != schema.HTTP {
		d.Unknown()
	}
	return in.Event
}

// End implements dialect.Decoder.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.stream.End(at, b)
	if d.Run() != nil && d.refusal.Refused() {
		d.failStatus()
	}
	d.leave()
	d.leaveOthers()
	d.Done()
}

// failStatus ends the run in an error of which only the status is known.
func (d *decoder) failStatus() {
	d.EndRun(schema.StatusError, d.refusal.Text())
	d.refusal.Answer(0)
}
