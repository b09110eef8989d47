package agui

import (
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// place is a step or a sub-agent in progress: what happens now belongs to one,
// or to the run.
type place struct {
	span  *dialect.Span
	step  bool
	name  string // of the step, of the sub-agent
	agent string // the sub-agent's id: of the step's, of itself; "" for the run's own
}

// placeLimit bounds the places in progress. The one begun first is given up.
const placeLimit = 64

// attribute says whose event the frame is, "" for the run's own.
func (d *decoder) attribute(agent []byte) {
	d.talk.Node, d.talk.Agent = "", ""
	if len(agent) == 0 {
		return
	}
	d.talk.Node = d.agent.Own(agent)
	for i := range d.run.places {
		if p := &d.run.places[i]; !p.step && p.agent == d.talk.Node {
			d.talk.Agent = p.name
		}
	}
}

// here is where what the frame tells belongs to: the latest step of the one
// whose event it is, else its sub-agent, else the run.
func (d *decoder) here() *dialect.Span {
	for _, p := range slices.Backward(d.run.places) {
		if p.agent == d.talk.Node {
			return p.span
		}
	}
	return d.inRun()
}

// open begins a place below a span.
func (d *decoder) open(p place, id string, below *dialect.Span) {
	if len(d.run.places) >= placeLimit {
		d.leave(0, schema.StatusUnclosed)
	}
	p.span = d.Emitter.OpenSpan(schema.SpanNode, d.ID("node"), p.name, d.Frame)
	p.span.Session, p.span.Run = d.talk.Session, d.talk.RunID
	p.span.Node, p.span.Agent, p.span.Parent = id, d.talk.Agent, below.ID
	d.run.places = append(d.run.places, p)
}

// leave ends a place.
func (d *decoder) leave(i int, status schema.Status) {
	span := d.run.places[i].span
	d.run.places = slices.Delete(d.run.places, i, i+1)
	if status == schema.StatusUnclosed {
		span.Status = status
		d.Emitter.ChangedSpan(span, d.Frame)
		return
	}
	d.Emitter.CloseSpan(span, status, d.Frame)
}

// endPlaces ends what the run did not end itself.
func (d *decoder) endPlaces(status schema.Status) {
	for n := len(d.run.places); n > 0; n = len(d.run.places) {
		d.leave(n-1, status)
	}
}

func (d *decoder) beginStep(name []byte) {
	d.open(place{step: true, name: string(name), agent: d.talk.Node}, d.talk.Node, d.here())
}

// endStep ends the latest step with a name. Of one that was not seen to begin
// nothing is known.
func (d *decoder) endStep(name []byte) {
	for i, p := range slices.Backward(d.run.places) {
		if p.step && p.name == string(name) && p.agent == d.talk.Node {
			d.leave(i, schema.StatusOK)
			return
		}
	}
}

// beginAgent reads SUBAGENT_STARTED: the sub-agent works below the call that
// began it, where it is named, else below the agent that did.
func (d *decoder) beginAgent(in *dialect.Input) {
	v := in.JSON
	id := d.talk.Node
	if id == "" {
		return
	}
	d.talk.Node = string(v.GetStringBytes("parentSubagentRunId"))
	below := d.here()
	if c := d.callOf(v.GetStringBytes("parentToolCallId")); c != nil {
		below = c.Span
	}
	d.talk.Node = id
	d.talk.Agent = string(v.GetStringBytes("name"))
	d.open(place{name: d.talk.Agent, agent: id}, id, below)
}

// endAgent ends a sub-agent and the steps that it left open.
func (d *decoder) endAgent(k kind, v *fastjson.Value) {
	id := d.talk.Node
	status := schema.StatusOK
	why := v.GetStringBytes("message")
	switch {
	case id == "":
		return
	case k == agentFailed:
		status = schema.StatusError
	case string(v.GetStringBytes("outcome", "type")) == "suspended":
		status = schema.StatusWaiting
	}
	place := d.inRun().ID
	for i := len(d.run.places) - 1; i >= 0; i-- {
		p := d.run.places[i]
		if p.agent != id {
			continue
		}
		if status == schema.StatusError && !p.step {
			p.span.Error = dialect.Short(why)
		}
		d.leave(i, status)
		if status == schema.StatusWaiting {
			p.span.Ended = 0
		}
		if !p.step {
			place = p.span.ID
			break
		}
	}
	if k == agentFailed && len(why) > 0 {
		d.talk.Say(schema.MessageError, why).Span = place
	}
}
