package claudecode

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// subtypes maps subtypes of system lines to handlers, which return the actor of the line.
var subtypes = dialect.NewTypes(map[string]func(*session, *line) *actor{
	"init":                 (*session).init,
	"status":               (*session).status,
	"compact_boundary":     (*session).compacted,
	"local_command_output": (*session).printed,
	"local_command":        (*session).printed,
	"turn_duration":        (*session).turnDuration,
	"task_started":         (*session).taskStarted,
	"task_notification":    (*session).taskEnded,
	"task_progress":        (*session).taskGoesOn,
	"task_updated":         (*session).taskGoesOn,

	"thinking_tokens": nil, "post_turn_summary": nil, "hook_started": nil, "hook_progress": nil, "hook_response": nil,
	"background_tasks_changed": nil, "session_state_changed": nil, "files_persisted": nil, "api_retry": nil,
	"elicitation_complete": nil,

	// Subtypes in files of conversations.
	"stop_hook_summary": nil, "api_error": nil, "informational": nil, "away_summary": nil, "microcompact_boundary": nil,
	"session_start": nil, "scheduled_task_fire": nil, "permission_retry": nil, "agents_killed": nil, "api_metrics": nil,
	"memory_saved": nil, "bridge_status": nil, "file_snapshot": nil, "snip_boundary": nil, "thinking": nil,
})

// system reads a system line.
func (s *session) system(l *line) (at *actor, known bool) {
	subtype, known := subtypes.Of(l.text("subtype"))
	if subtype.Handle == nil {
		return &s.actor, known
	}
	return subtype.Handle(s, l), true
}

// status notes when the model is called.
func (s *session) status(l *line) *actor {
	if string(l.text("status")) == "requesting" {
		s.asked = l.At
	}
	return &s.actor
}

// compacted records that the context was compacted.
func (s *session) compacted(l *line) *actor {
	meta := []byte("{}")
	for _, name := range []string{"compact_metadata", "compactMetadata"} {
		if raw := l.raw(name); raw != nil {
			meta = raw
		}
	}
	s.Say(schema.MessageSystem, nil).Attributes = dialect.Attribute("compact_metadata", meta)
	return &s.actor
}

// printed records the output of a command of Claude Code.
func (s *session) printed(l *line) *actor {
	s.Say(schema.MessageSystem, l.text("content"))
	return &s.actor
}

// taskStarted begins a sub-agent.
func (s *session) taskStarted(l *line) *actor {
	id, name := l.text("tool_use_id"), l.text("subagent_type")
	if len(id) == 0 || name == nil && string(l.text("task_type")) != "local_agent" {
		return &s.actor
	}
	a := s.agent(l, id, name)
	a.background = a.background || l.v.GetBool("is_backgrounded")
	return &a.actor
}

func (s *session) taskGoesOn(l *line) *actor { return s.openActor(l.text("tool_use_id")) }

// taskEnded reads the status of a sub-agent.
func (s *session) taskEnded(l *line) *actor {
	a := s.find(l.text("tool_use_id"))
	if a == nil {
		return &s.actor
	}
	s.notified(a, l)
	return &a.actor
}

// notified ends a sub-agent that has finished its task.
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
