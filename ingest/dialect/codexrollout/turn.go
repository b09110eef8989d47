package codexrollout

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// turn is the turn in progress, which is a run.
type turn struct {
	announced bool          // an event began it, so that an event ends it
	asked     int64         // when the next call of a model began, ns; 0 if none is expected
	said      int64         // when the call of a model in progress had its last output, ns
	call      *dialect.Span // the latest call of a model
	answered  bool          // the latest item is the model's answer
	failure   string        // an error with no output of the model after it
	failedAt  int64         // ns
}

// events maps types of events to handlers. Most events repeat output of the model or a tool for
// the user interface: agent_message, agent_reasoning and user_message repeat items.
var events = dialect.NewTypes(map[string]func(*decoder, *line){
	"task_started":                 (*decoder).turnStarted,
	"turn_started":                 (*decoder).turnStarted,
	"task_complete":                (*decoder).turnComplete,
	"turn_complete":                (*decoder).turnComplete,
	"turn_aborted":                 (*decoder).turnAborted,
	"token_count":                  (*decoder).tokenCount,
	"error":                        (*decoder).error,
	"stream_error":                 (*decoder).streamError,
	"exec_command_end":             (*decoder).executed,
	"patch_apply_end":              (*decoder).executed,
	"mcp_tool_call_end":            (*decoder).executed,
	"dynamic_tool_call_request":    (*decoder).dynamicCall,
	"dynamic_tool_call_response":   (*decoder).dynamicEnd,
	"user_message":                 nil,
	"agent_message":                nil,
	"agent_reasoning":              nil,
	"agent_reasoning_raw_content":  nil,
	"context_compacted":            nil,
	"thread_rolled_back":           nil,
	"thread_goal_updated":          nil,
	"thread_name_updated":          nil,
	"thread_settings_applied":      nil,
	"entered_review_mode":          nil,
	"exited_review_mode":           nil,
	"web_search_end":               nil,
	"image_generation_end":         nil,
	"view_image_tool_call":         nil,
	"sub_agent_activity":           nil,
	"item_completed":               (*decoder).itemCompleted,
	"undo_completed":               nil,
	"guardian_assessment":          nil,
	"collab_agent_spawn_end":       nil,
	"collab_agent_interaction_end": nil,
	"collab_waiting_end":           nil,
	"collab_resume_end":            nil,
	"collab_close_end":             nil,
	"account/rateLimits/updated":   (*decoder).rateLimits,
})

// openRun begins a turn.
func (d *decoder) openRun(id []byte) {
	d.tr.ForgetRun()
	d.tr.RunID = string(id)
	run := d.tr.OpenRun(d.tr.Agent)
	if d.parent != "" {
		run.Attributes = dialect.TextAttribute("parent_session", d.parent)
	}
	d.turn = turn{asked: d.Frame.At, said: d.Frame.At}
	d.totals.inTurn, d.totals.ahead = false, schema.Tokens{}
}

// inRun begins a turn if none is in progress.
func (d *decoder) inRun() {
	if d.tr.Run() == nil {
		d.openRun(nil)
	}
}

func (d *decoder) turnStarted(l *line) {
	d.endTurn()
	d.openRun(l.text("turn_id"))
	d.turn.announced = true
}

func (d *decoder) turnComplete(l *line) {
	if d.turn.failure != "" {
		d.announceEnd(l, schema.StatusError, []byte(d.turn.failure))
		return
	}
	d.announceEnd(l, schema.StatusOK, nil)
}

func (d *decoder) turnAborted(l *line) {
	d.announceEnd(l, schema.StatusCancelled, l.text("reason"))
}

// announceEnd ends a turn at an event, which may be repeated.
func (d *decoder) announceEnd(l *line, status schema.Status, why []byte) {
	id := string(l.text("turn_id"))
	if d.tr.Run() == nil && id != "" && id == d.ended {
		return
	}
	run := d.tr.RunAtEnd()
	if d.tr.RunID == "" && id != "" {
		d.tr.NameRun(id)
	}
	if ms := l.v.GetUint64("duration_ms"); ms > 0 && ms < 1<<40 {
		run.Duration = int64(ms) * 1e6
	}
	d.endCall(status)
	d.tr.EndRun(status, why)
	d.ended = id
	d.turn = turn{}
}

// endTurn settles a turn whose end was not announced. Older versions write no such events. There
// the turn ended with the status ok at the model's last answer, if no tool was called after it.
func (d *decoder) endTurn() {
	run, t := d.tr.Run(), &d.turn
	switch {
	case run == nil:
	case t.failure != "":
		d.endCall(schema.StatusError)
		d.tr.EndRun(schema.StatusError, []byte(t.failure))
		run.Ended = t.failedAt
	case !t.announced && t.answered && len(d.tr.OpenTools()) == 0:
		d.endCall(schema.StatusOK)
		d.tr.EndRun(schema.StatusOK, nil)
		run.Ended = t.said
	}
	d.tr.Abandon()
	d.turn = turn{}
}

// error reads an error that ends the turn, unless the model continues. A turn that consists of only
// an error has nothing else in the file.
func (d *decoder) error(l *line) {
	d.inRun()
	why := dialect.FirstText(l.v, "message", "error")
	if why == nil {
		why = l.text("error", "message")
	}
	d.tr.Say(schema.MessageError, why)
	d.turn.failure, d.turn.failedAt = dialect.Short(why), d.Frame.At
}

// streamError reads an error after which Codex calls the model again.
func (d *decoder) streamError(l *line) { d.tr.Say(schema.MessageError, l.text("message")) }

// inCall begins a call of a model for output of the model. Lines do not state when the model is
// called: it is right after the user's message and after the results of tools.
func (d *decoder) inCall() {
	d.inRun()
	t := &d.turn
	if d.tr.Call() == nil {
		t.call = d.tr.OpenCall()
		if t.asked != 0 {
			t.call.Started = t.asked
		}
		t.asked = 0
	}
	t.said, t.failure = d.Frame.At, ""
}

// endCall ends the call of the model at its last output.
func (d *decoder) endCall(status schema.Status) {
	if status == schema.StatusCancelled {
		status = schema.StatusOK // the output so far is complete
	}
	d.tr.EndCallAt(status, d.turn.said)
}

// contexts are the prefixes of messages that Codex sends in the user's name.
var contexts = []string{
	"<environment_context>", "<user_instructions>", "<permissions instructions>", "<collaboration_mode>",
	"<turn_aborted>", "<skill>", "<skills_instructions>", "<apps_instructions>", "<plugins_instructions>",
	"<user_shell_command>", "<subagent_notification>", "<INSTRUCTIONS>", "# AGENTS.md instructions",
}

// isContext reports whether Codex sent a message in the user's name.
func isContext(text []byte) bool {
	return slices.ContainsFunc(contexts, func(prefix string) bool {
		return len(text) >= len(prefix) && string(text[:len(prefix)]) == prefix
	})
}

// asks reads a message of the user. It begins a turn, unless one is in progress.
func (d *decoder) asks(text []byte) {
	t := &d.turn
	if d.tr.Run() != nil && !t.announced && t.call != nil {
		d.endTurn()
	}
	d.inRun()
	d.endCall(schema.StatusOK)
	t.asked, t.answered = d.Frame.At, false
	if len(text) > 0 {
		d.tr.UserMessage(text)
	}
}
