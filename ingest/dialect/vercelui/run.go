package vercelui

import (
	"fmt"
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// running is what is known of the message that is made: of the run in
// progress, or of the one that ended last.
type running struct {
	span   *dialect.Span
	failed bool
	why    []byte // what the error said, cut short
	attrs  dialect.Attributes

	usage   *dialect.Usage
	isTotal bool               // usage is a total, not that of a step
	sum     schema.Tokens      // of its steps, where those tell their usage
	steps   int                // how many did
	goesOn  bool               // the request goes on with a message that was there before
	asked   []*dialect.Message // what the user says in it, until the run has an id

	step  int   // the present step, counted from 1
	made  int   // calls of a model and messages that it made, so far
	spoke int64 // when the model last said something in it
	ran   bool  // a tool ended in it
	said  []*dialect.Message

	refusal      *dialect.Message // what an answer that is an error says
	compozyUsage []byte           // the latest that Compozy told, as it stood
}

// saidLimit bounds the messages of a step that a reset-step would take back.
const saidLimit = 64

// inRun gives the run in progress, and begins one where there is none.
func (d *decoder) inRun() *dialect.Span {
	if d.talk.Run() == nil {
		d.beginRun(nil)
	}
	return d.talk.Run()
}

func (d *decoder) beginRun(id []byte) {
	d.leaveRun()
	d.talk.RunID = d.id.Own(id)
	d.run.span = d.talk.OpenRun("")
}

// leaveRun says that no more will be heard of the run in progress. An error that
// was told was its end if nothing came after it.
func (d *decoder) leaveRun() {
	if d.talk.Run() != nil && d.run.failed {
		d.endRun(schema.StatusError, nil)
	}
	d.talk.Abandon()
	d.forget()
}

// forget lets go of the run before.
func (d *decoder) forget() {
	d.run, d.calls = running{}, calls{}
	d.talk.RunID, d.talk.Model, d.talk.Provider = "", "", ""
}

// started reads a start. Streams that are merged into one each have their own;
// only another message's id makes it another run.
func (d *decoder) started(id []byte) {
	t := &d.talk
	switch {
	case t.Run() == nil, len(id) > 0 && t.RunID != "" && t.RunID != string(id):
		d.beginRun(id)
	case len(id) > 0 && t.RunID == "":
		d.nameRun(d.id.Own(id))
	}
}

// nameRun gives the run, and what was asked for it, the id of the message.
func (d *decoder) nameRun(id string) {
	d.talk.NameRun(id)
	for _, m := range d.run.asked {
		m.Run = id
		d.Emitter.ChangedMessage(m, d.Frame)
	}
	d.run.asked = nil
}

// beginStep begins a step, which is one call of a model, with the tools that
// the server runs for it.
func (d *decoder) beginStep() {
	d.endStep()
	d.inRun()
	d.run.step++
	d.openCall()
}

func (d *decoder) openCall() {
	if id := d.shared("llm"); id != "" {
		d.talk.OpenCallAs(id)
		return
	}
	d.talk.OpenCall()
}

// uniqueID is how long a message's id must be to be taken for unique, bytes: as
// long as the SDK makes them.
const uniqueID = 16

// isShared reports whether other streams may tell the message under the same ids:
// one that is resumed tells all of it again. It has to be known that this stream has
// it from its start: a message that is gone on with has the same id, and other steps.
func (d *decoder) isShared() bool { return d.whole && len(d.talk.RunID) >= uniqueID }

// shared makes an id for what a message has next, from the message's; it is empty
// where the message is not shared.
func (d *decoder) shared(kind string) string {
	if !d.isShared() {
		return ""
	}
	d.run.made++
	return fmt.Sprintf("%s:%s.%d", kind, d.talk.RunID, d.run.made)
}

func (d *decoder) endStep() {
	d.endCall(schema.StatusOK)
	d.talk.CompleteAll()
}

// endCall ends the call of a model. The end of a step waits for its tools:
// where one was run the model was done when it last said something.
func (d *decoder) endCall(status schema.Status) {
	call := d.talk.Call()
	d.talk.EndCall(status)
	if call != nil && d.run.ran && d.run.spoke != 0 {
		call.Ended = d.run.spoke
	}
	d.run.ran, d.run.spoke = false, 0
	clear(d.run.said)
	d.run.said = d.run.said[:0]
}

// resetStep takes back all that the step has said: the attempt failed and is
// made again.
func (d *decoder) resetStep() {
	for _, m := range d.run.said {
		m.Attributes = `{"reset":true}`
		d.Emitter.ChangedMessage(m, d.Frame)
	}
	for _, one := range slices.Clone(d.calls.open) {
		if one.step == d.run.step {
			d.endTool(one, schema.StatusCancelled, []byte("reset-step"))
		}
	}
	again := d.talk.Call() != nil
	d.run.ran = false // it was at it until now
	d.endCall(schema.StatusError)
	d.talk.CompleteAll()
	if again {
		d.openCall()
	}
}

// finished reads the end of a message. After another end it says nothing new.
func (d *decoder) finished(reason []byte) {
	if d.talk.Run() == nil && d.run.span != nil {
		return
	}
	status := schema.StatusOK
	if d.run.failed || string(reason) == "error" {
		status = schema.StatusError
	}
	d.endRun(status, reason)
}

func (d *decoder) aborted(why []byte) {
	if d.talk.Run() == nil && d.run.span != nil {
		return
	}
	d.run.why = []byte(dialect.Short(why))
	d.endRun(schema.StatusCancelled, nil)
}

// closed reads [DONE]: not every stream has told of its end before.
func (d *decoder) closed() {
	if d.talk.Run() != nil {
		d.finished(nil)
	}
}

// endRun ends the run. What the model asked for and nobody has run by then
// waits for the client.
func (d *decoder) endRun(status schema.Status, reason []byte) {
	t := &d.talk
	if t.Run() == nil {
		d.inRun().Started = 0 // only its end was seen
	}
	d.endCall(status)
	if status == schema.StatusOK {
		d.calls.wait(t)
	}
	if len(reason) > 0 {
		d.run.attrs.AddText("stop_reason", string(reason))
	}
	d.run.attrs.AddRaw("compozy_usage", d.run.compozyUsage)
	d.run.span.Attributes = d.run.attrs.Text()
	t.EndRun(status, d.run.why)
	d.calls = calls{}
	d.run.said = nil
	d.whole = false
}

// failed reads an error. It need not be the last that is said, but a message
// with an error has failed, even if the error comes after its end.
func (d *decoder) failed(text []byte) {
	ended := d.talk.Run() == nil && d.run.span != nil
	if !ended {
		d.inRun()
	}
	d.run.failed = true
	if d.run.why == nil {
		d.run.why = []byte(dialect.Short(text))
	}
	span := d.run.span
	if len(text) > 0 {
		if m := d.talk.Say(schema.MessageError, text); ended {
			m.Span = span.ID
		}
	}
	if ended {
		span.Status, span.Error = schema.StatusError, string(d.run.why)
		d.Emitter.ChangedSpan(span, d.Frame)
	}
}
