package claudecode

import (
	"slices"

	"tapedeck/schema"
)

// Claude Code keeps every conversation in a file of its own. Its lines have other members around
// the same messages, and the file has neither an init nor a result. A run in such a file lasts
// from one message of the user to the next. The stop reason is mostly null.

// turn is the state of an agent's turn in such a file.
type turn struct {
	at      int64 // of the agent's last line, ns; 0 before the first
	replied bool  // that line is the model's, and may be the last of the turn
}

// goesOn lists the stop reasons after which the model continues.
var goesOn = []string{"tool_use", "pause_turn"}

// isKept reports whether a line is from such a file.
func (l *line) isKept() bool { return len(l.text("sessionId")) > 0 }

// keptLine notes a line of an agent.
func (a *actor) keptLine(l *line, ofModel bool) {
	a.turn.at = l.At
	a.turn.replied = ofModel && !slices.Contains(goesOn, string(l.text("message", "stop_reason")))
	if ofModel && string(l.text("message", "model")) != synthetic {
		a.failure = "" // the model was called again
	}
}

// done reports whether an agent's turn has nothing in progress.
func (a *actor) done() bool { return a.turn.replied && len(a.OpenTools()) == 0 }

// nextTurn ends the run in progress, as a new message of the user comes. The user may have
// stopped the program while a tool was running: such a run is unclosed.
func (s *session) nextTurn() {
	if s.Run() == nil || s.turn.at == 0 {
		return
	}
	if len(s.OpenTools()) > 0 {
		s.messages.GiveUp()
		s.Abandon()
		s.forget()
		return
	}
	s.endTurn(s.turn.at)
}

// endTurn ends the run in progress at a time that may be in the past, ns, as its end is known
// only later.
func (s *session) endTurn(at int64) {
	run := s.Run()
	status, why := schema.StatusOK, []byte(nil)
	if s.failure != "" {
		status, why = schema.StatusError, []byte(s.failure)
	}
	s.EndRun(status, why)
	run.Ended = at
	s.Emitter.ChangedSpan(run, s.Frame)
	s.forget()
}

// lastTurn ends a complete turn at the end of the file. A file may have a sub-agent's lines only.
func (s *session) lastTurn() {
	last := s.turn.at
	for _, a := range slices.Clone(s.agents) {
		if !a.turn.replied || !a.done() {
			continue
		}
		step, at := a.Step(), a.turn.at
		s.end(a, schema.StatusOK, nil)
		if step != nil {
			step.Ended = at
		}
		last = max(last, at)
	}
	switch {
	case s.Run() == nil || len(s.agents) > 0 || last == 0:
	case s.turn.at == 0 && len(s.OpenTools()) == 0, s.done():
		s.endTurn(last)
	}
}

// interrupt ends an agent's turn, which the user stopped.
func (s *session) interrupt(at *actor) {
	for _, tool := range slices.Clone(at.OpenTools()) {
		at.EndTool(tool, schema.StatusCancelled, nil)
	}
	if at != &s.actor {
		if i := slices.IndexFunc(s.agents, func(a *agent) bool { return &a.actor == at }); i >= 0 {
			s.end(s.agents[i], schema.StatusCancelled, nil)
		}
		return
	}
	if s.Run() == nil {
		return
	}
	for _, a := range slices.Clone(s.agents) {
		s.interrupt(&a.actor)
	}
	s.EndRun(schema.StatusCancelled, nil)
	s.forget()
}

// turnDuration reads the duration of a turn, which newer versions write at its end.
func (s *session) turnDuration(l *line) *actor {
	ms := l.v.GetFloat64("durationMs")
	if run := s.Run(); run != nil && ms > 0 && ms < 1e12 {
		run.Duration = int64(ms * 1e6)
		s.Emitter.ChangedSpan(run, s.Frame)
	}
	return &s.actor
}
