package claudecode

import (
	"cmp"
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// session is one conversation: the main agent and its sub-agents.
type session struct {
	actor
	agents []*agent
	// attrs are the run's attributes, as its start stated them.
	attrs dialect.Attributes
	// named: the run has an id of its own, other than the session's.
	named bool
	// failed has the run's calls that ended in an error. The result states which were not
	// permitted.
	failed []*dialect.Span
	// subs is the usage of the run's sub-agents that have ended.
	subs schema.Tokens
	rest *dialect.Usage // what the run's result states beyond its messages
	kept bool           // its lines are from the file of a conversation
	past repeats
	// launched has the runs of sub-agents with files of their own that continued after their call
	// returned.
	launched []*dialect.Span
	// requests are requests for permission without an answer.
	requests []request
}

// Bounds of the state of a session.
const (
	openAgents   = 64
	failedTools  = 64
	openRequests = 16
)

func newSession(stream *model.Stream, id string) *session {
	s := &session{}
	s.actor.begin(stream, id)
	return s
}

// open begins a run with the present line.
func (s *session) open(l *line) {
	s.messages.GiveUp()
	s.Abandon()
	s.forget()
	id := l.text("uuid")
	s.named = len(id) > 0
	s.RunID = cmp.Or(string(id), s.Session)
	if agent := l.text("agentId"); s.kept && len(agent) > 0 && l.v.GetBool("isSidechain") {
		s.RunID = string(agent)
		s.OpenRunAs(agentRun(agent), "")
		return
	}
	s.OpenRun("")
}

// inRun begins a run if there is none, as the init of the run may not have been seen.
func (s *session) inRun(l *line) {
	if s.Run() == nil {
		s.open(l)
		if s.asked != 0 {
			s.Run().Started = s.asked
		}
	}
}

// init begins a run.
func (s *session) init(l *line) *actor {
	s.RequestModel(l.text("model"))
	s.open(l)
	s.asked = l.At
	s.attrs = nil
	for _, a := range []struct{ name, member string }{
		{"cwd", "cwd"}, {"version", "claude_code_version"}, {"permission_mode", "permissionMode"},
		{"qwen_code_version", "qwen_code_version"},
	} {
		s.attrs.AddRaw(a.name, l.raw(a.member))
	}
	s.Run().Attributes = s.attrs.Text()
	return &s.actor
}

// forget releases the state of the run that has ended. Sub-agents in the background continue.
func (s *session) forget() {
	s.settle()
	s.attrs, s.failed, s.requests, s.subs, s.rest = nil, nil, nil, schema.Tokens{}, nil
	s.agents = slices.DeleteFunc(s.agents, func(a *agent) bool {
		a.settle() // its further usage belongs to the next run
		if !a.background {
			a.Abandon()
		}
		return !a.background
	})
}

// abandon settles everything open without an end.
func (s *session) abandon() {
	if s.kept {
		s.lastTurn()
	}
	for _, a := range s.agents {
		a.messages.GiveUp()
		a.Abandon()
	}
	for _, run := range s.launched {
		s.SettleSpan(run, schema.StatusUnclosed)
	}
	s.launched = nil
	s.messages.GiveUp()
	s.Abandon()
	s.agents = nil
	s.settle()
}

// event reads an event of the API.
func (s *session) event(l *line) (at *actor, known bool) {
	at = s.actorOf(l)
	return at, at.event(l)
}

// openTool returns a call in progress and the agent of the session that made it.
func (s *session) openTool(id []byte) (*actor, *model.Tool) {
	if tool := s.OpenTool(id); tool != nil {
		return &s.actor, tool
	}
	for _, a := range s.agents {
		if tool := a.OpenTool(id); tool != nil {
			return &a.actor, tool
		}
	}
	return nil, nil
}
