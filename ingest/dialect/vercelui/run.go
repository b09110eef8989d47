package vercelui

import (
	"fmt"
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// runState is the state of the run in progress, or of the run that ended last. Each message is a
// run.
type runState struct {
	span   *dialect.Span
	failed bool
	why    []byte // the text of the error, cut short
	attrs  dialect.Attributes
	calls  dialect.Recent // calls that have ended

	usage   *dialect.Usage
	isTotal bool          // usage is a total, not the usage of one step
	sum     schema.Tokens // of its steps, if they state their usage
	steps   int           // number of steps with a usage
	resumed bool          // the request continues an earlier message

	step     int   // the present step, from 1
	made     int   // number of its calls of a model and messages so far
	spoke    int64 // when the model had its last output in the step
	executed bool  // a tool ended in the step
	said     []*dialect.Message

	compozyUsage []byte // Compozy's latest usage, JSON
}

// saidLimit bounds the messages of a step that a reset-step takes back.
const saidLimit = 64

// inRun returns the run in progress. It begins a run if there is none.
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

// leaveRun settles the run in progress without an end. An error was its end if nothing followed.
func (d *decoder) leaveRun() {
	if d.Run() != nil && d.run.failed {
		d.endRun(schema.StatusError, nil)
	}
	d.Abandon()
	d.forget()
}

// forget releases the state of the previous run.
func (d *decoder) forget() {
	d.run = runState{}
	d.ForgetModel()
}

// beginMessage reads a start. Streams that are merged into one each have a start: only another
// message id begins another run.
func (d *decoder) beginMessage(id []byte) {
	switch {
	case d.Run() == nil, len(id) > 0 && d.RunID != "" && d.RunID != string(id):
		d.beginRun(id)
	case len(id) > 0 && d.RunID == "":
		d.NameRun(d.id.Own(id))
	}
}

// beginStep begins a step, which is one call of a model, with the tools that the server executes
// for it.
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

// uniqueID is the length from which on a message's id is taken as unique, bytes. The SDK makes
// ids of this length.
const uniqueID = 16

// isShared reports whether other streams may have the message with the same ids: a resumed stream
// repeats all of it. This stream must have the message from its start, as a message that is
// continued has the same id and other steps.
func (d *decoder) isShared() bool { return d.whole && len(d.RunID) >= uniqueID }

// shared returns an id for the next fact of a message, made of the message's id, or "" if the
// message is not shared.
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

// endCall ends the call of a model. The end of a step waits for its tools: if a tool was executed,
// the call ended at the model's last output.
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

// resetStep takes back the output of the step: the attempt failed and is made again.
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
	d.run.executed = false // the attempt lasted until now
	d.endCall(schema.StatusError)
	d.CompleteAll()
	if again {
		d.openCall()
	}
}

// finish reads the end of a message. A second end changes nothing.
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

// endRun ends the run. Tool calls that were not executed wait for the client.
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

// failed reads an error. More chunks may follow, but a message with an error has failed, even if
// the error comes after its end.
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

// say adds to a text part. A part begins with its first text, as many are opened and closed
// without any.
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

// spoken records output of the model. Without steps the start of its call is not known, only the
// run's first output.
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
