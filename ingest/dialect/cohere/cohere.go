// Package cohere reads the second version of Cohere's chat API, as server-sent events or whole
// answers, and the requests that a proxy recorded. docs/dialects/cohere.md describes how it reads
// them.
package cohere

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is Cohere's chat API, version 2.
var Dialect = dialect.Dialect{
	Name: "cohere", Match: match,
	Ends: dialect.EndsWith(typeEnd, typeError), New: newDecoder,
}

// provider serves every model of this API.
const provider = "cohere"

// Types of frames. Whole answers and requests name no type in the API: the types typeChat and
// typeRequest are ours.
const (
	typeStart   = "message-start"
	typeEnd     = "message-end"
	typeChat    = "chat"
	typeRequest = "request"
	typeError   = "error"
)

// decoder reads one stream: one exchange behind a proxy, otherwise messages one after the other.
type decoder struct {
	model.Exchange
	begun     bool          // the answer to the request has begun
	ended     bool          // the latest message has its message-end
	latest    *dialect.Span // the run of the message that ended last
	tail      dialect.Tail  // of the latest message
	cut       int           // messages cut off by another message; their events may still come
	rest      bool          // the present event may be of a message that was cut off
	mixed     bool          // the run in progress may have events of another message
	citations dialect.List
	calls     []call // of the message in progress
	key       []byte // scratch: of a content
	id        dialect.Last
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.Init(d, provider)
	d.EventIDs = true
	return d
}

// events maps types of events to handlers.
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

// Message implements model.API.
func (d *decoder) Message(in *dialect.Input) string {
	v := in.JSON
	switch {
	case string(in.Data) == dialect.DoneMarker:
		return dialect.DoneMarker
	case v == nil || v.Type() != fastjson.TypeObject:
		if !d.IsRefusal(in) {
			return dialect.Intern([]byte(in.Event))
		}
		d.Fail(in.Data, in.Data)
		return typeError
	case in.Direction == schema.Send:
		return d.request(v, in.Data)
	case dialect.IsObject(v.Get("message")) && v.Get("finish_reason") != nil:
		d.whole(in)
		return typeChat
	case d.Refusal.Refused():
		why := dialect.FirstNonEmpty(v.GetStringBytes("message"), in.Data)
		d.Fail(why, why)
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

// repeats reports whether an event is a repeat: its message has ended, and the end was delivered
// twice. Another message begins with its message-start or with a request. If one message cut off
// another, a new event after the end of the second is of either.
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

// mark records on a run that it may have events of another run.
func (d *decoder) mark(run *dialect.Span) {
	if run != nil {
		run.Attributes = dialect.Inseparable(run.Attributes)
		d.Emitter.ChangedSpan(run, d.Frame)
	}
}

// Request implements model.API.
func (d *decoder) Request(h *dialect.Head) {
	d.Next()
	d.cut = 0
	if d.Foreign = !isEndpoint(h); !d.Foreign {
		d.asks()
	}
}

// isEndpoint reports whether a request goes to the chat API.
func isEndpoint(h *dialect.Head) bool {
	return string(h.Method) == "POST" && bytes.HasSuffix(bytes.TrimSuffix(h.Path, []byte("/")), []byte("/v2/chat"))
}

// asks begins a call of the model.
func (d *decoder) asks() {
	d.begun, d.ended, d.calls, d.citations = false, false, nil, nil
	d.mixed, d.rest = d.rest, false
	d.Ask()
}

// answered begins an answer if none has begun.
func (d *decoder) answered() {
	if d.Run() == nil {
		d.asks() // its request was not seen
	}
	d.begun = true
}

// name sets the id of the run and of its calls to the id of the message.
func (d *decoder) name(id []byte) {
	if len(id) > 0 && d.RunID == "" {
		d.NameRun(d.id.Own(id))
	}
}
