package a2a

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// task is a task of an agent: a run.
type task struct {
	model.Conversation
	span      *dialect.Span // its run, also after the run has ended
	artifacts []*artifact
	state     string // as the agent wrote it
	metadata  []byte
	errorCode []byte
}

// Bounds of one stream: tasks, artifacts of a task, messages whose ids are kept, and the metadata
// of a run or a message, bytes.
const (
	taskLimit     = 16
	artifactLimit = 64
	saidLimit     = 256
	metadataLimit = 16 << 10
)

// of returns the task with an id, and begins it if it is not known.
func (d *decoder) of(id, context []byte) *task {
	for _, t := range d.tasks {
		if len(id) > 0 && t.RunID == string(id) {
			d.present = t
			d.answers(t)
			return t
		}
	}
	return d.begin(id, context)
}

// leave settles a task of which this stream has no more frames. A task that waits for the client
// continues in another stream.
func (t *task) leave() {
	run := t.Run()
	if run == nil {
		return
	}
	waits := run.Status == schema.StatusWaiting
	if !waits {
		t.Abandon()
		return
	}
	t.EndRun(schema.StatusOK, nil)
	run.Status, run.Ended = schema.StatusWaiting, 0
}

// task reads a whole task: its history, its artifacts and its status.
func (d *decoder) task(v *fastjson.Value, raw []byte) {
	t := d.of(v.GetStringBytes("id"), v.GetStringBytes("contextId"))
	dialect.Elements(v.GetArray("history"), dialect.RawMember(raw, "history"), 0, func(_ int, m *fastjson.Value, raw []byte) {
		d.say(t, m, raw)
	})
	dialect.Elements(v.GetArray("artifacts"), dialect.RawMember(raw, "artifacts"), 0, func(_ int, a *fastjson.Value, raw []byte) {
		d.artifact(t, a, raw, false, true)
	})
	t.keep(raw)
	d.status(t, v.Get("status"), dialect.RawMember(raw, "status"))
}

// statusUpdate reads a change of a task's status.
func (d *decoder) statusUpdate(v *fastjson.Value, raw []byte) {
	t := d.of(v.GetStringBytes("taskId"), v.GetStringBytes("contextId"))
	t.keep(raw)
	d.status(t, v.Get("status"), dialect.RawMember(raw, "status"))
}

// status reads a task's status. A final state ends its run.
func (d *decoder) status(t *task, v *fastjson.Value, raw []byte) {
	text := v.GetStringBytes("state")
	state := stateOf(text)
	if state == "" {
		d.Unknown()
		return
	}
	if t.Run() == nil {
		return // the task has ended: the status is delivered again
	}
	t.state = string(text)
	t.note()
	status := states[state]
	message := dialect.RawMember(raw, "message")
	switch {
	case status == schema.StatusError:
		why := dialect.RawWords(dialect.RawMember(message, "parts"))
		if len(why) == 0 {
			why = []byte(state)
		} else {
			t.Say(schema.MessageError, why)
		}
		t.EndRun(status, why)
		return
	case dialect.IsObject(v.Get("message")):
		d.say(t, v.Get("message"), message)
	}
	switch {
	case status.Ended():
		t.EndRun(status, nil)
	case t.span.Status != status:
		d.SettleSpan(t.span, status)
	}
}

// keep keeps an event's metadata. The last event with metadata replaces it.
func (t *task) keep(event []byte) {
	if metadata := metadataOf(event); metadata != nil {
		t.metadata = bytes.Clone(metadata)
		t.note()
	}
}

// note sets the attributes of a task's run.
func (t *task) note() {
	var attrs dialect.Attributes
	if t.state != "" {
		attrs.AddText("state", t.state)
	}
	attrs.AddRaw("error_code", t.errorCode)
	attrs.AddRaw("metadata", t.metadata)
	t.span.Attributes = attrs.Text()
	t.Emitter.ChangedSpan(t.span, t.Frame)
}
