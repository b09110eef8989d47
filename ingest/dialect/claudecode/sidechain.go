package claudecode

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// In a conversation's file the lines of a sub-agent are a side chain: each line names the
// previous one as parentUuid, and the first repeats the prompt of the call. The lines do not name
// the call.

// Newer versions keep the lines of a sub-agent in a file of its own, agent-ID.jsonl, which is a
// stream of its own. Both streams make the id of its run from the sub-agent's id. The stream of
// the call states the parent of the run, once the call's result has named the sub-agent.

// chainLines bounds the lines of a sub-agent that the next line may follow.
const chainLines = 64

// sidechain returns the sub-agent of a line, and begins one if there is none.
func (s *session) sidechain(l *line) *agent {
	a := s.chained(l.text("parentUuid"), l.text("agentId"))
	if a == nil {
		a = s.agent(l, s.taskOf(l), nil)
		a.id = string(l.text("agentId"))
	}
	a.chain.Add(l.text("uuid"), chainLines)
	return a
}

// chained returns the sub-agent whose line a line follows, or nil.
func (s *session) chained(parent, id []byte) *agent {
	for _, a := range s.agents {
		if a.chain.Has(parent) || len(id) > 0 && a.id == string(id) {
			return a
		}
	}
	return nil
}

// taskOf returns the id of the call in which a sub-agent works: the call with its prompt, else
// the first call without a sub-agent. Without a call it is the sub-agent's own id.
func (s *session) taskOf(l *line) (id []byte) {
	prompt := dialect.RawWords(dialect.RawPath(l.data, "message.content"))
	s.eachTool(func(tool *model.Tool) bool {
		if !isTask(tool.Span.Name) || s.find([]byte(tool.Span.CallID)) != nil {
			return true
		}
		same := string(dialect.RawText(tool.Arguments(), "prompt")) == string(prompt)
		if id == nil || same {
			id = []byte(tool.Span.CallID)
		}
		return !same
	})
	for _, own := range []string{"agentId", "uuid"} {
		if len(id) == 0 {
			id = l.text(own)
		}
	}
	return id
}

// agentRun returns the id of the run of a sub-agent with a file of its own.
func agentRun(agent []byte) string { return "run:agent:" + string(agent) }

// runOf records that the run of a sub-agent with a file of its own is below a call. The file has
// its start and end.
func (s *session) runOf(tool *model.Tool, more *fastjson.Value, background bool, status schema.Status) {
	agent := more.GetStringBytes("agentId")
	if !s.kept || len(agent) == 0 || !isTask(tool.Span.Name) || s.chained(nil, agent) != nil {
		return
	}
	run := s.Emitter.OpenSpan(schema.SpanRun, agentRun(agent), "", s.Frame)
	run.Session, run.Run, run.Parent, run.Started = s.Session, string(agent), tool.Span.ID, 0
	run.Agent = string(dialect.RawText(tool.Arguments(), "subagent_type"))
	switch {
	case !background:
		run.Duration = tool.Span.Duration
		s.Emitter.CloseSpan(run, status, s.Frame)
		run.Ended = 0
	case len(s.launched) < openAgents:
		s.launched = append(s.launched, run)
	default:
		s.SettleSpan(run, schema.StatusUnclosed)
	}
}

// isTask reports whether sub-agents work in calls of a tool.
func isTask(name string) bool { return name == "Task" || name == "Agent" }

// eachTool calls see with each call in progress until see returns false.
func (s *session) eachTool(see func(*model.Tool) bool) {
	for _, tool := range s.OpenTools() {
		if !see(tool) {
			return
		}
	}
	for _, a := range s.agents {
		for _, tool := range a.OpenTools() {
			if !see(tool) {
				return
			}
		}
	}
}
