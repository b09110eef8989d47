package pi

import (
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// answer is the model's answer in progress, which comes in events.
type answer struct {
	parts uint64 // whole content parts, by bit
}

// partKept bounds the parts of an answer that are read from events. Parts beyond it are read from
// the whole message.
const partKept = 64

func (a *answer) whole(part int) bool { return part < partKept && a.parts&(1<<part) != 0 }

// agentStart begins a run: pi begins to work on the user's message, or tries again.
func (d *decoder) agentStart(*line) { d.openRun() }

func (d *decoder) agentEnd(*line) {
	if d.tr.Run() != nil || !d.ended {
		d.endRun()
	}
}

// openRun begins a run.
func (d *decoder) openRun() {
	run := d.tr.OpenRun("")
	if d.kept.parent != "" {
		run.Attributes = dialect.TextAttribute("parent_session", d.kept.parent)
	}
	d.outcome, d.answer = outcome{}, answer{}
	d.asks()
}

// inRun begins a run if none is in progress.
func (d *decoder) inRun() {
	if d.tr.Run() == nil {
		d.openRun()
	}
}

// endRun ends a run with the outcome of its last answer.
func (d *decoder) endRun() {
	status := d.outcome.status
	if status == "" {
		status = schema.StatusOK
	}
	d.tr.EndRun(status, d.outcome.why)
	d.outcome, d.ended, d.asked = outcome{}, true, 0
}

// asks records that a call of the model begins.
func (d *decoder) asks() { d.asked = d.Frame.At }

// messageStart reads the start of a message. A message of the model is a call of it.
func (d *decoder) messageStart(l *line) {
	if string(l.text("role")) == "assistant" {
		d.inRun()
		d.beginAnswer(l)
	}
}

// beginAnswer begins a call of the model.
func (d *decoder) beginAnswer(l *line) {
	if name := l.text("model"); len(name) > 0 {
		d.tr.AnswerModel(d.model.Own(name), string(l.text("provider")))
	}
	d.answer = answer{}
	d.tr.CompleteAll()
	call := d.tr.OpenCall()
	if d.asked != 0 {
		call.Started = d.asked
	}
	d.asked = 0
}

// setModel sets the model that is called.
func (d *decoder) setModel(name, provider []byte) {
	if len(name) > 0 && (string(name) != d.tr.Model || string(provider) != d.tr.Provider) {
		d.tr.SetModel(d.model.Own(name), string(provider))
	}
}

// messageUpdate reads a piece of the model's answer.
func (d *decoder) messageUpdate(l *line) {
	event := l.v.Get("assistantMessageEvent")
	typ, known := pieces.Of(event.GetStringBytes("type"))
	if !known {
		d.Unknown()
		return
	}
	part := event.GetInt("contentIndex")
	if typ.Handle == nil || part < 0 || part >= partKept {
		return
	}
	d.inRun()
	if d.tr.Call() == nil {
		d.beginAnswer(&line{Input: l.Input, v: l.v.Get("message")})
	}
	l.raw = dialect.RawMember(l.raw, "assistantMessageEvent")
	typ.Handle(d, &piece{line: l, event: event, part: part, key: strconv.AppendInt(nil, int64(part), 10)})
}

// piece is a piece of a part of an answer.
type piece struct {
	*line
	event *fastjson.Value
	part  int
	key   []byte
}

// pieces maps types of pieces to handlers. "done" and "error" state how the answer ended, which
// message_end repeats.
var pieces = dialect.NewTypes(map[string]func(*decoder, *piece){
	"start":          nil,
	"text_start":     nil,
	"text_delta":     says(schema.MessageAssistant),
	"text_end":       said(schema.MessageAssistant),
	"thinking_start": nil,
	"thinking_delta": says(schema.MessageThinking),
	"thinking_end":   said(schema.MessageThinking),
	"toolcall_start": func(d *decoder, p *piece) { d.callOf(p) },
	"toolcall_delta": (*decoder).callDelta,
	"toolcall_end":   (*decoder).callEnd,
	"done":           nil,
	"error":          nil,
})

// says returns a handler for a piece of a text.
func says(kind schema.MessageKind) func(*decoder, *piece) {
	return func(d *decoder, p *piece) { d.tr.Append(kind, p.key, p.event.GetStringBytes("delta")) }
}

// said returns a handler for a whole text.
func said(kind schema.MessageKind) func(*decoder, *piece) {
	return func(d *decoder, p *piece) { d.say(kind, p.part, p.key, p.event.GetStringBytes("content")) }
}

// say records a whole text, of which pieces may have come.
func (d *decoder) say(kind schema.MessageKind, part int, key, text []byte) {
	if d.answer.whole(part) {
		return
	}
	if part < partKept {
		d.answer.parts |= 1 << part
	}
	if m := d.tr.Growing(kind, key); m != nil {
		if text != nil {
			d.Emitter.SetText(m, text, d.Frame)
		}
		d.tr.Complete(kind, key)
		return
	}
	if len(text) > 0 {
		d.tr.Say(kind, text)
	}
}
