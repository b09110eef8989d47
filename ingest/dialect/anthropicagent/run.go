package anthropicagent

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// A run may have several connections: it pauses for the client to execute tools, its connection
// ends, and the rest comes on another one, perhaps in another stream. No frame names the run.
// Both connections name the calls that it waited for, whose ids are the Messages API's and
// unique. So the id of a run that pauses is "run:" and the lowest of these ids. The part before
// the pause becomes a node of that run, and so does the part on the next connection.

// begin begins a run, or the node of a sub-agent, at a time, ns.
func (a *agent) begin(at int64) *dialect.Span {
	if run := a.Run(); run != nil {
		return run
	}
	if a.parent == nil {
		a.Model, a.Provider = "", "" // set by an earlier connection
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

// inRun begins a run if none is in progress, at the time of its request if that was seen.
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

// resume begins a part of a run that other connections refer to as well. It follows the results
// of calls; more results may follow.
func (a *agent) resume(at int64, call []byte) {
	if a.parent != nil {
		a.begin(at)
		return
	}
	if a.Run() == nil {
		whole := a.whole // of an earlier part in this stream
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

// seal names the run that a part belongs to, once all the results with which it began are
// recorded.
func (a *agent) seal() {
	if !a.leg || len(a.resumed) == 0 {
		return
	}
	id := "run:" + slices.Min(a.resumed)
	a.resumed = nil
	if a.whole == nil || a.whole.ID != id || a.whole.Session != a.Session {
		a.openWhole(id)
		a.whole.Started = 0 // another connection has its start
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

// pause records that the run waits for the client to execute calls.
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
	case a.whole.ID != id: // another pause: the parts so far become a part as well
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

// work records that the run no longer waits.
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

// end ends the run and everything open in it.
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

// part ends this connection's part of a run that waits.
func (a *agent) part() {
	a.completeResults()
	run := a.Run()
	a.EndRun(schema.StatusOK, nil)
	if a.whole == nil && a.parent == nil { // the calls that it waits for are not known
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

// close settles an agent at the end of its connection. cut reports that the stream stopped
// without an end.
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

// abandon settles a run without an end.
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

// done reads the end of a connection. It ends agents without an end of their own: servers send
// such ends only if they are configured to.
func (d *decoder) done() {
	d.leaveMarkup()
	d.answerMissing()
	for i := len(d.agents) - 1; i >= 0; i-- {
		d.agents[i].close(false)
	}
	d.leaveConnection()
}

// cutConnection settles a connection without an end.
func (d *decoder) cutConnection() {
	for i := len(d.agents) - 1; i >= 0; i-- {
		d.agents[i].cutOff()
	}
	d.leaveConnection()
}

// leaveConnection releases the state of one connection.
func (d *decoder) leaveConnection() {
	d.root, d.speaker, d.over = nil, nil, false
	d.asked, d.payloads, d.refusal = request{}, nil, model.Refusal{}
}

// answerMissing records the run of a request without an answer, or with an error answer without a
// body.
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
