package anthropicagent

import (
	"slices"
	"strings"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// agent is the state of one agent in the stream. Its facts are in a run, or in a node of its
// parent's run for a sub-agent.
type agent struct {
	model.Conversation
	id       string
	parent   *agent // of a sub-agent
	spawn    string // the id of the parent's call in which it works; may be ""
	ready    int64  // when the model's turn began, ns; 0 if that is not known
	spokeAt  int64  // when the model sent something last, ns
	turn     *dialect.Span
	draft    []*dialect.Message // texts of the present call of the model
	cited    *dialect.Message   // the text completed last, which citations belong to
	cites    dialect.List       // the citations of that text
	nameless *model.Tool        // a call without an id whose arguments are incomplete
	results  []result
	notes    []note // attributes of the run

	failing  string // an error since which nothing has come
	failedAt int64  // ns

	paused  bool          // it waits for the client to execute tools
	leg     bool          // the run in progress is part of a run over several connections
	resumed []string      // calls whose results began this part
	whole   *dialect.Span // the whole run, once its id is known
	api     *anthropic.Messages
}

// note is an attribute of a run: the JSON that was stated last.
type note struct {
	name string
	raw  []byte
}

// Bounds of the state of one stream.
const (
	agentLimit  = 16      // agents
	draftLimit  = 16      // texts of one call of a model
	resultLimit = 64      // results in progress
	notesLimit  = 1 << 20 // bytes of one attribute
	citesLimit  = 64 << 10
)

// agent returns the agent with an id.
func (d *decoder) agent(id []byte) *agent {
	if d.speaker != nil && d.speaker.id == string(id) && d.root != nil {
		return d.speaker
	}
	for _, a := range d.agents {
		if a.id == string(id) {
			d.enter(a)
			return a
		}
	}
	if len(d.agents) >= agentLimit {
		d.forget()
	}
	a := &agent{id: string(id)}
	a.Stream, a.Agent = &d.Stream, a.id
	d.agents = append(d.agents, a)
	d.enter(a)
	return a
}

// enter makes an agent the present one. The first agent of a connection is the connection's own:
// it names the conversation.
func (d *decoder) enter(a *agent) {
	d.speaker = a
	switch {
	case d.root == nil:
		d.root, a.parent, a.spawn = a, nil, ""
		a.Session = a.id
		if a.id == "" {
			a.Session = d.asked.session
		}
	case a.Run() == nil:
		a.Session = d.root.Session
	}
}

// forget drops the oldest agent that is not the connection's own.
func (d *decoder) forget() {
	for i, a := range d.agents {
		if a == d.root {
			continue
		}
		a.cutOff()
		d.agents = append(d.agents[:i], d.agents[i+1:]...)
		d.payloads = slices.DeleteFunc(d.payloads, func(p payload) bool { return p.agent == a })
		for _, other := range d.agents {
			if other.parent == a {
				other.parent = a.parent
			}
		}
		return
	}
}

// known returns the agent with an id, or nil.
func (d *decoder) known(id []byte) *agent {
	for _, a := range d.agents {
		if a.id == string(id) {
			return a
		}
	}
	return nil
}

// below reports whether an agent is a sub-agent of another one, at any depth.
func (a *agent) below(other *agent) bool {
	for at, deep := a, 0; at != nil && deep < agentLimit; at, deep = at.parent, deep+1 {
		if at == other {
			return true
		}
	}
	return false
}

// note sets an attribute of the run. A later value replaces it.
func (a *agent) note(name string, raw []byte) {
	if len(raw) == 0 || len(raw) > notesLimit || string(raw) == "null" {
		return
	}
	for i := range a.notes {
		if a.notes[i].name == name {
			a.notes[i].raw = append(a.notes[i].raw[:0], raw...)
			return
		}
	}
	a.notes = append(a.notes, note{name, append([]byte(nil), raw...)})
}

// noted sets the attributes on the run's span.
func (a *agent) noted() {
	span := a.span()
	if span == nil || len(a.notes) == 0 {
		return
	}
	var attrs dialect.Attributes
	for _, n := range a.notes {
		attrs.AddRaw(n.name, n.raw)
	}
	span.Attributes = attrs.Text()
	a.Emitter.ChangedSpan(span, a.Frame)
}

// span returns the span of the whole run, over all connections if it is known to have several.
func (a *agent) span() *dialect.Span {
	if a.whole != nil {
		return a.whole
	}
	return a.Run()
}

// setModel sets the model of the agent and of the whole run.
func (a *agent) setModel(model []byte) {
	if len(model) == 0 || a.Model == string(model) {
		return
	}
	a.SetModel(strings.Clone(dialect.Alias(model)), "")
	if a.whole != nil && a.whole.Model == "" {
		a.whole.Model, a.whole.Provider = a.Model, a.Provider
		a.Emitter.ChangedSpan(a.whole, a.Frame)
	}
}

// say records an error.
func (a *agent) say(text []byte) *dialect.Message {
	return a.Say(schema.MessageError, text)
}
