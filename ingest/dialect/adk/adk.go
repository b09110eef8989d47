// Package adk reads the events of Google's Agent Development Kit, as its server sends them
// on /run_sse. docs/dialects/adk.md describes what is concluded from what.
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

// match judges an event by itself.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if in.JSON == nil || in.Direction == schema.Send || in.JSON.GetStringBytes("invocationId") == nil || in.JSON.GetStringBytes("author") == nil {
		return dialect.No, ""
	}
	if in.JSON.Exists("actions") || in.JSON.Exists("content", "parts") || in.JSON.Exists("errorCode") {
		return dialect.Certain, "an event with its invocationId and author"
	}
	return dialect.Likely, "an invocationId with its author"
}

// decoder reads one stream: invocations one after the other.
type decoder struct {
	model.Stream
	tr     model.Conversation
	id     dialect.Last
	author dialect.Last
	seen   dialect.Recent // hashes of events
	usage  *dialect.Usage // of the call in progress
	whole  bool           // the latest event is no piece
	at     int64          // of the latest event, ns
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.tr.Stream = &d.Stream
	return d
}

// Decode implements dialect.Decoder.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	if len(in.Data) == 0 || in.Direction == schema.Send {
		return
	}
	d.Begin(in, b)
	defer d.Done()
	switch {
	case in.JSON == nil || in.JSON.Get("error") != nil:
		d.broken(in)
	case in.JSON.GetStringBytes("invocationId") == nil:
		d.Unknown()
	default:
		d.event(in)
	}
	d.tr.Address()
}

// broken reads {"error": "…"}, with which the server ends a stream that failed. The text is
// not escaped, so that it may be no JSON.
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

// finish ends the run with the time of its latest event: well, if that came whole.
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
	d.finish()
	d.Done()
}
