package claudecode

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// agent is a sub-agent. Its facts are below the tool call in which it works; its lines have the
// id of the call as parent_tool_use_id.
type agent struct {
	actor
	id    string         // its id in side chains, "" if they name none
	chain dialect.Recent // the uuids of its lines
	// background: it continues after its call has returned, and after the run.
	background bool
}

// actorOf returns the actor of a line. A line without a parent belongs to the main agent, in a
// run.
func (s *session) actorOf(l *line) *actor {
	parent := l.text("parent_tool_use_id")
	if len(parent) == 0 {
		s.inRun(l)
		return &s.actor
	}
	return &s.agent(l, parent, l.text("subagent_type")).actor
}

// lineActor is actorOf for a line that may be of a side chain.
func (s *session) lineActor(l *line) *actor {
	if s.kept && l.v.GetBool("isSidechain") {
		return &s.sidechain(l).actor
	}
	return s.actorOf(l)
}

// openActor returns the actor of a line that begins no run.
func (s *session) openActor(parent []byte) *actor {
	if a := s.find(parent); a != nil {
		return &a.actor
	}
	return &s.actor
}

func (s *session) find(parent []byte) *agent {
	for _, a := range s.agents {
		if a.Node == string(parent) {
			return a
		}
	}
	return nil
}

// agent returns the sub-agent that works in a tool call, and begins one if there is none.
func (s *session) agent(l *line, parent, name []byte) *agent {
	if a := s.find(parent); a != nil {
		return a
	}
	if len(s.agents) >= openAgents {
		s.subs = dialect.AddTokens(s.subs, s.agents[0].sum())
		s.agents[0].Abandon()
		s.agents = slices.Delete(s.agents, 0, 1)
	}
	_, tool := s.openTool(parent)
	if len(name) == 0 && tool != nil {
		name = dialect.RawText(tool.Arguments(), "subagent_type")
	}
	a := &agent{}
	a.begin(s.Stream, s.Session)
	a.Node, a.Agent, a.asked = string(parent), string(name), l.At
	if tool != nil {
		a.Nest(tool.Span)
	} else {
		s.inRun(l)
		a.Nest(s.Run())
	}
	a.RunID = s.RunID
	a.OpenStep(a.Agent)
	s.agents = append(s.agents, a)
	return a
}

// end ends a sub-agent.
func (s *session) end(a *agent, status schema.Status, why []byte) {
	if step := a.Step(); step != nil && len(why) > 0 {
		step.Error = dialect.Short(why)
	}
	s.subs = dialect.AddTokens(s.subs, a.sum())
	a.EndRun(status, nil)
	s.agents = slices.DeleteFunc(s.agents, func(x *agent) bool { return x == a })
}
