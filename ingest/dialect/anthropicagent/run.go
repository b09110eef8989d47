package anthropicagent

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// A run may go over several connections: it pauses for the client to execute
// tools, its connection ends, and the rest comes on another, perhaps recorded as
// another stream. Nothing on the wire names a run. What both connections name
// are the calls that it waited for, whose ids are the Messages API's and occur
// nowhere else. So a run that pauses is called "run:" and one of these ids, the
// lowest; what was seen of it until then becomes a node of it, and so does what
// comes on the next connection.

// begin begins a run, or a sub-agent's node, as of a time, ns.
func (a *agent) begin(at int64) *dialect.Span {
	if run := a.Run(); run != nil {
		return run
	}
	if a.parent == nil {
		a.Model, a.Provider = "", "" // those of an earlier connection
	}
	kind := schema.SpanRun
	if a.parent != nil {
		kind = schema.SpanNode
	}
	run := a.OpenRunAs(a.ID(string(kind)), "")
	run.Kind, run.Started = kind, at
	if p := a.parent; p != nil {
		if tool := p.OpenTool([]byte(a.spawn)); tool != nil {
			run.Parent = tool.Span.ID
		} else if above := p.Run(); above != nil {
			run.Parent = above.ID
		}
	}
	a.leg, a.resumed, a.whole = false, nil, nil
	return run
}

// inRun makes sure that a run is in progress, as of its request if that was
// seen.
func (d *decoder) inRun(a *agent) *dialect.Span {
	if run := a.Run(); run != nil {
		return run
	}
	at := d.Frame.At
	if d.since != 0 {
		at = d.since
	}
	if a == d.root {
		at = d.asked.takeTime(at)
	}
	run := a.begin(at)
	if a == d.root {
		d.asked.record(a)
	}
	return run
}

// resume begins a part of a run that other connections refer to as well: it goes
// on after the results of calls. more may follow.
func (a *agent) resume(at int64, call []byte) {
	if a.parent != nil {
		a.begin(at)
		return
	}
	if a.Run() == nil {
		whole := a.whole // of a part that this stream saw
		a.begin(at)
		a.leg, a.whole = true, whole
		a.Run().Kind = schema.SpanNode
		if whole != nil && whole.ID == "run:"+string(call) {
			a.SetModel(whole.Model, whole.Provider)
		}
	}
	if a.leg && a.Run().Parent == "" && len(call) > 0 && len(a.resumed) < resultLimit {
		a.resumed = append(a.resumed, string(call))
	}
}

// seal names the run that a part belongs to, once all the results are recorded with
// which it began.
func (a *agent) seal() {
	if !a.leg || len(a.resumed) == 0 {
		return
	}
	id := "run:" + slices.Min(a.resumed)
	a.resumed = nil
	if a.whole == nil || a.whole.ID != id || a.whole.Session != a.Session {
		a.openWhole(id)
		a.whole.Started = 0 // another connection saw it begin
	} else {
		a.work()
	}
	run := a.Run()
	run.Parent = a.whole.ID
	a.Emitter.ChangedSpan(run, a.Frame)
}

func (a *agent) openWhole(id string) {
	a.whole = a.Emitter.OpenSpan(schema.SpanRun, id, "", a.Frame)
	a.whole.Session, a.whole.Agent, a.whole.Model, a.whole.Provider = a.Session, a.id, a.Model, a.Provider
}

// pause says that the run waits for the client to execute calls.
func (a *agent) pause(calls []string) {
	a.seal()
	a.closeCall(schema.StatusOK)
	a.paused, a.turn = true, nil
	if a.parent != nil || len(calls) == 0 {
		return
	}
	run, id := a.Run(), "run:"+slices.Min(calls)
	switch {
	case a.whole == nil:
		a.openWhole(id)
		a.whole.Started = run.Started
		a.whole.Name, run.Attributes = run.Name, ""
		run.Kind, run.Parent = schema.SpanNode, id
		a.Emitter.ChangedSpan(run, a.Frame)
	case a.whole.ID != id: // once more: what was so far is a part as well
		before := a.whole
		a.openWhole(id)
		a.whole.Started = earlier(before.Started, run.Started)
		before.Kind, before.Parent = schema.SpanNode, id
		a.Emitter.CloseSpan(before, schema.StatusOK, a.Frame)
	}
	a.leg, a.resumed = true, nil
	a.whole.Status = schema.StatusWaiting
	a.noted()
	a.Emitter.ChangedSpan(a.whole, a.Frame)
}

// work says that the run waits no longer.
func (a *agent) work() {
	a.paused = false
	a.notes = slices.DeleteFunc(a.notes, func(n note) bool { return n.name == awaited })
	if a.whole != nil && a.whole.Status == schema.StatusWaiting {
		a.whole.Status, a.whole.Attributes = schema.StatusOpen, ""
		a.Emitter.ChangedSpan(a.whole, a.Frame)
	}
}

func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// end ends the run, and all that is open of it.
func (a *agent) end(status schema.Status, why []byte) {
	a.seal()
	a.closeCall(status)
	a.noted()
	if a.Run() == nil {
		a.begin(a.Frame.At).Started = 0 // only its end was seen
	}
	a.completeResults()
	a.EndRun(status, why)
	if a.whole != nil {
		a.whole.Error = dialect.Short(why)
		a.Emitter.CloseSpan(a.whole, status, a.Frame)
	}
	a.whole = nil
	a.reset()
}

// part ends what this connection has of a run that waits.
func (a *agent) part() {
	a.completeResults()
	run := a.Run()
	a.EndRun(schema.StatusOK, nil)
	if a.whole == nil && a.parent == nil { // what it waits for is not known
		run.Status, run.Ended = schema.StatusWaiting, 0
	}
	a.reset()
}

// reset forgets a run.
func (a *agent) reset() {
	if a.api != nil {
		a.api.GiveUp()
	}
	a.ready, a.spokeAt, a.turn, a.draft, a.cited, a.cites = 0, 0, nil, nil, nil, nil
	a.nameless, a.results, a.notes, a.resumed = nil, nil, nil, nil
	a.failing, a.failedAt, a.paused, a.leg = "", 0, false, false
}

// close settles an agent at the end of its connection. cut says that there was
// no end: the stream just stopped.
func (a *agent) close(cut bool) {
	switch run := a.Run(); {
	case run == nil:
	case a.failing != "":
		at, whole := a.failedAt, a.whole
		a.end(schema.StatusError, []byte(a.failing))
		run.Ended = at
		if whole != nil {
			whole.Ended = at
		}
	case a.paused:
		a.part()
	case cut:
		a.abandon()
	default:
		a.end(schema.StatusOK, nil)
	}
}

func (a *agent) cutOff() { a.close(true) }

// abandon leaves a run that did not end.
func (a *agent) abandon() {
	a.seal()
	a.noted()
	a.completeResults()
	if a.api != nil {
		a.api.GiveUp()
	}
	a.Abandon()
	if a.whole != nil {
		a.SettleSpan(a.whole, schema.StatusUnclosed)
	}
	a.whole = nil
	a.reset()
}

// done reads the end of a connection. Agents that did not state an end of their
// own ended with it: a server mentions one only if it is set to.
func (d *decoder) done() {
	d.leaveMarkup()
	d.answerMissing()
	for i := len(d.agents) - 1; i >= 0; i-- {
		d.agents[i].close(false)
	}
	d.leaveConnection()
}

// cutConnection leaves a connection that had no end.
func (d *decoder) cutConnection() {
	for i := len(d.agents) - 1; i >= 0; i-- {
		d.agents[i].cutOff()
	}
	d.leaveConnection()
}

// leaveConnection forgets what is of one connection only.
func (d *decoder) leaveConnection() {
	d.root, d.speaker, d.over = nil, nil, false
	d.asked, d.payloads, d.refusal = request{}, nil, model.Refusal{}
}

// answerMissing records the run of a request that was never answered, or with an
// error that has no body.
func (d *decoder) answerMissing() {
	switch {
	case !d.waits():
	case d.refusal.Refused():
		d.crash(d.refusal.Text(), "")
	case d.asked.at != 0 && !d.asked.began:
		if d.root == nil {
			d.agent(nil)
		}
		d.inRun(d.root)
	}
}
