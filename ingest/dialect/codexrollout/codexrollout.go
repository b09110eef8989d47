// Package codexrollout reads the files in which Codex keeps its sessions,
// ~/.codex/sessions/**/rollout-*.jsonl. docs/dialects/codex-rollout.md describes how it reads
// them.
package codexrollout

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is a rollout file of Codex.
var Dialect = dialect.Dialect{Name: "codex-rollout", Match: match, Time: timeOf, New: newDecoder}

// timeOf reads the time at which a line was written.
func timeOf(in *dialect.Input) int64 {
	if in.JSON == nil {
		return 0
	}
	return dialect.TextTime(in.JSON.GetStringBytes("timestamp"))
}

// decoder reads one stream, which may have several files.
type decoder struct {
	model.Stream
	tr       model.Conversation
	thread   dialect.Last
	model    dialect.Last
	provider string
	parent   string // the session from which this one was forked, or which began it
	fork     fork
	turn     turn
	ended    string // the id of the turn that ended last
	totals   totals
	items    dialect.Recent // hashes of the lines of the latest items
}

// line is the present line.
type line struct {
	*dialect.Input
	v   *fastjson.Value // its payload
	raw []byte          // the payload's text
}

func (l *line) text(path ...string) []byte { return l.v.GetStringBytes(path...) }

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.begin("")
	return d
}

// begin begins a session.
func (d *decoder) begin(id string) {
	d.tr = model.Conversation{Stream: &d.Stream, Session: id, Whole: true}
	d.fork, d.totals, d.turn = fork{}, totals{}, turn{}
	d.parent, d.provider, d.ended = "", "", ""
}

// Decode reads one line.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	if in.JSON == nil || in.Direction == schema.Send {
		return
	}
	d.BeginLine(in, b, timeOf(in) != 0)
	d.read(lines, &line{Input: in, v: in.JSON, raw: in.Data})
	d.tr.Address()
	d.Done()
}

type handlers = dialect.Types[func(*decoder, *line)]

// read calls the handler of a line's type.
func (d *decoder) read(table handlers, l *line) {
	typ, known := table.Of(l.text("type"))
	l.Type = typ.Name
	switch {
	case !known:
		d.Unknown()
	case typ.Handle != nil:
		typ.Handle(d, l)
	}
}

// lines maps types of lines to handlers. It is filled in init because the handlers read it.
var lines handlers

func init() {
	lines = dialect.NewTypes(map[string]func(*decoder, *line){
		"session_meta":                       inside((*decoder).sessionMeta),
		"turn_context":                       own((*decoder).turnContext),
		"compacted":                          own((*decoder).compacted),
		"response_item":                      own((*decoder).item),
		"event_msg":                          inside((*decoder).event),
		"token_usage_record":                 own((*decoder).usageRecord),
		"inter_agent_communication":          nil,
		"inter_agent_communication_metadata": nil,
		"retained_context":                   nil,
		"realtime_item":                      nil,
		"security_risk_score":                nil,
		"world_state":                        nil,
	})
}

// item reads an item of the conversation. The end of a file may be delivered twice: the same line
// with the same time is one item.
func (d *decoder) item(l *line) {
	if len(l.JSON.GetStringBytes("timestamp")) > 0 && d.items.Note(l.Data, itemsKept) {
		typ, _ := items.Of(l.text("type"))
		l.Type = typ.Name
		return
	}
	d.read(items, l)
}

// itemsKept bounds the items that are recognised when they are delivered again.
const itemsKept = 64

// inside makes a handler of lines from a handler of payloads.
func inside(handle func(*decoder, *line)) func(*decoder, *line) {
	return func(d *decoder, l *line) {
		payload := l.v.Get("payload")
		if !dialect.IsObject(payload) {
			d.Unknown()
			return
		}
		l.v, l.raw = payload, dialect.RawMember(l.raw, "payload")
		handle(d, l)
	}
}

// own is inside for lines that are ignored if they are copies.
func own(handle func(*decoder, *line)) func(*decoder, *line) {
	return inside(func(d *decoder, l *line) {
		if !d.copied(l) {
			handle(d, l)
		}
	})
}

// event reads an event of Codex's user interface.
func (d *decoder) event(l *line) {
	switch {
	case !d.copied(l):
		d.read(events, l)
	case string(l.text("type")) == "token_count":
		d.inherit(l)
	}
}

// sessionMeta reads the head of a file. A file that begins with the lines of another session has
// the head of that session next. A resumed session may write its own head again.
func (d *decoder) sessionMeta(l *line) {
	id := dialect.FirstText(l.v, "id", "session_id")
	switch {
	case d.fork.copiesHead(id):
		d.fork.head(l)
		return
	case len(id) == 0 || d.tr.Session != string(id):
		d.endTurn()
		d.begin(d.thread.Own(id))
		d.fork.begin(l, id)
	default:
		d.endTurn()
	}
	d.parent = string(parentOf(l))
	d.provider = string(l.text("model_provider"))
	d.tr.Agent = string(dialect.FirstText(l.v, "agent_nickname", "agent_role"))
	d.tr.Instruct(l.text("base_instructions", "text"))
}

// turnContext reads the settings for the next calls of the model.
func (d *decoder) turnContext(l *line) {
	if name := l.text("model"); len(name) > 0 {
		d.tr.SetModel(d.model.Own(name), d.provider)
	}
	if id := l.text("turn_id"); len(id) > 0 && d.tr.Run() != nil && d.tr.RunID == "" {
		d.tr.NameRun(string(id))
	}
}

// compacted reads the summary that replaces the conversation so far.
func (d *decoder) compacted(l *line) {
	if summary := l.text("message"); len(summary) > 0 {
		d.tr.Say(schema.MessageSystem, summary).Attributes = `{"compacted":true}`
	}
}

// End settles what is open.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	d.endTurn()
	d.Done()
}
