// Package pi reads the events that the coding agent pi prints (pi --mode json, --mode rpc) and
// the files in which it keeps its sessions. docs/dialects/pi.md describes how it reads them.
package pi

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is the coding agent pi.
var Dialect = dialect.Dialect{
	Name: "pi", Match: match,
	Time: timeOf, Ends: dialect.EndsWith("agent_end"), New: newDecoder,
}

// timeOf reads a line's time: the time of an entry of a file (RFC 3339), or the time of an event's
// message (ms). It reads no time from the head of a file, which may be written later than its first
// entries, nor from turn_end, which repeats a message.
func timeOf(in *dialect.Input) int64 {
	if in.JSON == nil {
		return 0
	}
	switch string(in.JSON.GetStringBytes("type")) {
	case "session", "turn_end":
		return 0
	}
	if at := dialect.TextTime(in.JSON.GetStringBytes("timestamp")); at != 0 {
		return at
	}
	return dialect.Milliseconds(in.JSON.GetUint64("message", "timestamp"))
}

// decoder reads one stream, which may have several sessions.
type decoder struct {
	model.Stream
	tr      model.Conversation
	session dialect.Last
	model   dialect.Last
	kept    kept
	seen    dialect.Recent // entries and messages that were read
	ended   bool           // the latest run has ended
	asked   int64          // when the next call of a model began, ns; 0 while none is expected
	answer  answer         // in progress, in events
	outcome outcome        // of the latest answer
	askedAt uint64         // the timestamp of the user's latest message, ms
	tail    dialect.Tail   // of the latest run
}

// outcome is how an answer of the model ended.
type outcome struct {
	status schema.Status // "" before the first
	why    []byte
}

// line is the present line.
type line struct {
	*dialect.Input
	v   *fastjson.Value // the line, or the message inside of it
	raw []byte          // its JSON
}

func (l *line) text(path ...string) []byte { return l.v.GetStringBytes(path...) }

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.begin("")
	return d
}

// begin begins a session.
func (d *decoder) begin(id string) {
	d.tr = model.Conversation{Stream: &d.Stream, Session: id}
	d.kept, d.answer, d.outcome = kept{}, answer{}, outcome{}
	d.ended, d.asked, d.askedAt = false, 0, 0
	d.seen.Clear()
}

// Decode reads one line.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	if in.JSON == nil || in.Direction == schema.Send {
		return
	}
	d.BeginLine(in, b, timeOf(in) != 0)
	typ, known := lines.Of(in.JSON.GetStringBytes("type"))
	in.Type = typ.Name
	switch {
	case !known:
		d.Unknown()
	case d.tail.Again(in.Data, d.tr.Run() != nil):
		d.Emitter.Mark(d.Frame, schema.FlagEventRepeat, 0)
	case typ.Handle != nil:
		typ.Handle(d, &line{Input: in, v: in.JSON, raw: in.Data})
	}
	d.tr.Address()
	d.Done()
}

// lines maps the types of events, and of the entries of files, to handlers.
var lines = dialect.NewTypes(map[string]func(*decoder, *line){
	"session":               (*decoder).head,
	"agent_start":           (*decoder).agentStart,
	"agent_end":             (*decoder).agentEnd,
	"agent_settled":         nil,
	"turn_start":            func(d *decoder, _ *line) { d.asks() },
	"turn_end":              nil,
	"message_start":         inside((*decoder).messageStart),
	"message_update":        (*decoder).messageUpdate,
	"message_end":           inside((*decoder).message),
	"tool_execution_start":  (*decoder).toolStart,
	"tool_execution_update": (*decoder).toolUpdate,
	"tool_execution_end":    (*decoder).toolEnd,
	"auto_compaction_start": nil,
	"auto_compaction_end":   (*decoder).compacted,
	"compaction_start":      nil,
	"compaction_end":        (*decoder).compacted,
	"auto_retry_start":      nil,
	"auto_retry_end":        nil,
	"extension_error":       (*decoder).extensionError,
	"extension_ui_request":  nil,
	"queue_update":          nil,
	"response":              nil,
	"message":               entry(inside((*decoder).keptMessage)),
	"model_change":          entry((*decoder).modelChange),
	"compaction":            entry(func(d *decoder, l *line) { d.summary(l, "compacted") }),
	"branch_summary":        entry(func(d *decoder, l *line) { d.summary(l, "branch_summary") }),
	"custom_message":        entry(func(d *decoder, l *line) { d.system(l) }),
	"usage":                 entry((*decoder).entryUsage),
	"thinking_level_change": nil,
	"context_transform":     nil,
	"context_edit":          nil,
	"ephemeral":             nil,
	"custom":                nil,
	"label":                 nil,
	"session_info":          nil,
})

// inside makes a handler of lines from a handler of their messages.
func inside(handle func(*decoder, *line)) func(*decoder, *line) {
	return func(d *decoder, l *line) {
		message := l.v.Get("message")
		if !dialect.IsObject(message) {
			d.Unknown()
			return
		}
		l.v, l.raw = message, dialect.RawMember(l.raw, "message")
		handle(d, l)
	}
}

// End settles what is open.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	d.tr.Abandon()
	d.Done()
}
