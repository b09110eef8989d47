package agui

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// place is a step or a sub-agent in progress. Events belong to a place or to the run.
type place struct {
	span  *dialect.Span
	step  bool
	name  string // of the step or the sub-agent
	agent string // the id of the sub-agent that the step belongs to, or of the sub-agent itself; "" for the run
}

// placeLimit bounds the places in progress. Beyond it the oldest is unclosed.
const placeLimit = 64

// attribute sets the sub-agent that the frame belongs to. "" is the run itself.
func (d *decoder) attribute(agent []byte) {
	d.Node, d.Agent = "", ""
	if len(agent) == 0 {
		return
	}
	d.Node = d.agent.Own(agent)
	for i := range d.run.places {
		if p := &d.run.places[i]; !p.step && p.agent == d.Node {
			d.Agent = p.name
		}
	}
}

// here returns the span that the frame belongs to: the latest step of its agent, else its
// sub-agent, else the run.
func (d *decoder) here() *dialect.Span {
	for _, p := range slices.Backward(d.run.places) {
		if p.agent == d.Node {
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
	p.span.Session, p.span.Run = d.Session, d.RunID
	p.span.Node, p.span.Agent, p.span.Parent = id, d.Agent, below.ID
	d.run.places = append(d.run.places, p)
}

// leave ends a place.
func (d *decoder) leave(i int, status schema.Status) {
	span := d.run.places[i].span
	d.run.places = slices.Delete(d.run.places, i, i+1)
	d.SettleSpan(span, status)
}

// leavePlaces ends the places that are still open when the run ends.
func (d *decoder) leavePlaces(status schema.Status) {
	for n := len(d.run.places); n > 0; n = len(d.run.places) {
		d.leave(n-1, status)
	}
}

func (d *decoder) stepStarted(in *dialect.Input) {
	name := in.JSON.GetStringBytes("stepName")
	d.open(place{step: true, name: string(name), agent: d.Node}, d.Node, d.here())
}

// stepFinished ends the latest step with a name. It ignores a step whose start was not seen.
func (d *decoder) stepFinished(in *dialect.Input) {
	name := in.JSON.GetStringBytes("stepName")
	for i, p := range slices.Backward(d.run.places) {
		if p.step && p.name == string(name) && p.agent == d.Node {
			d.leave(i, schema.StatusOK)
			return
		}
	}
}

// agentStarted reads SUBAGENT_STARTED. The sub-agent is below the call that began it if the event
// names that call, otherwise below the agent that began it.
func (d *decoder) agentStarted(in *dialect.Input) {
	v, id := in.JSON, d.Node
	if id == "" {
		return
	}
	d.Node = string(v.GetStringBytes("parentSubagentRunId"))
	below := d.here()
	if tool := d.OpenTool(v.GetStringBytes("parentToolCallId")); tool != nil {
		below = tool.Span
	}
	d.Node, d.Agent = id, string(v.GetStringBytes("name"))
	d.open(place{name: d.Agent, agent: id}, id, below)
}

func (d *decoder) agentFinished(in *dialect.Input) {
	status := schema.StatusOK
	if string(in.JSON.GetStringBytes("outcome", "type")) == "suspended" {
		status = schema.StatusWaiting
	}
	d.endAgent(status, nil)
}

func (d *decoder) agentFailed(in *dialect.Input) {
	why := in.JSON.GetStringBytes("message")
	if at := d.endAgent(schema.StatusError, why); at != "" && len(why) > 0 {
		d.Say(schema.MessageError, why).Span = at
	}
}

// endAgent ends a sub-agent and its open steps. It returns the id of the sub-agent's span, or of
// the run's span if there is none.
func (d *decoder) endAgent(status schema.Status, why []byte) (at string) {
	if d.Node == "" {
		return ""
	}
	at = d.inRun().ID
	for i, p := range slices.Backward(d.run.places) {
		if p.agent != d.Node {
			continue
		}
		if status == schema.StatusError && !p.step {
			p.span.Error = dialect.Short(why)
		}
		d.leave(i, status)
		if !p.step {
			return p.span.ID
		}
	}
	return at
}
