package claudecode

import (
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
)

// In a conversation's file the lines of a sub-agent are a side chain: each names the line
// before it as parentUuid, and the first repeats what the call asks of the sub-agent. The
// call itself is not named.

// chainLines bounds the lines of a sub-agent that the next may go on from.
const chainLines = 64

// sidechain returns the sub-agent of a line, and begins one.
func (s *session) sidechain(l *line) *agent {
	a := s.chained(l.text("parentUuid"), l.text("agentId"))
	if a == nil {
		a = s.agent(l, s.taskOf(l), nil)
		a.id = string(l.text("agentId"))
	}
	a.chain.Add(l.text("uuid"), chainLines)
	return a
}

// chained returns the sub-agent that a line goes on from, nil for none.
func (s *session) chained(parent, id []byte) *agent {
	for _, a := range s.agents {
		if a.chain.Has(parent) || len(id) > 0 && a.id == string(id) {
			return a
		}
	}
	return nil
}

// taskOf returns the id of the call that a sub-agent works in: the one with its prompt,
// else the first that has no sub-agent so far. Without a call it is the sub-agent's own.
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

// isTask reports whether a tool is the one in which sub-agents work.
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
