package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/query/session/timeline"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// reaches runs the script for a session and checks the span that it ends at.
func reaches(t *testing.T, s *commandtest.Instance, c *mcp.ClientSession, transport string, want *cause) {
	t.Helper()
	id := want.session()
	var found struct {
		Sessions []struct{ Session string }
	}
	call(t, c, "find_sessions", map[string]any{"query": id}, &found)
	if len(found.Sessions) != 1 || found.Sessions[0].Session != id {
		t.Errorf("%s, %s: found %+v", transport, id, found)
		return
	}
	var failed struct {
		Spans []struct{ Span, Kind, Status string }
	}
	call(t, c, "session_errors", map[string]any{"session": id}, &failed)
	if len(failed.Spans) == 0 {
		t.Errorf("%s, %s: no spans", transport, id)
		return
	}
	first := failed.Spans[0]
	if first.Kind != want.kind || first.Status != want.status {
		t.Errorf("%s, %s: the first span is %+v; want a span of the kind %s with the status %s", transport, id, first, want.kind, want.status)
	}
	if want.call != "" && first.Span != spanOfCall(t, s, id, want.call) {
		t.Errorf("%s, %s: the first span is %s; want that of the call %s", transport, id, first.Span, want.call)
	}
	var span json.RawMessage
	call(t, c, "read_span", map[string]any{"session": id, "span": first.Span}, &span)
	if !strings.Contains(string(span), want.text) {
		t.Errorf("%s, %s: the span lacks %q: %s", transport, id, want.text, span)
	}
}

// spanOfCall returns the id of the span of a call that the frames name.
func spanOfCall(t *testing.T, s *commandtest.Instance, session, call string) string {
	t.Helper()
	var whole timeline.Timeline
	s.ReadJSON(t, "/v1/sessions/"+session+"/timeline", &whole)
	var find func(list []*timeline.Span) string
	find = func(list []*timeline.Span) string {
		for _, span := range list {
			if span.CallID == call {
				return span.ID
			}
			if id := find(span.Children); id != "" {
				return id
			}
		}
		return ""
	}
	id := find(whole.Spans)
	if id == "" {
		t.Fatalf("session %s has no call %s", session, call)
	}
	return id
}
