package vercelui

import (
	"fmt"
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// runState is what is known of the message that is made: of the run in
// progress, or of the one that ended last.
type runState struct {
	span   *dialect.Span
	failed bool
	why    []byte // what the error said, cut short
	attrs  dialect.Attributes
	calls  dialect.Recent // those that have ended

	usage   *dialect.Usage
	isTotal bool          // usage is a total, not that of a step
	sum     schema.Tokens // of its steps, where those state their usage
	steps   int           // how many did
	resumed bool          // the request adds to a message that was there before

	step     int   // the present step, counted from 1
	made     int   // calls of a model and messages that it made, so far
	spoke    int64 // when the model last said something in it
	executed bool  // a tool ended in it
	said     []*dialect.Message

	compozyUsage []byte // the latest that Compozy stated, as it stood
}

// saidLimit bounds the messages of a step that a reset-step would take back.
const saidLimit = 64

// inRun returns the run in progress, and begins one where there is none.
func (d *decoder) inRun() *dialect.Span {
	if d.Run() == nil {
		d.beginRun(nil)
	}
	return d.Run()
}

func (d *decoder) beginRun(id []byte) {
	d.leaveRun()
	d.RunID = d.id.Own(id)
	d.run.span = d.OpenRun("")
}

// leaveRun leaves the run in progress without an end. An error was its end if
// nothing came after it.
func (d *decoder) leaveRun() {
	if d.Run() != nil && d.run.failed {
		d.endRun(schema.StatusError, nil)
	}
	d.Abandon()
	d.forget()
}

// forget releases what is kept of the run before.
func (d *decoder) forget() {
	d.run = runState{}
	d.ForgetModel()
}

// beginMessage reads a start. Streams that are merged into one each have their
// own; only another message's id makes it another run.
func (d *decoder) beginMessage(id []byte) {
	switch {
	case d.Run() == nil, len(id) > 0 && d.RunID != "" && d.RunID != string(id):
		d.beginRun(id)
	case len(id) > 0 && d.RunID == "":
		d.NameRun(d.id.Own(id))
	}
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
		d.OpenCallAs(id)
		return
	}
	d.OpenCall()
}

// uniqueID is how long a message's id must be to be taken for unique, bytes: as
// long as the SDK makes them.
const uniqueID = 16

// isShared reports whether other streams may hold the message under the same ids:
// one that is resumed repeats all of it. It has to be known that this stream has
// it from its start: a message that is added to has the same id, and other steps.
func (d *decoder) isShared() bool { return d.whole && len(d.RunID) >= uniqueID }

// shared makes an id for what a message has next, from the message's; it is empty
// where the message is not shared.
func (d *decoder) shared(kind string) string {
	if !d.isShared() {
		return ""
	}
	d.run.made++
	return fmt.Sprintf("%s:%s.%d", kind, d.RunID, d.run.made)
}

func (d *decoder) endStep() {
	d.endCall(schema.StatusOK)
	d.CompleteAll()
}

// endCall ends the call of a model. The end of a step waits for its tools:
// where one was run the model was done when it last said something.
func (d *decoder) endCall(status schema.Status) {
	at := d.Frame.At
	if d.run.executed && d.run.spoke != 0 {
		at = d.run.spoke
	}
	d.EndCallAt(status, at)
	d.run.executed, d.run.spoke = false, 0
	clear(d.run.said)
	d.run.said = d.run.said[:0]
}

// resetStep takes back all that the step has said: the attempt failed and is
// made again.
func (d *decoder) resetStep(*dialect.Input) {
	for _, m := range d.run.said {
		m.Attributes = `{"reset":true}`
		d.Emitter.ChangedMessage(m, d.Frame)
	}
	for _, tool := range slices.Clone(d.OpenTools()) {
		if one := tool.Data.(*call); one.step == d.run.step {
			d.endTool(one, schema.StatusCancelled, []byte("reset-step"))
		}
	}
	again := d.Call() != nil
	d.run.executed = false // it was at it until now
	d.endCall(schema.StatusError)
	d.CompleteAll()
	if again {
		d.openCall()
	}
}

// finish reads the end of a message. After another end it says nothing new.
func (d *decoder) finish(reason []byte) {
	if d.Run() == nil && d.run.span != nil {
		return
	}
	status := schema.StatusOK
	if d.run.failed || string(reason) == "error" {
		status = schema.StatusError
	}
	d.endRun(status, reason)
}

func (d *decoder) abort(in *dialect.Input) {
	if d.Run() == nil && d.run.span != nil {
		return
	}
	d.run.why = []byte(dialect.Short(in.JSON.GetStringBytes("reason")))
	d.endRun(schema.StatusCancelled, nil)
}

// endRun ends the run. Calls that the model asked for and that nobody has
// executed by then wait for the client.
func (d *decoder) endRun(status schema.Status, reason []byte) {
	if d.Run() == nil {
		d.inRun().Started = 0 // only its end was seen
	}
	d.endCall(status)
	if status == schema.StatusOK {
		d.awaitClient()
	}
	if len(reason) > 0 {
		d.run.attrs.AddText("stop_reason", string(reason))
	}
	d.run.attrs.AddRaw("compozy_usage", d.run.compozyUsage)
	d.run.span.Attributes = d.run.attrs.Text()
	d.EndRun(status, d.run.why)
	d.run.calls.Clear()
	d.run.said = nil
	d.whole = false
}

// failed reads an error. It need not be the last that is said, but a message
// with an error has failed, even if the error comes after its end.
func (d *decoder) failed(text []byte) {
	ended := d.Run() == nil && d.run.span != nil
	if !ended {
		d.inRun()
	}
	d.run.failed = true
	if d.run.why == nil {
		d.run.why = []byte(dialect.Short(text))
	}
	span := d.run.span
	if len(text) > 0 {
		if m := d.Say(schema.MessageError, text); ended {
			m.Span = span.ID
		}
	}
	if ended {
		span.Status, span.Error = schema.StatusError, string(d.run.why)
		d.Emitter.ChangedSpan(span, d.Frame)
	}
}

// say adds to a text part. Parts begin with their first text: many are opened
// and closed without any.
func (d *decoder) say(kind schema.MessageKind, id, delta []byte) {
	if len(delta) == 0 {
		return
	}
	d.inRun()
	if d.Growing(kind, id) == nil {
		if own := d.shared(string(kind)); own != "" {
			d.BeginTextAs(kind, id, own)
		}
	}
	m := d.Append(kind, id, delta)
	d.spoken()
	n := len(d.run.said)
	if n < saidLimit && (n == 0 || d.run.said[n-1] != m) {
		d.run.said = append(d.run.said, m)
	}
}

// spoken notes that the model has said something. Without steps it is not known
// when it was called, only when the run first said something.
func (d *decoder) spoken() {
	run := d.inRun()
	d.run.spoke = d.Frame.At
	if d.Call() != nil {
		d.FirstToken()
	} else if run.FirstToken == 0 {
		run.FirstToken = d.Frame.At
		d.Emitter.ChangedSpan(run, d.Frame)
	}
}
