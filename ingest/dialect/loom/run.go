package loom

import (
	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// run is a run in progress.
type run struct {
	model.Conversation
	user   *dialect.Message
	attrs  dialect.Attributes
	events int
	export bool

	nodes []*node // open nodes, the latest last
	graph []*node // nodes of a graph of thoughts
	loose node    // for events outside of all nodes

	chunking *model.Tool // its arguments are incomplete
	past     []pastTool

	uncosted     *dialect.Span // a call of a model that ended with its node before its usage came
	uncostedNode string
	sums         sums

	thinking *dialect.Message // the latest thinking
	thoughts *xxhash.Digest   // hash of all thinking

	cancelled bool   // a client cancelled it
	left      bool   // one of its nodes ended
	failed    bool   // its latest node ended in an error
	failure   string // the text of that error
	lastAt    int64  // when its latest frame came, ns
}

// openTools bounds the tool calls in progress of one run.
const openTools = 1024

// openRun begins a run with the present frame, or with the request for it. Its session does not
// change afterwards, as it determines where the run is stored.
func (d *decoder) openRun(session, name string, q *request) *run {
	r := &run{}
	r.Conversation = model.Conversation{
		Stream: &d.Stream, Session: session, RunID: name, LocalTools: true, SharedID: d.shared, ToolLimit: openTools,
	}
	if q != nil {
		r.Agent, r.Model, r.Provider = q.agent, q.model, q.provider
	}
	r.loose.Conversation = r.Conversation // without the run, which the other conversation changes
	span := r.OpenRun(r.Agent)
	r.loose.Nest(span)
	if q != nil {
		span.Started = q.at
		d.asked(r, q.text, q.media, q.attributes, q.at)
	}
	return r
}

// asked records the user's message, which arrived at the given time, ns.
func (d *decoder) asked(r *run, text []byte, media, attrs string, at int64) {
	if len(text) == 0 || r.user != nil && string(r.user.TextSoFar()) == string(text) {
		return
	}
	r.user = r.UserMessage(text)
	r.user.Started, r.user.Ended, r.user.Media, r.user.Attributes = at, at, media, attrs
}

// named sets the run's name if it is known only after the start.
func (r *run) named(name string) {
	r.NameRun(name)
	r.loose.RunID = name
	if r.user != nil {
		r.user.Run = name
		r.Emitter.ChangedMessage(r.user, r.Frame)
	}
}

// started reads a run_start.
func (d *decoder) started(r *run, e *event) {
	if agent := e.o.text(fAgent); len(agent) > 0 && r.Agent != string(agent) {
		r.Agent = string(agent)
		r.loose.Agent = r.Agent
		for _, n := range r.nodes {
			n.Agent = r.Agent
		}
		span := r.Run()
		span.Name, span.Agent = r.Agent, r.Agent
		d.Emitter.ChangedSpan(span, d.Frame)
	}
	text, media, attrs := userMessage(e.o.member[fMessage])
	d.asked(r, text, media, attrs, d.Frame.At)
}

// finish ends a run with the present frame.
func (d *decoder) finish(r *run, status schema.Status, why []byte) {
	d.settle(r, status == schema.StatusOK)
	r.Run().Attributes = r.attrs.Text()
	r.EndRun(status, why)
}

// abandon ends a run without an end. A run whose latest node ended in an error has failed with
// that error. The single-key form has no end, so that a run that left all its nodes has ended.
func (d *decoder) abandon(r *run) {
	status, ended := schema.StatusUnclosed, int64(0)
	switch {
	case r.cancelled:
		status, ended = schema.StatusCancelled, d.Frame.At
	case r.failed:
		status, ended = schema.StatusError, r.lastAt
	case r.export && r.left && len(r.nodes) == 0 && len(r.OpenTools()) == 0 && r.loose.Call() == nil:
		status, ended = schema.StatusOK, r.lastAt
	}
	span, why := r.Run(), ""
	if r.failed {
		why = r.failure
	}
	d.finish(r, status, []byte(why))
	span.Ended = ended
}

// settle ends what is open in a run when it ends. A call of a model outside of nodes ends only
// with its usage: it takes the successful end of the run.
func (d *decoder) settle(r *run, well bool) {
	for _, t := range r.OpenTools() {
		t.Span.Status = schema.StatusUnclosed // also a call that waits for approval
	}
	for _, list := range [][]*node{r.nodes, r.graph} {
		for _, n := range list {
			n.Abandon()
		}
	}
	if well {
		r.loose.endCall(schema.StatusOK, "")
	}
	r.loose.Abandon()
}
