package agui

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// runState is the state of the run in progress, or of the run that ended last.
type runState struct {
	span  *dialect.Span
	asked bool // it began with its request, and no event of the agent has come yet
	child bool // the parent run is noted
	attrs dialect.Attributes

	places  []place
	roles   []role
	owners  []owner
	chunks  chunks
	spoke   bool     // it has streamed a message or a call
	last    string   // id of the last message of its input
	counted [][]byte // usages in RAW events
}

// run identifies a run other than the one in progress, such as an abandoned run whose end may
// still come.
type run struct {
	id   string
	span *dialect.Span
}

// Bounds: abandoned runs, and a value in a run's attributes, bytes.
const (
	abandonedLimit = 8
	attachLimit    = 16 << 10
)

// inRun returns the run in progress. It begins a run if there is none.
func (d *decoder) inRun() *dialect.Span {
	if d.Run() == nil {
		d.beginRun(nil)
	}
	return d.Run()
}

func (d *decoder) beginRun(id []byte) {
	d.abandonRun()
	d.run = runState{}
	d.ForgetModel()
	d.RunID = d.id.Own(id)
	d.run.span = d.OpenRun("")
}

// abandonRun leaves the run in progress without an end.
func (d *decoder) abandonRun() {
	if d.Run() == nil {
		return
	}
	d.countRaw()
	d.leavePlaces(schema.StatusUnclosed)
	d.Abandon()
	if d.RunID != "" {
		d.abandoned = dialect.AppendRecent(d.abandoned, run{d.RunID, d.run.span}, abandonedLimit)
	}
}

// runStarted reads RUN_STARTED. A run whose parent is the run in progress begins inside of it;
// any other run follows it.
func (d *decoder) runStarted(in *dialect.Input) {
	id, parent := in.JSON.GetStringBytes("runId"), in.JSON.GetStringBytes("parentRunId")
	if d.run.asked && d.Run() != nil {
		d.run.asked = false
		if d.RunID == "" {
			d.NameRun(d.id.Own(id))
		}
		d.lineage(parent)
		d.version(in)
		return
	}
	var below *dialect.Span
	if d.Run() != nil && len(parent) > 0 && string(parent) == d.RunID && len(d.outer) < levelLimit {
		below = d.run.span
		d.push()
		d.Session = below.Session
	} else {
		d.abandonRun() // under its own session
	}
	d.nameSession(in)
	d.beginRun(id)
	if below != nil && below.Session == d.Session {
		d.run.span.Parent = below.ID
	}
	d.lineage(parent)
	d.version(in)
	if input := dialect.RawMember(in.Data, "input"); len(input) > 0 && input[0] == '{' {
		d.input(input)
	}
}

func (d *decoder) nameSession(in *dialect.Input) {
	if thread := in.JSON.GetStringBytes("threadId"); len(thread) > 0 {
		d.Session = d.session.Own(thread)
	}
}

// lineage notes the parent of the run.
func (d *decoder) lineage(parent []byte) {
	if len(parent) > 0 && !d.run.child {
		d.run.child = true
		d.run.attrs.AddText("parent_run_id", string(parent))
		d.noteRun()
	}
}

// version notes the version of the protocol that the agent states.
func (d *decoder) version(in *dialect.Input) {
	if version := in.JSON.GetStringBytes("protocolVersion"); len(version) > 0 {
		d.run.attrs.AddText("protocol_version", dialect.Short(version))
		d.noteRun()
	}
}

// attach adds a JSON value to the run's attributes.
func (d *decoder) attach(name string, value []byte) {
	if len(value) <= attachLimit {
		d.run.attrs.AddRaw(name, value)
	}
}

func (d *decoder) noteRun() {
	d.run.span.Attributes = d.run.attrs.Text()
	d.Emitter.ChangedSpan(d.run.span, d.Frame)
}

// runFinished reads RUN_FINISHED. It ends the run in progress, unless it names another run. A run
// whose start was not seen has no start.
func (d *decoder) runFinished(in *dialect.Input) {
	id := in.JSON.GetStringBytes("runId")
	d.seek(id)
	if d.finishedLate(id, in) || d.finishedAgain(id) {
		return
	}
	if d.Run() == nil {
		if len(id) > 0 && string(id) == d.RunID {
			return // delivered again
		}
		d.nameSession(in)
		d.beginRun(id)
		d.run.span.Started = 0
	}
	if result := dialect.RawMember(in.Data, "result"); !dialect.RawNull(result) {
		text, media := dialect.RawContent(result)
		d.Say(schema.MessageReply, text).Media = media
	}
	status := d.outcome(in)
	switch status {
	case schema.StatusWaiting:
		d.interrupted(dialect.RawPath(in.Data, "outcome.interrupts"))
	case schema.StatusUnclosed:
		d.attach("outcome", dialect.RawMember(in.Data, "outcome"))
	}
	for _, tool := range slices.Clone(d.OpenTools()) {
		switch {
		case status == schema.StatusCancelled:
			d.EndTool(tool, status, nil)
		case tool.Ready:
			d.Wait(tool) // the client answers it: no result has come
		}
	}
	if status == schema.StatusWaiting {
		d.endRun(in, schema.StatusOK, nil)
		d.run.span.Status, d.run.span.Ended = status, 0
	} else {
		d.endRun(in, status, nil)
	}
	d.left = true
}

// outcome returns the status of a run by the outcome of its end. A run with an outcome that is not
// known is unclosed, and the frame is marked.
func (d *decoder) outcome(in *dialect.Input) schema.Status {
	switch typ := in.JSON.GetStringBytes("outcome", "type"); string(typ) {
	case "", "success":
		if outcome := in.JSON.Get("outcome"); dialect.IsNull(outcome) || string(typ) != "" {
			return schema.StatusOK
		}
	case "interrupt":
		return schema.StatusWaiting
	case "cancelled":
		return schema.StatusCancelled
	}
	d.Unknown()
	return schema.StatusUnclosed
}

// seek returns to the outer run with an id, if there is one. It abandons the runs in between.
func (d *decoder) seek(id []byte) {
	if len(id) == 0 || string(id) == d.RunID {
		return
	}
	i := slices.IndexFunc(d.outer, func(l *level) bool { return l.RunID == string(id) })
	for i >= 0 && len(d.outer) > i {
		d.abandonRun()
		d.pop()
	}
}

// finishedLate reads the end of a run that was abandoned when another run began. The frame
// belongs to the abandoned run.
func (d *decoder) finishedLate(id []byte, in *dialect.Input) bool {
	i := slices.IndexFunc(d.abandoned, func(r run) bool { return len(id) > 0 && r.id == string(id) })
	if i < 0 {
		return false
	}
	late := d.abandoned[i]
	d.abandoned = slices.Delete(d.abandoned, i, i+1)
	if status := d.outcome(in); status == schema.StatusWaiting {
		d.SettleSpan(late.span, status)
	} else {
		d.Emitter.CloseSpan(late.span, status, d.Frame)
	}
	d.usages(late, dialect.RawMember(in.Data, "usage"))
	d.late = &late
	return true
}

// finishedAgain reads the end of a run that has ended already, other than the latest one. It
// changes nothing. Events after that earlier end, without a run of their own, may be another
// delivery of it: they become a run with its id, so that its usage counts once, and the frame is
// marked.
func (d *decoder) finishedAgain(id []byte) bool {
	if string(id) == d.RunID || !d.past.Has(id) {
		return false
	}
	if d.Run() == nil {
		return true
	}
	d.Frame.Flags |= schema.FlagEventRepeat
	if d.RunID != "" {
		return true
	}
	d.NameRun(d.id.Own(id))
	return false
}

// interrupted notes what a run waits for. A call that waits for an approval has not started.
func (d *decoder) interrupted(interrupts []byte) {
	d.attach("interrupts", interrupts)
	dialect.RawElements(interrupts, func(one []byte) bool {
		if tool := d.OpenTool(dialect.RawText(one, "toolCallId")); tool != nil {
			tool.Ready = true
			tool.Span.Started = 0
			if len(tool.Attrs) == 0 {
				tool.Attrs.AddTime("approval_at", d.Frame.At)
			}
			d.Noted(tool)
		}
		return true
	})
}

// runError reads RUN_ERROR, which names no run. It ends the run in progress, else it belongs to
// the run that ended last.
func (d *decoder) runError(in *dialect.Input) {
	why := in.JSON.GetStringBytes("message")
	if d.Run() == nil && d.run.span != nil {
		d.failedLate(why)
		return
	}
	if d.Run() == nil {
		d.beginRun(nil)
		d.run.span.Started = 0
	}
	if len(why) > 0 {
		d.Say(schema.MessageError, why)
	}
	if code := in.JSON.GetStringBytes("code"); len(code) > 0 {
		d.run.attrs.AddText("code", dialect.Short(code))
	}
	d.endRun(in, schema.StatusError, why)
	d.left = true
}

// failedLate reads an error after the end of its run.
func (d *decoder) failedLate(why []byte) {
	span := d.run.span
	if span.Status == schema.StatusError {
		return // delivered again
	}
	if len(why) > 0 {
		d.Say(schema.MessageError, why).Span = span.ID
	}
	span.Error = dialect.Short(why)
	d.Emitter.CloseSpan(span, schema.StatusError, d.Frame)
}

// endRun ends the run and records its usage.
func (d *decoder) endRun(in *dialect.Input, status schema.Status, why []byte) {
	d.usageOfRun(dialect.RawMember(in.Data, "usage"))
	d.leavePlaces(status)
	d.run.span.Attributes = d.run.attrs.Text()
	d.past.Add([]byte(d.RunID), pastLimit)
	d.EndRun(status, why)
	d.run.roles, d.run.chunks, d.run.attrs = nil, chunks{}, nil
}
