package opencode

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// session is one session in a stream.
type session struct {
	*decoder
	conv   model.Conversation
	parent string // the session whose tool call began this one
	user   string // the latest message of the user
	model  dialect.Last
	agent  dialect.Last
	lines  bool // texts and tools come when they are complete
	form   form // of its events
	inputs []input

	said     int64 // when the call of a model in progress had its last output, ns
	tooled   bool  // the call has made a tool call
	finished int64 // when a line stated the end of a last step, ns; 0 if more follows
	failure  failure
	messages []*message
	asked    []asked
}

// failure is the latest error, and the run's status if it ends with the error.
type failure struct {
	status schema.Status
	text   string
	at     int64 // ns
}

// inRun returns the run in progress. It begins a run if there is none.
func (t *session) inRun() *dialect.Span {
	run := t.conv.Run()
	if run == nil {
		run = t.conv.OpenRun("")
		t.failure = failure{}
		if t.parent != "" {
			run.Attributes = dialect.TextAttribute("parent_session", t.parent)
		}
	}
	t.finished = 0
	return run
}

// failed notes an error: {name, data: {message}}. The session becomes idle after it.
func (t *session) failed(e *fastjson.Value) {
	if dialect.IsNull(e) {
		return
	}
	name := e.GetStringBytes("name")
	text := e.GetStringBytes("data", "message")
	for _, other := range [][]byte{e.GetStringBytes("message"), name, e.GetStringBytes()} {
		if len(text) == 0 {
			text = other
		}
	}
	status := schema.StatusError
	if string(name) == "MessageAbortedError" {
		status = schema.StatusCancelled
	}
	run := t.conv.Run()
	repeated := t.failure.text == dialect.Short(text)
	t.failure = failure{status, dialect.Short(text), t.Frame.At}
	t.finished = 0
	if repeated && run != nil {
		return
	}
	m := t.conv.Say(schema.MessageError, text)
	if len(name) > 0 {
		m.Attributes = dialect.TextAttribute("name", string(name))
	}
}

// idle ends the run.
func (t *session) idle(*fastjson.Value, []byte) {
	if t.conv.Run() != nil {
		t.end()
		t.trim()
	}
}

func (t *session) end() {
	status := schema.StatusOK
	if t.failure.status != "" {
		status = t.failure.status
	}
	t.endCall(status)
	t.conv.EndRun(status, []byte(t.failure.text))
	t.forget()
}

// forget releases the state of a run.
func (t *session) forget() {
	for _, m := range t.messages {
		t.note([]byte(m.id))
	}
	t.messages, t.asked, t.failure, t.finished = nil, nil, failure{}, 0
}

// cutOff settles a run without a stated end. A run whose latest event is an error ended in it.
// Lines state no end: a run in lines ends with its last step.
func (t *session) cutOff() {
	run, call, at := t.conv.Run(), t.conv.Call(), t.finished
	if t.failure.status != "" {
		at = t.failure.at
	}
	if run != nil && at != 0 {
		t.end()
		run.Ended = at
		if call != nil {
			call.Ended = min(call.Ended, at)
		}
	}
	t.conv.Abandon()
	t.forget()
}
