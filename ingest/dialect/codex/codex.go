// Package codex reads the lines that "codex exec --json" prints. docs/dialects/codex.md describes
// how it reads them.
package codex

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is the event stream of "codex exec --json". Its lines carry no times.
var Dialect = dialect.Dialect{
	Name: "codex", Match: match,
	Ends: dialect.EndsWith("turn.completed", "turn.failed"), New: newDecoder,
}

// decoder reads one stream. Ids of items begin with item_0 in every process, so that they are
// unique in this stream only. The thread, and everything that the process printed so far,
// identify a tool call or a usage in every stream with the same process.
type decoder struct {
	model.Stream
	tr       model.Conversation
	thread   dialect.Last
	scope    string        // of running totals
	failing  string        // an error of the run with no event after it yet
	failedAt int64         // when it arrived, ns
	todo     []byte        // the latest list, JSON
	quoting  []byte        // buffer for arguments
	printed  xxhash.Digest // of the lines of the process so far
	made     int           // number of ids made with the present line
	end      uint64        // the hash of the line that ended the latest turn
	tail     dialect.Tail  // of the latest turn
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.reset()
	return d
}

// reset begins a process.
func (d *decoder) reset() {
	d.tr = model.Conversation{Stream: &d.Stream, Session: d.tr.Session, LocalTools: true, SharedID: d.shared}
	d.printed.Reset()
	d.failing, d.todo, d.end = "", nil, 0
}

// Decode reads one line.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	if in.JSON == nil || in.Direction == schema.Send {
		return
	}
	d.Begin(in, b)
	if d.tail.Again(in.Data, d.tr.Run() != nil) {
		in.Type = dialect.Intern(in.JSON.GetStringBytes("type"))
		d.Emitter.Mark(d.Frame, schema.FlagEventRepeat, 0)
	} else {
		_, _ = d.printed.Write(in.Data) // it never fails
		d.made = 0
		d.event(in)
	}
	d.tr.Address()
	d.Done()
	if cap(d.quoting) > roomKept {
		d.quoting = nil
	}
}

// shared returns the id of a fact that begins with the present line. The id is the same in every
// stream with the process's lines up to here, or unique to this stream if the thread has no id.
func (d *decoder) shared(kind string) string {
	if d.tr.Session == "" {
		return d.ID(kind)
	}
	d.made++
	var h xxhash.Digest
	h.Reset()
	_, _ = h.WriteString(d.tr.Session)
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, d.printed.Sum64()+uint64(d.made)))
	return dialect.EventID(kind, h.Sum64())
}

// roomKept bounds the buffer for arguments that is kept, bytes.
const roomKept = 2048

func (d *decoder) event(in *dialect.Input) {
	typ := in.JSON.GetStringBytes("type")
	in.Type = dialect.Intern(typ)
	read, known := events[in.Type]
	if !known {
		d.Unknown()
	} else {
		read(d, in)
	}
	if in.Type != "error" {
		d.failing = ""
	}
}

// events maps types of lines to handlers.
var events = map[string]func(*decoder, *dialect.Input){
	"thread.started":     (*decoder).threadStarted,
	"turn.started":       (*decoder).turnStarted,
	"turn.completed":     (*decoder).turnCompleted,
	"turn.failed":        (*decoder).turnFailed,
	"item.started":       (*decoder).item,
	"item.updated":       (*decoder).item,
	"item.completed":     (*decoder).item,
	"item.plan.delta":    (*decoder).planDelta,
	"request_user_input": (*decoder).requestUserInput,
	"error":              (*decoder).error,
}

// threadStarted begins a process. A previous process in the same stream was cut off.
func (d *decoder) threadStarted(in *dialect.Input) {
	d.cutOff()
	d.tr.Session = d.thread.Own(in.JSON.GetStringBytes("thread_id"))
	d.scope = ""
	d.reset()
}

func (d *decoder) turnStarted(*dialect.Input) {
	d.cutOff()
	d.tr.OpenRun("")
	d.todo = nil
}

func (d *decoder) turnCompleted(in *dialect.Input) { d.turnEnded(in, schema.StatusOK, nil) }

func (d *decoder) turnFailed(in *dialect.Input) {
	d.turnEnded(in, schema.StatusError, errorOf(in.JSON))
}

// turnEnded ends a run. Errors mostly come in a line of their own before; an error that differs
// from that line is a message as well. A repeated line changes nothing while no turn is open.
func (d *decoder) turnEnded(in *dialect.Input, status schema.Status, why []byte) {
	end := xxhash.Sum64(in.Data)
	if d.tr.Run() == nil && end == d.end {
		return
	}
	d.end = end
	run := d.tr.RunAtEnd()
	if raw := dialect.RawMember(in.Data, "usage"); raw != nil {
		d.usage(raw)
	}
	text := innermost(why)
	if len(why) > 0 && run.Error != dialect.Short(text) {
		d.tr.Say(schema.MessageError, why)
	}
	run.Error = "" // the turn continued after the earlier errors
	run.Attributes = dialect.Attribute("todo_list", d.todo)
	d.tr.EndRun(status, text)
	d.todo = nil
}

// error reads an error. It ends no run, as another attempt follows many errors ("Reconnecting…").
func (d *decoder) error(in *dialect.Input) {
	why := in.JSON.GetStringBytes("message")
	if why == nil {
		d.Unknown()
		return
	}
	d.tr.Say(schema.MessageError, why)
	if run := d.tr.Run(); run != nil {
		run.Error = dialect.Short(innermost(why))
		d.failing, d.failedAt = run.Error, d.Frame.At
		d.Emitter.ChangedSpan(run, d.Frame)
	}
}

// cutOff settles a turn without an end. If an error was the last event, the turn ended in it.
func (d *decoder) cutOff() {
	run := d.tr.Run()
	switch {
	case run == nil:
	case d.failing != "":
		d.tr.EndRun(schema.StatusError, nil)
		run.Ended = d.failedAt
	default:
		run.Error = "" // the turn continued after it
	}
	d.tr.Abandon()
}

// End settles what is open.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	d.cutOff()
	d.Done()
}
