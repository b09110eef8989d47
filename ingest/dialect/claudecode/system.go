package claudecode

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// system reads what Claude Code says of itself.
func (s *session) system(l *line) (at *actor, known bool) {
	at = &s.actor
	switch string(l.text("subtype")) {
	case "init":
		s.init(l)
	case "status":
		if string(l.text("status")) == "requesting" {
			s.asked = l.At
		}
	case "compact_boundary":
		meta := []byte("{}")
		for _, name := range []string{"compact_metadata", "compactMetadata"} {
			if raw := l.raw(name); raw != nil {
				meta = raw
			}
		}
		s.Say(schema.MessageSystem, nil).Attributes = dialect.Attribute("compact_metadata", meta)
	case "local_command_output":
		s.Say(schema.MessageSystem, l.text("content"))
	case "task_started":
		if id := l.text("tool_use_id"); len(id) > 0 && (l.text("subagent_type") != nil || string(l.text("task_type")) == "local_agent") {
			a := s.agent(l, id, l.text("subagent_type"))
			a.background = a.background || l.v.GetBool("is_backgrounded")
			at = &a.actor
		}
	case "task_notification":
		if a := s.find(l.text("tool_use_id")); a != nil {
			at = &a.actor
			s.notified(a, l)
		}
	case "task_progress", "task_updated":
		at = s.openActor(l.text("tool_use_id"))
	case "thinking_tokens", "post_turn_summary", "hook_started", "hook_progress", "hook_response",
		"background_tasks_changed", "session_state_changed", "files_persisted", "api_retry", "elicitation_complete":
	default:
		return at, false
	}
	return at, true
}

// notified ends a sub-agent that has done its task.
func (s *session) notified(a *agent, l *line) {
	switch string(l.text("status")) {
	case "completed":
		s.end(a, schema.StatusOK, nil)
	case "failed":
		s.end(a, schema.StatusError, l.text("summary"))
	case "stopped", "killed":
		s.end(a, schema.StatusCancelled, nil)
	}
}
