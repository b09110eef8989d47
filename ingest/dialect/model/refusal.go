package model

import (
	"strconv"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Refusal is an HTTP answer, recorded by a proxy, whose status is an error. The zero value means
// that no answer was seen.
type Refusal struct {
	status  int
	message *dialect.Message
}

// Answer sets the status of an answer's head; 0 begins another exchange. It reports whether the
// request was refused.
func (r *Refusal) Answer(status int) bool {
	*r = Refusal{status: status}
	return r.Refused()
}

// Refused reports whether the exchange's answer is an error.
func (r *Refusal) Refused() bool { return r.status >= 400 }

// Text returns what the head alone states, for example "HTTP 503".
func (r *Refusal) Text() []byte { return strconv.AppendInt([]byte("HTTP "), int64(r.status), 10) }

// Body adds a piece of the answer's body to the message of the error, and to the
// error of the run that ended with the answer.
func (r *Refusal) Body(t *Conversation, run *dialect.Span, piece []byte) {
	if r.message == nil {
		r.message = t.Say(schema.MessageError, nil)
		r.message.Span = run.ID
	}
	t.Emitter.Append(r.message, piece, t.Frame)
	run.Error, run.Ended = dialect.Short(r.message.TextSoFar()), t.Frame.At
	t.Emitter.ChangedSpan(run, t.Frame)
}
