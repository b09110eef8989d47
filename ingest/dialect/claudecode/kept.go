package claudecode

import (
	"slices"

	"tapedeck/schema"
)

// Claude Code keeps every conversation in a file of its own, whose lines have
// other members around the same messages, and neither an init nor a result. A
// run there goes from what the user says to the last message that ends the turn.

// endsTurn are the reasons for which the model stops and waits for the user.
var endsTurn = []string{"end_turn", "stop_sequence", "max_tokens", "refusal"}

// keptLine notes of a line of such a file whether the turn has ended with it.
func (s *session) keptLine(l *line) {
	if len(l.text("sessionId")) == 0 || l.v.GetBool("isSidechain") {
		return
	}
	switch reason := string(l.text("message", "stop_reason")); {
	case slices.Contains(endsTurn, reason):
		s.turnEnded = l.At
	case reason != "" || string(l.text("type")) == "user":
		s.turnEnded = 0
	}
}

// endTurn ends the run whose turn has ended, when what comes next is not of it.
func (s *session) endTurn() {
	run := s.Run()
	if s.turnEnded == 0 || run == nil {
		return
	}
	s.EndRun(schema.StatusOK, nil)
	run.Ended = s.turnEnded // which is when it ended, as is seen only now
	s.Emitter.ChangedSpan(run, s.Frame)
	s.turnEnded = 0
	s.forget()
}
