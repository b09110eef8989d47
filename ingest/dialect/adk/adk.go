// Package adk reads the events of Google's Agent Development Kit, as its server sends them on
// /run_sse. docs/dialects/adk.md describes how it reads them.
package adk

import (
	"bytes"
	"math"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is the event stream of the Agent Development Kit.
var Dialect = dialect.Dialect{Name: "adk", Match: match, Time: timeOf, New: newDecoder}

// timeOf reads an event's timestamp, seconds since 1970.
func timeOf(in *dialect.Input) int64 {
	if in.JSON == nil || in.JSON.Type() != fastjson.TypeObject {
		return 0
	}
	if s := in.JSON.GetFloat64("timestamp"); s > 0 && s < 1<<32 {
		return int64(math.Round(s*1e6)) * 1e3
	}
	return 0
}

// decoder reads one stream: the invocations of one request behind a proxy, otherwise invocations
// one after the other.
type decoder struct {
	model.Stream
	tr       model.Conversation
	foreign  bool          // the request went to another endpoint
	waiting  *schema.Frame // the head of a request, whose run has not begun
	asked    bool          // the run began with its request, and no event has come yet
	refusal  model.Refusal
	id       dialect.Last
	author   dialect.Last
	seen     dialect.Recent // hashes of events
	usage    *dialect.Usage // of the call in progress
	answered answered       // the latest answer; empty unless the latest event was its whole event
	whole    bool           // the latest event is not partial
	at       int64          // of the latest event, ns
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.tr.Stream = &d.Stream
	return d
}

// Decode implements dialect.Decoder.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.Begin(in, b)
	defer d.Done()
	if head, ok := dialect.HeadOf(in); ok {
		d.head(&head)
	} else if len(in.Data) > 0 && d.mine(in) {
		d.message(in)
	}
	d.tr.Address()
}

// mine reports whether a message is of this protocol. Gateways serve the API at paths of their
// own: their answers identify it.
func (d *decoder) mine(in *dialect.Input) bool {
	if d.foreign && in.Direction == schema.Receive {
		sure, _ := match(in)
		d.foreign = sure < dialect.Likely
	}
	return !d.foreign
}

// message reads a message.
func (d *decoder) message(in *dialect.Input) {
	switch {
	case in.Direction == schema.Send:
		d.request(in)
	case d.refusal.Refused():
		d.refused(in)
	case in.JSON == nil || in.JSON.Get("error") != nil:
		d.broken(in)
	case in.JSON.Type() == fastjson.TypeArray:
		dialect.Elements(in.JSON.GetArray(), in.Data, 0, func(_ int, v *fastjson.Value, raw []byte) { d.event(in, v, raw) })
	case in.JSON.GetStringBytes("invocationId") == nil:
		d.Unknown()
	default:
		d.event(in, in.JSON, in.Data)
	}
	if in.Direction == schema.Receive && in.Transport == schema.HTTP {
		d.finish() // an HTTP body is the whole answer
	}
}

// broken reads {"error": "…"}, with which the server ends a stream that failed. The server does
// not escape the text, so that the frame may not be JSON.
func (d *decoder) broken(in *dialect.Input) {
	why, ok := bytes.CutPrefix(bytes.TrimSpace(in.Data), []byte(`{"error":`))
	if !ok {
		d.Unknown()
		return
	}
	in.Type = "error"
	d.fail(bytes.Trim(bytes.TrimSuffix(why, []byte("}")), `" `))
}

// fail ends the run with an error.
func (d *decoder) fail(why []byte) {
	d.tr.RunAtEnd()
	d.tr.Say(schema.MessageError, why)
	d.tr.EndRun(schema.StatusError, why)
	d.usage = nil
}

// finish ends the run at the time of its latest event, with the status ok if that event was
// whole.
func (d *decoder) finish() {
	if d.tr.Run() == nil {
		return
	}
	if !d.whole {
		d.tr.Abandon()
		return
	}
	frame := d.Frame
	d.Frame = &schema.Frame{Seq: frame.Seq, At: d.at}
	d.tr.EndRun(schema.StatusOK, nil)
	d.Frame = frame
}

// End implements dialect.Decoder.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	d.leave()
	d.Done()
}
