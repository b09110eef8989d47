package compozy

import (
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// run is the execution in progress, or the one that ended last.
type run struct {
	span      *dialect.Span // nil before the first event
	ended     bool
	replied   bool   // its result is recorded
	said      bool   // some output came in chunks
	called    bool   // calls of a model are described
	stepAgent bool   // the agent belongs to the present step
	snapshot  uint64 // hash of the reply from snapshots, 0 for none
	workflow  string // the execution of the workflow that contains it
	action    string
	code      string // of an error
	word      string // the engine's name of its final state
	restarts  int
	warnings  dialect.List

	// The end as stated by an event that may not be the last one.
	ending schema.Status
	why    []byte
	at     int64

	usage usage
}

// inRun begins a run if there is none.
func (d *decoder) inRun() {
	if d.Run() != nil {
		return
	}
	d.run = run{workflow: d.run.workflow}
	if d.RunID != "" {
		d.run.span = d.OpenRunAs("run:"+d.RunID, "")
	} else {
		d.run.span = d.OpenRun("")
	}
}

// leave settles the run in progress with the end that was stated last, or as unclosed.
func (d *decoder) leave() {
	if span := d.Run(); span != nil && d.run.ending != "" {
		d.EndRun(d.run.ending, d.run.why)
		span.Ended = d.run.at
	}
	d.Abandon()
	d.run = run{}
	d.Node, d.Agent, d.RunID = "", "", d.request.exec
}

// belongs begins another execution if an event is not of the present one, and sets its id. again
// reports that the event is a repeat.
func (d *decoder) belongs(e *event, n uint64, again bool) {
	exec := e.exec
	if e.name == workflowStart && e.isObject() {
		exec = e.text("execution_id", "executionId", "exec_id")
	}
	another := false
	switch {
	case len(exec) > 0 && d.RunID != "":
		another = string(exec) != d.RunID
	case d.run.span == nil, d.request.exec != "": // a request is for one execution
	case e.name == workflowStart && e.isObject():
		another = d.run.ended || !again
	case d.run.ended:
		// Ids start again with every execution. Until an execution has ended all ids are taken as
		// its own, as they may collide on the streams of agents and tasks.
		another = n > 0 && n <= d.sequence.last && !again
	}
	if another {
		d.leave()
		d.sequence.restart()
	}
	if len(exec) > 0 && string(exec) != d.RunID {
		d.NameRun(d.execID.Own(exec))
	}
}

func (d *decoder) workflowStarts(e *event) {
	d.inRun()
	if name := e.text("workflow_id", "workflowId"); len(name) > 0 && d.run.span.Name == "" {
		d.run.span.Name = string(name)
		d.Emitter.ChangedSpan(d.run.span, d.Frame)
	}
}

// progress reads {"status","step"?,"usage"?}.
func (d *decoder) progress(e *event) {
	text := e.text("status")
	status := statusOf(text)
	if d.run.ended {
		d.count(e) // a status after the end repeats it
		return
	}
	seen := d.Run() != nil
	d.inRun()
	if !seen && status.Ended() {
		d.run.span.Started = 0 // it had ended before the first frame
	}
	if step := e.text("step"); len(step) > 0 && (d.Step() == nil || d.Step().Name != string(step)) {
		d.leaveAgent()
		d.OpenStep(string(step))
	}
	d.count(e)
	if status.Ended() {
		d.EndStep(status)
		d.EndCall(status)
		d.run.ending, d.run.at, d.run.word = status, d.Frame.At, string(text)
	}
	d.noteRun()
}

// leaveAgent ends the step of an agent.
func (d *decoder) leaveAgent() {
	if d.run.stepAgent {
		d.Agent, d.run.stepAgent = "", false
	}
}

// ends reads a complete or an error. Two may come: the stored one, and one that the server makes
// when it reads the state of the execution.
func (d *decoder) ends(e *event) {
	var status schema.Status
	if e.isObject() {
		text := e.text("status")
		if status = statusOf(text); status.Ended() {
			d.run.word = string(text)
		}
	}
	if d.run.ended {
		d.count(e)
		d.reply(e)
		return
	}
	d.leaveAgent()
	seen := d.Run() != nil
	d.inRun()
	if !seen {
		d.run.span.Started = 0 // only its end was seen
	}
	d.count(e)
	var why []byte
	if e.name == failure || status == schema.StatusError {
		why = d.fail(e)
	}
	if e.isObject() {
		d.duration(e)
	}
	switch {
	case e.name == failure && !status.Ended():
		// The engine continues after this event if it tries again. It is the end only if nothing
		// follows.
		d.EndStep(schema.StatusError)
		d.EndCall(schema.StatusError)
		d.run.ending, d.run.why, d.run.at = schema.StatusError, []byte(dialect.Short(why)), d.Frame.At
		d.noteRun()
		return
	case !status.Ended():
		status = schema.StatusOK
	}
	d.reply(e)
	d.noteRun()
	d.EndRun(status, why)
	d.run.ended = true
}

// fail records the text of an error, unless it was recorded before.
func (d *decoder) fail(e *event) []byte {
	if e.isObject() {
		code := e.text("code")
		if len(code) == 0 {
			code = e.value.GetStringBytes("error", "code")
		}
		if len(code) > 0 {
			d.run.code = dialect.Short(code)
		}
	}
	why := e.why()
	if len(why) > 0 && dialect.Short(why) != string(d.run.why) {
		d.Say(schema.MessageError, why)
	}
	return why
}

// reply records the result once.
func (d *decoder) reply(e *event) {
	if !e.isObject() || d.run.replied {
		return
	}
	result, media := e.content("result", "output")
	if result == nil {
		return
	}
	d.run.replied = true
	if xxhash.Sum64(result) == d.run.snapshot {
		return // it was recorded while it grew
	}
	m := d.Say(schema.MessageReply, result)
	m.Media, m.Span = media, d.run.span.ID
}

// duration sets the duration that the engine measured.
func (d *decoder) duration(e *event) {
	if ns, ok := milliseconds(e.value.Get("durationMs"), e.value.Get("duration_ms")); ok {
		d.run.span.Duration = ns
	}
}

// noteRun sets the attributes of the run.
func (d *decoder) noteRun() {
	var a dialect.Attributes
	r := &d.run
	for _, text := range []struct{ name, value string }{
		{"stop_reason", r.word}, {"code", r.code}, {"action", r.action}, {"workflow_exec_id", r.workflow},
	} {
		if text.value != "" {
			a.AddText(text.name, text.value)
		}
	}
	if r.restarts > 0 {
		a.AddRaw("loop_restarts", strconv.AppendInt(nil, int64(r.restarts), 10))
	}
	if len(r.warnings) > 0 {
		a.AddRaw("warnings", r.warnings.JSON())
	}
	if text := a.Text(); text != r.span.Attributes {
		r.span.Attributes = strings.Clone(text)
		d.Emitter.ChangedSpan(r.span, d.Frame)
	}
}
