// Package geminicli reads the lines that "gemini --output-format stream-json" prints.
// docs/dialects/gemini-cli.md describes how it reads them.
package geminicli

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is the event stream of the Gemini CLI.
var Dialect = dialect.Dialect{
	Name: "gemini-cli", Match: match,
	Time: timeOf, Ends: dialect.EndsWith("result"), New: newDecoder,
}

// timeOf reads a line's timestamp, RFC 3339.
func timeOf(in *dialect.Input) int64 {
	if in.JSON == nil {
		return 0
	}
	return dialect.TextTime(in.JSON.GetStringBytes("timestamp"))
}

// decoder reads one stream.
type decoder struct {
	model.Stream
	tr      model.Conversation
	session dialect.Last
	model   dialect.Last
	// asked is when the next call of a model began, ns: at the user's message or the last result
	// of a tool. It is 0 while none is expected.
	asked int64
	// said is when the call of a model in progress had its last output, ns.
	said   int64
	ended  bool // the latest run had its result
	counts counts
}

// provider serves the models of the Gemini CLI.
const provider = "google"

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.tr = model.Conversation{Stream: &d.Stream, LocalTools: true, Provider: provider}
	return d
}

// Decode reads one line.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	if in.JSON == nil || in.Direction == schema.Send {
		return
	}
	d.BeginLine(in, b, timeOf(in) != 0)
	d.event(in)
	d.tr.Address()
	d.Done()
}

func (d *decoder) event(in *dialect.Input) {
	typ, known := events.Of(in.JSON.GetStringBytes("type"))
	if in.Type = typ.Name; !known {
		d.Unknown()
		return
	}
	typ.Handle(d, in)
}

// events maps types of lines to handlers.
var events = dialect.NewTypes(map[string]func(*decoder, *dialect.Input){
	"init":        (*decoder).init,
	"message":     (*decoder).message,
	"tool_use":    (*decoder).toolUse,
	"tool_result": (*decoder).toolResult,
	"error":       (*decoder).error,
	"result":      (*decoder).result,
})

// init reads the start of a process, which is one run.
func (d *decoder) init(in *dialect.Input) {
	v := in.JSON
	d.endCall(schema.StatusUnclosed)
	d.tr.Abandon()
	d.tr.Session = d.session.Own(v.GetStringBytes("session_id"))
	d.tr.SetModel(d.model.Own(v.GetStringBytes("model")), provider)
	d.counts, d.asked, d.ended = counts{}, 0, false
	d.tr.OpenRun("")
}

// result reads the last line of a process. Its status alone decides how the run ended, not an
// earlier error line.
func (d *decoder) result(in *dialect.Input) {
	if d.tr.Run() == nil && d.ended { // a repeat
		d.usage(in, nil)
		return
	}
	run := d.tr.RunAtEnd()
	d.ended = true
	status := statusOf(in.JSON)
	why := in.JSON.GetStringBytes("error", "message")
	if len(why) > 0 && run.Error != dialect.Short(why) {
		d.tr.Say(schema.MessageError, why)
	}
	if status == schema.StatusOK || len(why) > 0 {
		run.Error = "" // earlier errors did not end the run
	}
	if ms := in.JSON.GetUint64("stats", "duration_ms"); ms < 1<<40 {
		run.Duration = int64(ms) * 1e6
	}
	d.usage(in, run)
	d.endCall(status)
	d.tr.EndRun(status, why)
	d.asked = 0
}

// statusOf reads how a run or a call ended.
func statusOf(v *fastjson.Value) schema.Status {
	switch string(v.GetStringBytes("status")) {
	case "error":
		return schema.StatusError
	case "cancelled", "canceled":
		return schema.StatusCancelled
	}
	return schema.StatusOK
}

// error reads an error, which may be a warning and ends nothing.
func (d *decoder) error(in *dialect.Input) {
	v := in.JSON
	why := v.GetStringBytes("message")
	if why == nil {
		d.Unknown()
		return
	}
	m := d.tr.Say(schema.MessageError, why)
	if severity := v.GetStringBytes("severity"); severity != nil {
		m.Attributes = dialect.TextAttribute("severity", string(severity))
	}
	if run := d.tr.Run(); run != nil {
		run.Error = dialect.Short(why)
		d.Emitter.ChangedSpan(run, d.Frame)
	}
}

// End settles what is open.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	d.endCall(schema.StatusUnclosed)
	d.tr.Abandon()
	d.Done()
}
