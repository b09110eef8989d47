package claudecode

import (
	"bytes"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// result reads the line that ends a run.
func (s *session) result(l *line) (at *actor, known bool) {
	run := s.Run()
	if run == nil {
		if l.text("subtype") == nil {
			return &s.actor, false
		}
		s.open(l) // its start was not seen
		run = s.Run()
		run.Started = 0
	}
	if ms := l.v.GetFloat64("duration_ms"); ms > 0 && ms < 1e12 {
		run.Duration = int64(ms * 1e6)
		if run.Started == 0 {
			run.Started = l.At - run.Duration
		}
	}
	s.messages.GiveUp()
	s.EndCall(schema.StatusOK)
	s.deny(l.v.GetArray("permission_denials"), dialect.RawMember(l.data, "permission_denials"))
	status, why := outcome(l)
	if text := l.text("result"); len(text) > 0 && status == schema.StatusOK {
		s.Say(schema.MessageReply, text)
	} else if len(why) > 0 && dialect.Short(why) != s.failure { // not recorded before
		s.Say(schema.MessageError, why)
	}
	s.reconcile(l, run)
	s.stateCosts(l.raw("modelUsage"))
	for _, name := range []string{
		"subtype", "stop_reason", "terminal_reason", "num_turns", "duration_api_ms", "total_cost_usd", "modelUsage",
	} {
		s.attrs.AddRaw(name, l.raw(name))
	}
	run.Attributes = s.attrs.Text()
	s.EndRun(status, why)
	s.forget()
	s.asked = 0
	return &s.actor, true
}

// outcome returns how a run ended, and the error of a failed one.
func outcome(l *line) (status schema.Status, why []byte) {
	subtype := l.text("subtype")
	switch {
	case bytes.HasPrefix(l.text("terminal_reason"), []byte("aborted")):
		status = schema.StatusCancelled
	case l.v.GetBool("is_error"), !bytes.Equal(subtype, []byte("success")) && len(subtype) > 0:
		status = schema.StatusError
	default:
		return schema.StatusOK, nil
	}
	var errors []string
	for _, e := range l.v.GetArray("errors") {
		if text := e.GetStringBytes(); len(text) > 0 {
			errors = append(errors, string(text))
		}
	}
	switch text := l.text("result"); {
	case len(errors) > 0:
		why = []byte(strings.Join(errors, "\n"))
	case len(text) > 0:
		why = text
	default:
		why = subtype
	}
	return status, why
}

// deny rejects the calls that were not permitted. They have ended in an error by now, or were not
// described.
func (s *session) deny(denials []*fastjson.Value, data []byte) {
	denials = denials[:min(len(denials), failedTools)]
	dialect.Elements(denials, data, 0, func(_ int, denial *fastjson.Value, raw []byte) {
		id := denial.GetStringBytes("tool_use_id")
		if len(id) == 0 {
			return
		}
		for _, span := range s.failed {
			if span.CallID == string(id) {
				span.Status = schema.StatusRejected
				s.Emitter.ChangedSpan(span, s.Frame)
				return
			}
		}
		at, tool := s.openTool(id)
		if tool == nil {
			if at = &s.actor; at.Ended(id) {
				return
			}
			tool = at.Tool(id, denial.GetStringBytes("tool_name"))
		}
		if input := dialect.RawMember(raw, "tool_input"); len(tool.Arguments()) == 0 && len(input) > 0 {
			at.SetArguments(tool, input)
		}
		at.EndTool(tool, schema.StatusRejected, nil)
	})
}
