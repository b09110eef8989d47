// Package a2a reads the Agent2Agent protocol, versions 0.3 and 1.0: JSON-RPC over HTTP and
// server-sent events, and the REST binding. docs/dialects/a2a.md describes how it reads them.
package a2a

import (
	"bytes"
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is the Agent2Agent protocol.
var Dialect = dialect.Dialect{Name: "a2a", Match: match, Time: timeOf, Ends: ends, New: newDecoder}

// decoder reads one stream: an HTTP exchange, or several one after the other.
type decoder struct {
	model.Stream
	tasks   []*task
	present *task    // the task of the present frame
	asked   *request // a message that the agent has not answered yet
	other   bool     // the last request sent no message, so that its answer begins no task
	said    dialect.Recent
	refusal model.Refusal
	session dialect.Last
	run     dialect.Last
}

func newDecoder(string) dialect.Decoder { return &decoder{} }

// Decode implements dialect.Decoder.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	d.Begin(in, b)
	defer d.Done()
	in.EventID = in.ID
	if head, ok := dialect.HeadOf(in); ok {
		d.head(&head)
	} else if len(in.Data) > 0 {
		d.data(in)
	}
	if d.present != nil {
		d.present.Address()
	}
}

// head reads the head of a request, which begins another exchange, or of its answer.
func (d *decoder) head(h *dialect.Head) {
	if h.Status == 0 {
		d.unanswered()
		d.other, d.present = false, nil
	}
	d.refusal.Answer(h.Status)
}

// data reads a frame's message.
func (d *decoder) data(in *dialect.Input) {
	switch {
	case in.JSON != nil && in.JSON.Type() == fastjson.TypeObject:
		in.Type = d.message(in)
	case in.JSON != nil || in.Transport != schema.HTTP:
		in.Type = dialect.Intern([]byte(in.Event))
		d.Unknown()
	}
	if in.Transport == schema.HTTP && in.Direction == schema.Receive && d.refusal.Refused() {
		d.failed(in.Data, bytes.Join([][]byte{d.refusal.Text(), []byte(dialect.Short(in.Data))}, []byte(": ")))
		d.refusal.Answer(0)
	}
}

// message reads a JSON-RPC message, or the body of the REST binding, and returns its type.
func (d *decoder) message(in *dialect.Input) string {
	v, raw := in.JSON, in.Data
	failure, result := v.Get("error"), v.Get("result")
	switch method := v.GetStringBytes("method"); {
	case len(method) > 0:
		return d.request(method, v.Get("params"), dialect.RawMember(raw, "params"))
	case in.Direction == schema.Send:
		if d.ask(v.Get("message"), dialect.RawMember(raw, "message")) {
			return typeRequest
		}
		d.Unknown()
		return ""
	case !dialect.IsNull(failure):
		d.failure(failure, dialect.RawMember(raw, "error"))
		return typeError
	case dialect.IsObject(result):
		return d.event(result, dialect.RawMember(raw, "result"))
	}
	return d.event(v, raw)
}

// Types of frames that name none.
const (
	typeRequest = "request"
	typeError   = "error"
	typeResult  = "result"
	typeTask    = "task"
)

// events maps what an agent sends to handlers: by kind in version 0.3, by the name of the only
// member in version 1.0.
var events = dialect.NewTypes(map[string]func(d *decoder, v *fastjson.Value, raw []byte){
	typeTask:             (*decoder).task,
	"message":            (*decoder).reply,
	"status-update":      (*decoder).statusUpdate,
	"artifact-update":    (*decoder).artifactUpdate,
	"statusUpdate":       (*decoder).statusUpdate,
	"artifactUpdate":     (*decoder).artifactUpdate,
	"taskStatusUpdate":   (*decoder).statusUpdate,
	"taskArtifactUpdate": (*decoder).artifactUpdate,
})

// event reads a result and returns its type.
func (d *decoder) event(v *fastjson.Value, raw []byte) string {
	name, inside := kindOf(v)
	typ, known := events.Of([]byte(name))
	if !known {
		if v.Get("jsonrpc") != nil || name != "" {
			d.Unknown()
		}
		return typ.Name
	}
	if inside != nil {
		v, raw = inside, dialect.RawMember(raw, name)
	}
	typ.Handle(d, v, raw)
	return typ.Name
}

// kindOf returns the kind of a result and the member that holds it. inside is nil if v is the
// result itself.
func kindOf(v *fastjson.Value) (name string, inside *fastjson.Value) {
	if kind := v.GetStringBytes("kind"); len(kind) > 0 {
		return dialect.Intern(kind), nil
	}
	for _, name := range wrappers {
		if inside = v.Get(name); dialect.IsObject(inside) {
			return name, inside
		}
	}
	if v.GetStringBytes("id") != nil && stateOf(v.GetStringBytes("status", "state")) != "" {
		return typeTask, nil
	}
	return "", nil
}

// wrappers lists the members of which an event of version 1.0 has exactly one.
var wrappers = []string{"statusUpdate", "artifactUpdate", typeTask, "message", "taskStatusUpdate", "taskArtifactUpdate"}

// End implements dialect.Decoder.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	if d.refusal.Refused() {
		d.failed(nil, d.refusal.Text())
	}
	d.unanswered()
	for _, t := range d.tasks {
		t.leave()
	}
	d.Done()
}

// timeOf reads the time of a status. A time without a zone is taken as UTC.
func timeOf(in *dialect.Input) int64 {
	_, status := statusOf(in.JSON)
	text := status.GetStringBytes("timestamp")
	if at := dialect.TextTime(text); at != 0 || len(text) == 0 {
		return at
	}
	return dialect.TextTime(append(slices.Clone(text), 'Z'))
}

// statusOf returns the status in a message of any form, and the object that has the status.
func statusOf(v *fastjson.Value) (of, status *fastjson.Value) {
	if result := v.Get("result"); dialect.IsObject(result) {
		v = result
	}
	if _, inside := kindOf(v); inside != nil {
		v = inside
	}
	return v, v.Get("status")
}

// ends reports whether a frame is the last of an answer: an error, a message, or a status after
// which the agent waits or has ended. Version 0.3 states the end in final.
func ends(in *dialect.Input) bool {
	switch in.Type {
	case typeError, "message":
		return true
	case "artifact-update", "artifactUpdate", "taskArtifactUpdate", "":
		return false
	}
	of, status := statusOf(in.JSON)
	return of.GetBool("final") || isPause(stateOf(status.GetStringBytes("state")))
}
