package codexappserver

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// opened reads the response to a request that opens a thread. It names the model. The turns that it
// repeats of a thread that is resumed are history, and not new.
func (d *decoder) opened(method string, m *message) {
	t := d.thread(m.GetStringBytes("result", "thread", "id"))
	if t == nil {
		return
	}
	switch method {
	case "thread/start":
		t.totals.known = true
	case "thread/fork":
		t.totals.forked = true
	}
	t.RequestModel(m.GetStringBytes("result", "model"))
}

// turnRequest reads the request that begins a turn: a run.
func (t *thread) turnRequest(m *message) {
	t.RequestModel(m.GetStringBytes("params", "model"))
	t.begin()
	t.input(m)
	t.prompted = true
}

// reviewRequest reads the request for a review, which is a turn without a message of the user.
func (t *thread) reviewRequest(*message) {
	t.begin()
	t.prompted = true
}

// begin begins a turn.
func (t *thread) begin() {
	t.endCall(schema.StatusUnclosed)
	if t.Run() != nil {
		t.Abandon()
	}
	t.ForgetRun()
	t.OpenRun("")
	t.asked, t.called, t.turn, t.plan, t.prompted = t.d.Frame.At, nil, "", nil, false
}

// steer reads what the user adds to the turn in progress.
func (t *thread) steer(m *message) {
	t.InRun()
	t.input(m)
}

// input records the input of a request as a message of the user.
func (t *thread) input(m *message) {
	t.user(m.params("input"))
}

func (t *thread) user(content []byte) {
	user := t.UserMessage(dialect.RawWords(content))
	user.Attributes = dialect.Attribute("parts", dialect.OtherParts(content))
	t.AwaitID(user)
}

// accepted reads the response to a request that begins a turn.
func (t *thread) accepted(m *message) {
	if failure := m.Get("error"); !dialect.IsNull(failure) {
		t.fail(failure.GetStringBytes("message"))
		return
	}
	t.named(m.GetStringBytes("result", "turn", "id"))
}

// named sets the id of the turn.
func (t *thread) named(id []byte) {
	if len(id) > 0 && t.turn == "" && t.Run() != nil {
		t.turn = string(id)
		t.NameRun(t.turn)
	}
}

// over reports whether a turn is the latest one and has ended.
func (t *thread) over(turn []byte) bool {
	return t.Run() == nil && t.turn != "" && t.turn == string(turn)
}

func (t *thread) turnStarted(m *message) {
	id := m.GetStringBytes("params", "turn", "id")
	if t.Run() == nil || t.turn != "" && t.turn != string(id) {
		t.begin() // the request was of another client
	}
	t.named(id)
}

// turnCompleted reads the end of a turn.
func (t *thread) turnCompleted(m *message) {
	turn := m.Get("params", "turn")
	if t.over(turn.GetStringBytes("id")) {
		return // a repeat
	}
	run := t.RunAtEnd()
	t.named(turn.GetStringBytes("id"))
	switch string(turn.GetStringBytes("status")) {
	case "failed":
		why := turn.GetStringBytes("error", "message")
		if run.Error == dialect.Short(why) {
			t.stop(schema.StatusError, why)
			return
		}
		t.fail(why)
	case "interrupted":
		t.stop(schema.StatusCancelled, nil)
	default:
		t.stop(schema.StatusOK, nil)
	}
}

// fail ends the turn in an error that no message has stated.
func (t *thread) fail(why []byte) {
	t.RunAtEnd()
	if len(why) > 0 {
		t.Say(schema.MessageError, why)
	}
	t.stop(schema.StatusError, why)
}

// stop ends the turn. Its tools that did not end are cancelled with it.
func (t *thread) stop(status schema.Status, why []byte) {
	run := t.RunAtEnd()
	if status == schema.StatusCancelled {
		for len(t.OpenTools()) > 0 {
			tool := t.OpenTools()[0]
			if tool.Span.Status == schema.StatusWaiting {
				tool.Span.Started = t.d.Frame.At // it did not run
			}
			t.EndTool(tool, status, nil)
		}
	}
	t.endCall(status)
	run.Error = "" // the turn went on after earlier errors
	run.Attributes = dialect.Attribute("plan", t.plan)
	t.EndRun(status, why)
	t.asked = 0
}

// error reads an error in a turn. It does not end the turn: another attempt may follow.
func (t *thread) error(m *message) {
	why := m.GetStringBytes("params", "error", "message")
	if len(why) == 0 {
		t.d.Unknown()
		return
	}
	run := t.InRun()
	t.Say(schema.MessageError, why)
	run.Error = dialect.Short(why)
	t.d.Emitter.ChangedSpan(run, t.d.Frame)
}

// planUpdated reads the whole plan, which becomes an attribute of the run.
func (t *thread) planUpdated(m *message) {
	if list := m.params("plan"); len(list) <= planKept {
		t.plan = append(t.plan[:0], list...)
	}
}

// planKept bounds the plan in a run's attributes, bytes.
const planKept = 2048

// rerouted reads that another model answers than the one that was requested.
func (t *thread) rerouted(m *message) { t.RequestModel(m.GetStringBytes("params", "toModel")) }
