package acp

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// update is an update of a session.
type update struct {
	*fastjson.Value
	raw []byte
}

// updates maps the kinds of updates to handlers. Kinds without a handler are known and have no facts.
var updates = dialect.NewTypes(map[string]func(*session, *update){
	"agent_message_chunk": (*session).agentMessage, "agent_thought_chunk": (*session).agentThought,
	"tool_call": (*session).toolCall, "tool_call_update": (*session).toolCall,
	"plan": (*session).plan, "usage_update": (*session).context,
	"config_option_update": (*session).option,

	"user_message_chunk": nil, "available_commands_update": nil, "current_mode_update": nil,
	"session_info_update": nil, "notice": nil, "compaction_update": nil, "compaction_summary_chunk": nil,

	// Version 2.
	"agent_message": (*session).wholeMessage, "agent_thought": (*session).wholeThought,
	"state_update": (*session).state, "plan_update": (*session).plan,
	"tool_call_content_chunk": (*session).toolOutput, "terminal_output_chunk": (*session).terminalOutput,
	"terminal_update": nil, "user_message": nil, "plan_removed": nil,
})

// update reads an update. The history of a session that is loaded has no facts: it is not new.
func (d *decoder) update(m *message) {
	u := &update{m.Get("params", "update"), m.params("update")}
	kind := u.GetStringBytes("sessionUpdate")
	typ, known := updates.Of(kind)
	s := d.present
	switch {
	case !known || s == nil:
		if len(kind) == 0 || kind[0] != '_' {
			d.Unknown()
		}
	case s.loading && string(kind) != "usage_update" && string(kind) != "config_option_update":
	case typ.Handle != nil:
		typ.Handle(s, u)
	}
}

func (s *session) agentMessage(u *update) { s.chunk(u, schema.MessageAssistant) }
func (s *session) agentThought(u *update) { s.chunk(u, schema.MessageThinking) }
func (s *session) wholeMessage(u *update) { s.whole(u, schema.MessageAssistant) }
func (s *session) wholeThought(u *update) { s.whole(u, schema.MessageThinking) }

// chunk reads a piece of a text of the model. Pieces without an id belong to the text that grows.
func (s *session) chunk(u *update, kind schema.MessageKind) {
	id, text := u.GetStringBytes("messageId"), u.GetStringBytes("content", "text")
	s.inCall()
	if s.Growing(kind, id) == nil {
		s.CompleteAll() // another message, or the other kind
	}
	if len(text) > 0 || s.Growing(kind, id) != nil {
		s.Append(kind, id, text)
	}
}

// whole reads a text that replaces the text with its id.
func (s *session) whole(u *update, kind schema.MessageKind) {
	id, text := u.GetStringBytes("messageId"), dialect.RawWords(dialect.RawMember(u.raw, "content"))
	s.inCall()
	m := s.Growing(kind, id)
	if m == nil {
		s.CompleteAll()
		m = s.BeginText(kind, id)
	}
	s.d.Emitter.SetText(m, text, s.d.Frame)
	s.FirstToken()
}

// inCall begins a call of a model for output of the model. The protocol does not state when a model
// is called: it is right after the prompt and after the end of the last tool.
func (s *session) inCall() {
	if s.Call() == nil {
		call := s.OpenCall()
		if s.asked != 0 {
			call.Started = s.asked
		}
		s.asked = 0
	}
	s.said = s.d.Frame.At
}

// endCall ends the call of the model at its last output. With the status unclosed it sets no end.
func (s *session) endCall(status schema.Status) {
	s.CompleteAll()
	if status != schema.StatusUnclosed {
		s.EndCallAt(status, s.said)
	}
}

// plan reads the whole plan, which becomes an attribute of the run.
func (s *session) plan(u *update) {
	list := dialect.RawMember(u.raw, "entries")
	if inside := dialect.RawMember(dialect.RawMember(u.raw, "plan"), "entries"); list == nil {
		list = inside
	}
	if len(list) <= planKept {
		s.notes.set("plan", list)
		s.noted()
	}
}

// planKept bounds the plan in a run's attributes, bytes.
const planKept = 2048

func (s *session) option(u *update) { s.options(u.Get("configOptions")) }

// state reads the state of a session of version 2, which begins and ends a run.
func (s *session) state(u *update) {
	switch string(u.GetStringBytes("state")) {
	case "running":
		s.InRun()
	case "idle":
		if s.Run() == nil {
			return
		}
		if reason := u.GetStringBytes("stopReason"); len(reason) > 0 {
			s.stopped(reason, u.GetStringBytes("error", "message"), u.raw)
			return
		}
		s.stop(schema.StatusOK, nil)
	}
}
