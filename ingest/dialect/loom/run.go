package loom

import (
	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// run is a run in progress. Facts share its strings.
type run struct {
	session, name, agent string
	model, provider      string // as the request named them

	span   *dialect.Span
	user   *dialect.Message
	attrs  dialect.Attributes
	events int
	gaps   int // how often frames were lost
	export bool

	nodes    []*node // those open, the latest last
	graph    []*node // nodes of a graph of thoughts
	loose    node    // takes what belongs to no node
	tools    toolbox
	uncosted *costless

	sums     sums
	thinking *dialect.Message // the latest
	thoughts *xxhash.Digest   // of all thinking

	cancelled bool   // its cancellation was asked for
	left      bool   // a node of it ended
	failed    bool   // its latest node ended in an error, …
	failure   string // … this one
	lastAt    int64  // when it was heard of last, ns
}

// openRun begins a run with the present frame, or with the request for it.
func (d *decoder) openRun(session, name string, q *request) *run {
	r := &run{session: session, name: name}
	if q != nil {
		r.agent, r.model, r.provider = q.agent, q.model, q.provider
	}
	r.span = d.emitter.OpenSpan(schema.SpanRun, d.id("run"), r.agent, d.frame)
	r.fill(&r.span.Fact, nil)
	d.unclock(r.span)
	if q == nil {
		return r
	}
	r.span.Started = q.at
	r.span.Model, r.span.Provider = q.model, q.provider
	d.asked(r, q.message, q.media, q.attributes, q.at)
	return r
}

// unclock takes the start off a span whose times are not known: what came in
// one frame did not happen in one moment.
func (d *decoder) unclock(s *dialect.Span) {
	if d.bundled {
		s.Started = 0
	}
}

// asked records the user's message, which arrived at the given time.
func (d *decoder) asked(r *run, text []byte, media, attrs string, at int64) {
	if len(text) == 0 || r.user != nil && string(r.user.TextSoFar()) == string(text) {
		return
	}
	m := d.emitter.Say(schema.MessageUser, d.id("user"), text, d.frame)
	m.Started, m.Ended = at, at
	m.Media, m.Attributes, m.Span = media, attrs, r.span.ID
	r.fill(&m.Fact, nil)
	r.user = m
	d.emitter.SetTitle(r.session, text)
}

// nameRun gives a run its name where that is learned later than that it runs.
func (d *decoder) nameRun(r *run, name string) {
	r.name = name
	r.span.Run = name
	d.emitter.ChangedSpan(r.span, d.frame)
	if r.user != nil {
		r.user.Run = name
		d.emitter.ChangedMessage(r.user, d.frame)
	}
}

// fill says whose a fact is. Its session never changes again, as that settles
// where it is stored.
func (r *run) fill(f *schema.Fact, n *node) {
	f.Session, f.Run, f.Agent = r.session, r.name, r.agent
	if n != nil {
		f.Node = n.id
	}
}

// parent is the span that one belongs to which is of a node.
func (r *run) parent(n *node) string {
	if n != nil && n.span != nil {
		return n.span.ID
	}
	return r.span.ID
}

// tell has a run learn of an event.
func (d *decoder) tell(r *run, e *event) {
	r.events++
	r.export = e.export && (r.export || r.events == 1)
	if !e.kind.passive() {
		r.lastAt = d.frame.At
	}
	switch e.kind {
	case runStart:
		d.started(r, e)
	case nodeEnter:
		d.enter(r, e)
	case nodeExit:
		d.leave(r, e)
	case messageChunk, thoughtChunk:
		d.chunk(r, e)
	case usage:
		d.costs(r, e)
	case toolCallChunk, toolCall, toolStart, toolOutput, toolEnd, toolApproval:
		d.tool(r, e)
	case custom:
		d.custom(r, e)
	case gotNodeStart:
		d.enterGraph(r, e)
	case gotNodeComplete, gotNodeFailed:
		d.leaveGraph(r, e)
	}
}

// started reads a run_start.
func (d *decoder) started(r *run, e *event) {
	if agent := e.o.text(fAgent); len(agent) > 0 && r.agent != string(agent) {
		r.agent = string(agent)
		r.span.Name, r.span.Agent = r.agent, r.agent
		d.emitter.ChangedSpan(r.span, d.frame)
	}
	text, media, attrs := userMessage(e.o.member[fMessage])
	d.asked(r, text, media, attrs, d.frame.At)
}

// finish ends a run with the present frame.
func (d *decoder) finish(r *run, status schema.Status, err string) {
	d.settle(r, status == schema.StatusOK)
	r.span.Error, r.span.Attributes = err, r.attrs.Text()
	d.emitter.CloseSpan(r.span, status, d.frame)
}

// giveUp ends a run of which no end was seen. A run whose latest node ended in
// an error has failed with that; the single-key form has no end, so that a run
// which left all its nodes counts as ended.
func (d *decoder) giveUp(r *run) {
	status, ended := schema.StatusUnclosed, int64(0)
	switch {
	case r.cancelled:
		status, ended = schema.StatusCancelled, d.frame.At
	case r.failed:
		status, ended = schema.StatusError, r.lastAt
	case r.export && r.left && len(r.nodes) == 0 && len(r.tools.open) == 0 && r.loose.call == nil:
		status, ended = schema.StatusOK, r.lastAt
	}
	d.settle(r, false)
	r.span.Status, r.span.Ended, r.span.Attributes = status, ended, r.attrs.Text()
	if r.failed {
		r.span.Error = r.failure
	}
	d.emitter.ChangedSpan(r.span, d.frame)
}

// settle ends what is open in a run when it ends. A call of a model outside of
// any node has no end of its own but its usage: a good end of the run is its.
func (d *decoder) settle(r *run, well bool) {
	for _, t := range r.tools.open {
		d.abandonTool(t)
	}
	for i := len(r.nodes) - 1; i >= 0; i-- {
		d.abandonNode(r.nodes[i])
	}
	for _, n := range r.graph {
		d.abandonNode(n)
	}
	if c := r.loose.call; c != nil {
		if well {
			d.endCall(c, schema.StatusOK, "")
		} else {
			d.abandonCall(c)
		}
	}
	r.tools, r.nodes, r.graph, r.loose = toolbox{}, nil, nil, node{}
}

// abandon marks a span that did not end before what it belongs to. Its end is
// not known and is left out.
func (d *decoder) abandon(s *dialect.Span) {
	s.Status = schema.StatusUnclosed
	d.emitter.ChangedSpan(s, d.frame)
}

func (d *decoder) complete(m *dialect.Message) {
	if m != nil && !m.Message.Complete {
		d.emitter.Complete(m, d.frame)
	}
}
