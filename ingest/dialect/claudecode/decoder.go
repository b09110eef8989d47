// Package claudecode reads the output of Claude Code with --output-format stream-json, and the
// files in which Claude Code keeps conversations. docs/dialects/claude-code.md describes how it
// reads them.
package claudecode

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is Claude Code's stream-json.
var Dialect = dialect.Dialect{
	Name: "claude-code", Match: match,
	Time: timeOf, Ends: dialect.EndsWith("result"), New: newDecoder,
}

// decoder reads the lines of a stream, which may hold several sessions.
type decoder struct {
	model.Stream
	sessions []*session // the latest used is the last
	line     line       // a field, as a variable would be allocated for each line
}

// openSessions bounds the sessions of a stream. Beyond it the one without lines for longest is
// abandoned.
const openSessions = 16

func newDecoder(string) dialect.Decoder { return &decoder{} }

// Decode implements dialect.Decoder.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	if in.JSON == nil {
		return
	}
	d.BeginLine(in, b, timeOf(in) != 0 || in.JSON.Exists("uuid"))
	defer d.Done()
	defer func() { d.line = line{} }() // releases the frame
	typ, known := types.Of(in.JSON.GetStringBytes("type"))
	in.Type = typ.Name
	d.line = line{Input: in, v: in.JSON, data: in.Data}
	l := &d.line
	s := d.session(l.session())
	if in.Direction == schema.Send {
		s.sent(l)
		s.Address()
		return
	}
	at := &s.actor
	switch {
	case s.repeated(l):
		b.Mark(in.Frame, schema.FlagEventRepeat, 0)
	case typ.Handle != nil:
		at, known = typ.Handle(s, l)
	case known:
		at = s.openActor(l.text("parent_tool_use_id"))
	}
	at.Address()
	if !known {
		d.Unknown()
	}
}

// types maps types of lines to handlers, which return the actor of the line and whether they
// could read it.
var types = dialect.NewTypes(map[string]func(*session, *line) (*actor, bool){
	"stream_event":    (*session).event,
	"assistant":       (*session).assistant,
	"user":            (*session).user,
	"result":          (*session).result,
	"system":          (*session).system,
	"control_request": (*session).asks,

	"rate_limit_event": (*session).rateLimit,

	"control_response": nil, "control_cancel_request": nil, "keep_alive": nil,
	"tool_progress": nil, "tool_use_summary": nil, "auth_status": nil, "prompt_suggestion": nil,

	// Types in files of conversations.
	"summary": nil, "ai-title": nil, "custom-title": nil, "agent-name": nil, "agent-color": nil, "agent-setting": nil,
	"tag": nil, "mode": nil, "permission-mode": nil, "last-prompt": nil, "queue-operation": nil, "attachment": nil,
	"file-history-snapshot": nil, "file-history-delta": nil, "pr-link": nil, "worktree-state": nil, "progress": nil,
	"cost-state": nil, "task-summary": nil, "content-replacement": nil, "attribution-snapshot": nil,
	"speculation-accept": nil, "bridge-session": nil, "fork-context-ref": nil, "isolation-latch": nil,
	"marble-origami-commit": nil, "marble-origami-snapshot": nil, "marble-origami-reset": nil,
})

// session returns the session with an id. A line without an id belongs to the session of the
// previous line.
func (d *decoder) session(id []byte) *session {
	last := len(d.sessions) - 1
	if last >= 0 && (len(id) == 0 || d.sessions[last].Session == string(id)) {
		return d.sessions[last]
	}
	for i, s := range d.sessions {
		if s.Session == string(id) {
			d.sessions = append(slices.Delete(d.sessions, i, i+1), s)
			return s
		}
	}
	if len(d.sessions) >= openSessions {
		d.sessions[0].abandon()
		d.sessions = slices.Delete(d.sessions, 0, 1)
	}
	s := newSession(&d.Stream, string(id))
	d.sessions = append(d.sessions, s)
	return s
}

// End implements dialect.Decoder.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	defer d.Done()
	for _, s := range d.sessions {
		s.abandon()
	}
}

// timeOf reads the time at which a line was written. Newer versions state it on lines of the
// model and the tools. The first line may have the time when the program was started.
func timeOf(in *dialect.Input) int64 {
	if in.JSON == nil {
		return 0
	}
	if at := dialect.TextTime(in.JSON.GetStringBytes("timestamp")); at != 0 {
		return at
	}
	if ms := in.JSON.GetFloat64("startup_timing", "time_origin_ms"); ms > 0 && ms < 1e14 {
		return int64(ms * 1e6)
	}
	return 0
}
