package claudecode

import "tapedeck/ingest/dialect"

// request is a request for permission to execute a tool.
type request struct {
	id, tool string
	denied   bool
}

// asks reads a control request. A call waits while Claude Code asks for permission to execute it.
func (s *session) asks(l *line) (at *actor, known bool) {
	id := l.text("request", "tool_use_id")
	if at, tool := s.openTool(id); tool != nil && string(l.text("request", "subtype")) == "can_use_tool" {
		s.requests = dialect.AppendRecent(s.requests, request{id: string(l.text("request_id")), tool: string(id)}, openRequests)
		at.AwaitApproval(tool)
	}
	return &s.actor, true
}

// sent reads input of Claude Code: messages of the user, and answers to requests for permission.
func (s *session) sent(l *line) {
	switch l.Type {
	case "user":
		s.user(l)
	case "control_response":
		id := l.text("response", "request_id")
		for i := range s.requests {
			if r := &s.requests[i]; r.id == string(id) {
				s.answered(r, string(l.text("response", "response", "behavior")))
				return
			}
		}
	}
}

func (s *session) answered(r *request, behavior string) {
	r.denied = behavior == "deny"
	if at, tool := s.openTool([]byte(r.tool)); tool != nil && behavior == "allow" {
		at.Start(tool)
	}
}

// denied reports whether the user refused a call.
func (s *session) denied(tool []byte) bool {
	for _, r := range s.requests {
		if r.tool == string(tool) {
			return r.denied
		}
	}
	return false
}
