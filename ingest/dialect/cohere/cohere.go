// Package cohere reads the second version of Cohere's chat API, streamed as server-sent
// events or whole; with the requests, where a proxy recorded them.
// docs/dialects/cohere.md says what is concluded from what.
package cohere

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is Cohere's chat API, version 2.
var Dialect = dialect.Dialect{Name: "cohere", Match: match, Ends: dialect.EndsWith(typeEnd, typeError), New: newDecoder}

// provider serves every model of this API.
const provider = "cohere"

// Types of frames; those of answers that come whole and of requests have none of their own.
const (
	typeStart   = "message-start"
	typeEnd     = "message-end"
	typeChat    = "chat"
	typeRequest = "request"
	typeError   = "error"
)

// decoder reads one stream: behind a proxy one exchange, otherwise messages one after the
// other.
type decoder struct {
	model.Conversation
	stream    model.Stream
	foreign   bool          // the request went to another endpoint
	begun     bool          // the answer to the request has begun
	ended     bool          // the latest message has its message-end
	latest    *dialect.Span // the run of the message that ended last
	tail      dialect.Tail  // of that message
	cut       int           // messages that others began in, whose events may still come
	rest      bool          // what comes now is of one of these
	mixed     bool          // the run in progress may have events of another message
	citations dialect.List
	calls     []call // of the message in progress
	key       []byte // scratch: of a content
	id        dialect.Last
	refusal   model.Refusal
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
	in.EventID = in.ID
	if head, ok := dialect.HeadOf(in); ok {
		d.head(&head)
	} else if len(in.Data) > 0 && !d.foreign {
		in.Type = d.message(in)
	}
	d.Address()
}

// events are the types of events.
var events = dialect.NewTypes(map[string]func(*decoder, *dialect.Input){
	typeStart:         (*decoder).messageStart,
	"content-start":   (*decoder).content,
	"content-delta":   (*decoder).content,
	"content-end":     (*decoder).contentEnd,
	"tool-plan-delta": (*decoder).toolPlan,
	"tool-call-start": (*decoder).toolCallStart,
	"tool-call-delta": (*decoder).toolCallDelta,
	"tool-call-end":   (*decoder).toolCallEnd,
	"citation-start":  (*decoder).citation,
	"citation-end":    nil,
	typeEnd:           (*decoder).messageEnd,
	"debug":           nil,
})

// message reads what is no head, and returns its type.
func (d *decoder) message(in *dialect.Input) string {
	v := in.JSON
	switch {
	case string(in.Data) == dialect.DoneMarker:
		return dialect.DoneMarker
	case v == nil || v.Type() != fastjson.TypeObject:
		return d.text(in)
	case in.Direction == schema.Send:
		return d.request(v, in.Data)
	case dialect.IsObject(v.Get("message")) && v.Get("finish_reason") != nil:
		d.whole(in)
		return typeChat
	case d.refusal.Refused():
		d.fail(firstText(v.GetStringBytes("message"), in.Data))
		return typeError
	}
	typ, known := events.Of(v.GetStringBytes("type"))
	switch {
	case !known:
		d.Unknown()
	case d.repeats(in, typ.Name):
	case typ.Handle != nil:
		typ.Handle(d, in)
	}
	return typ.Name
}

// repeats reports an event of a message that began and ended: its end was delivered twice.
// Another message begins with its message-start, or with a request. Where one was cut off
// by another, what is new after the other's end is of one of the two.
func (d *decoder) repeats(in *dialect.Input, typ string) bool {
	again := d.cut > 0 && d.tail.Again(in.Data, d.Run() != nil && d.begun)
	if !d.ended || d.Run() != nil {
		return false
	}
	if d.cut > 0 && typ != typeStart && !again {
		d.cut--
		d.rest = true
		d.mark(d.latest)
		return false
	}
	return typ != typeStart || d.RunID != "" && string(in.JSON.GetStringBytes("id")) == d.RunID
}

// mark notes at a run that events of it may be another's.
func (d *decoder) mark(run *dialect.Span) {
	if run != nil {
		run.Attributes = dialect.Inseparable(run.Attributes)
		d.Emitter.ChangedSpan(run, d.Frame)
	}
}

// text reads what is no JSON: the page of a gateway.
func (d *decoder) text(in *dialect.Input) string {
	switch {
	case in.Direction == schema.Receive && d.refusal.Refused():
		d.fail(in.Data)
		return typeError
	case in.Transport != schema.HTTP:
		d.Unknown()
	}
	return dialect.Intern([]byte(in.Event))
}

func firstText(text, other []byte) []byte {
	if len(text) > 0 {
		return text
	}
	return other
}

// head reads the head of a request, with which a call of the model begins, or that of its
// answer.
func (d *decoder) head(h *dialect.Head) {
	if h.Status != 0 {
		d.refusal.Answer(h.Status)
		return
	}
	d.leave()
	d.cut = 0
	d.refusal.Answer(0)
	if d.foreign = !isEndpoint(h); !d.foreign {
		d.asks()
	}
}

// isEndpoint reports whether a request goes to the chat API.
func isEndpoint(h *dialect.Head) bool {
	return string(h.Method) == "POST" && bytes.HasSuffix(bytes.TrimSuffix(h.Path, []byte("/")), []byte("/v2/chat"))
}

// asks begins a call of the model.
func (d *decoder) asks() {
	d.ForgetModel()
	d.Provider, d.begun, d.ended, d.calls, d.citations = provider, false, false, nil, nil
	d.mixed, d.rest = d.rest, false
	d.OpenRun("")
	d.OpenCall()
}

// answered begins what the model says, where it has not begun.
func (d *decoder) answered() {
	if d.Run() == nil {
		d.asks() // its request was not seen
	}
	d.begun = true
}

// name sets the id of the run, and of its calls, to that of the message.
func (d *decoder) name(id []byte) {
	if len(id) > 0 && d.RunID == "" {
		d.NameRun(d.id.Own(id))
	}
}

// leave settles a message of which no more will be seen.
func (d *decoder) leave() {
	d.refusal.EndRun(&d.Conversation)
	d.Abandon()
}

// fail ends the message in an error.
func (d *decoder) fail(why []byte) {
	d.refusal.Fail(&d.Conversation, provider, why)
}

// End implements dialect.Decoder.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.stream.End(at, b)
	d.leave()
	d.Done()
}
