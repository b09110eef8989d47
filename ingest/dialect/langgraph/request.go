package langgraph

import (
	"bytes"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// request is what a proxy recorded of the run before its first event.
type request struct {
	seen   bool
	at     int64              // ns
	joins  bool               // the run began before the request
	whole  bool               // the answer is one state, not a stream
	status int                // of the answer
	asked  []*dialect.Message // the user's messages, before the run that they begin
}

// begins records the request's messages in the run, which began with the request.
func (r *request) begins(d *decoder, run *dialect.Span) {
	switch {
	case r.joins:
		run.Started = 0
	case r.at != 0:
		run.Started = r.at
	}
	for _, m := range r.asked {
		if m.Session == run.Session {
			m.Run, m.Span = run.Run, run.ID
			d.Emitter.ChangedMessage(m, d.Frame)
		}
	}
	r.asked = nil
}

// http reads heads and bodies of HTTP messages. It reports whether the frame was one.
func (d *decoder) http(in *dialect.Input) bool {
	if in.Transport != schema.HTTP {
		return false
	}
	if h, ok := dialect.HeadOf(in); ok {
		if h.Status == 0 {
			d.asks(&h)
		} else {
			d.answered(&h)
		}
		d.address()
		return true
	}
	if in.JSON == nil {
		return true
	}
	if in.Direction == schema.Send {
		d.input(in)
	} else {
		d.body(in)
	}
	d.address()
	return true
}

// asks reads a request's head: POST /threads/{thread}/runs/stream, the same without a thread, or
// GET …/runs/{run}/stream, which joins a run.
func (d *decoder) asks(h *dialect.Head) {
	if d.conv.Run() != nil {
		d.abandon()
	}
	d.place(dialect.Alias(h.Path))
	d.request = request{
		seen: true, at: d.Frame.At,
		joins: string(h.Method) == "GET", whole: bytes.HasSuffix(h.Path, []byte("/wait")),
	}
}

// place reads the thread and the run from a path.
func (d *decoder) place(path string) {
	if i := strings.Index(path, "threads/"); i >= 0 {
		id, _, _ := strings.Cut(path[i+len("threads/"):], "/")
		d.nameThread([]byte(id))
	}
	if i := strings.Index(path, "runs/"); i >= 0 {
		id, _, _ := strings.Cut(path[i+len("runs/"):], "/")
		if strings.Contains(id, "-") && d.conv.Run() == nil { // not a verb such as "stream"
			d.conv.RunID = d.run.Own([]byte(id))
		}
	}
}

// nameThread sets the name of the conversation.
func (d *decoder) nameThread(id []byte) {
	if len(id) == 0 || string(id) == d.thread {
		return
	}
	d.thread = string(id)
}

// answered reads an answer's head.
func (d *decoder) answered(h *dialect.Head) {
	d.place(dialect.Alias(h.Field("Content-Location")))
	d.request.status = h.Status
	if d.request.seen && h.Status < 300 {
		d.inRun()
	}
}

// input reads a run's input: messages of the user, and results of tools that the client executed.
func (d *decoder) input(in *dialect.Input) {
	in.Type = "request"
	if id := in.JSON.GetStringBytes("assistant_id"); id != nil {
		d.conv.Agent = string(id)
	}
	if id := in.JSON.GetStringBytes("config", "configurable", "thread_id"); id != nil && d.thread == "" {
		d.nameThread(id)
	}
	if d.conv.Run() == nil {
		d.conv.Session = d.thread // a run in progress keeps its session
	}
	input := in.JSON.Get("input")
	messages := input.GetArray("messages")
	if messages == nil {
		messages = input.GetArray()
	}
	for i := len(messages) - 1; i > 0; i-- {
		if kindOf(messages[i]) == ai { // earlier messages are not new
			messages = messages[i+1:]
			break
		}
	}
	for _, m := range messages {
		k, m, _ := plain(m, nil)
		switch k {
		case human:
			d.ask(m)
		case tool:
			d.result(m)
		}
	}
}

// ask records a message of the user.
func (d *decoder) ask(m *fastjson.Value) {
	text, _ := d.content(m)
	if d.note(m.GetStringBytes("id")) || len(text) == 0 {
		return
	}
	said := d.conv.UserMessage(text)
	if d.conv.Run() == nil && len(d.request.asked) < 16 {
		d.request.asked = append(d.request.asked, said)
	}
}

// body reads an answer that is not a stream: a run's last state, or an error.
func (d *decoder) body(in *dialect.Input) {
	switch {
	case d.request.status >= 400:
		in.Type = "error"
		why := dialect.FirstText(in.JSON, "detail", "message", "error")
		if why == nil {
			why = in.Data
		}
		d.inRun()
		d.conv.Say(schema.MessageError, why)
		d.end(schema.StatusError, why)
	case d.request.whole:
		in.Type = "values"
		d.inRun()
		d.sinceTheUser(in.JSON, in.Data)
		d.interrupts(in.JSON)
		d.end(schema.StatusOK, nil)
	}
}
