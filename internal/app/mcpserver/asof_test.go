package mcpserver

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/timeline"
	"tapedeck/query/session/transcript"
)

// pastAPI has a session of ten seconds: a run with a tool call from second 2 to second 4, which failed, and one from
// second 5 to second 8; a message of three chunks at the seconds 1, 3 and 6, and one at second 9.
type pastAPI struct{}

func (pastAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(problem.ServerHeader, "test")
	second := func(n float64) *time.Time {
		at := start.Add(time.Duration(n * float64(time.Second)))
		return &at
	}
	span := func(id, kind, status string, from, to float64) *timeline.Span {
		ms, err := 1000*(to-from), "it broke"
		s := &timeline.Span{ID: id, Kind: kind, Name: id, Agent: "agent " + id, Status: status, Started: *second(from), StartMS: 1000 * from, Ended: second(to),
			DurationMS: &ms}
		if status == "error" {
			s.Error = &err
		}
		return s
	}
	var answer any
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/timeline"):
		run := span("run", "run", "error", 0, 10)
		run.Children = []*timeline.Span{span("first", "tool", "error", 2, 4), span("second", "tool", "ok", 5, 8)}
		answer = timeline.Timeline{Spans: []*timeline.Span{run}}
	case strings.HasSuffix(path, "/transcript"):
		m := transcript.Message{ID: "m", Kind: "assistant", Text: "one twö three", Started: *second(1), StartMS: 1000, Ended: second(6), Complete: true, SpanID: "first"}
		if r.URL.Query().Get("chunks") == "1" {
			m.Chunks = &transcript.Chunks{OffsetMS: []float64{1000, 3000, 6000}, End: []uint32{4, 7, 14}} // 7 is within the ö
		}
		answer = page[transcript.Message]{Items: []transcript.Message{m,
			{ID: "late", Kind: "user", Text: "late", Started: *second(9), StartMS: 9000, Ended: second(9), Complete: true}}}
	default:
		answer = sessiondetail.Detail{Head: sessionhead.Head{ID: "s", Status: sessionhead.Failed, Started: start, Ended: second(10), DurationMS: 10_000,
			End: &sessionhead.End{Reason: sessionhead.EndError}, Tools: sessionhead.ToolCounts{Calls: 2, Errors: 1}}}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// A tool with as_of answers as the recording was at the moment: what ended later is open, what began later is not
// there.
func TestAsOf(t *testing.T) {
	s := connect(t, pastAPI{})
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		want, not []string
	}{
		{"session_outline", map[string]any{"as_of": "+3s"}, []string{"ran at this moment: 2 spans had begun, 1 tool calls among them, of which 0 had failed",
			`"status":"running"`, `"duration_ms":3000`, `"open_ms":1000`, "agent first"}, []string{"second", "it broke", `"end"`, `"usage"`}},
		{"session_outline", map[string]any{"as_of": "2026-03-02T10:00:06Z"}, []string{"3 spans had begun, 2 tool calls among them, of which 1 had failed", "it broke"},
			[]string{`"status":"ok"`}},
		{"session_outline", map[string]any{"as_of": "+10s"}, []string{`"status":"error"`, `"end"`, `"usage"`, `"as_of":"2026-03-02T10:00:10`}, nil},
		{"session_errors", map[string]any{"as_of": "+1s"}, []string{"1 of its 1 spans"}, []string{"first", "it broke"}},
		{"session_errors", map[string]any{"as_of": "+4s"}, []string{`"span":"first"`, "it broke"}, []string{"second"}},
		{"read_span", map[string]any{"span": "first", "as_of": "+3.5s"}, []string{"open for 1.500 s", `"text":"one tw"`, `"open":true`}, []string{"it broke", "three"}},
		{"read_span", map[string]any{"span": "first"}, []string{"error after 2.000 s", "it broke", "one twö three"}, nil},
		{"read_span", map[string]any{"span": "second", "as_of": "+3s"}, []string{`no span "second"`}, nil},
		{"read_messages", map[string]any{"as_of": "+2s"}, []string{"1 messages", `"text":"one "`, `"open":true`}, []string{"late"}},
		{"read_messages", map[string]any{"as_of": "+9s"}, []string{"2 messages", "one twö three", "late"}, []string{`"open":true`}},
		{"read_messages", map[string]any{"as_of": "soon"}, []string{"must be a time like"}, nil},
		{"session_errors", map[string]any{"as_of": "-1s"}, []string{"must be a time like"}, nil},
		{"session_errors", map[string]any{"as_of": "2026-03-02T09:59:59Z"}, []string{"before the start of session s"}, nil},
	} {
		c.arguments["session"] = "s"
		text, _ := ask(t, s, c.tool, c.arguments)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s %v lacks %s: %s", c.tool, c.arguments, want, text)
			}
		}
		for _, not := range c.not {
			if strings.Contains(text, not) {
				t.Errorf("%s %v has %s: %s", c.tool, c.arguments, not, text)
			}
		}
	}
}

// openAPI has a session that has not ended: its last frame came at second 3, its call began at second 2, and now is
// second 60.
type openAPI struct{}

func (openAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(problem.ServerHeader, "test")
	open, silent := 58_000.0, 57_000.0
	var answer any
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/timeline"):
		answer = timeline.Timeline{Spans: []*timeline.Span{{ID: "call", Kind: "tool", Name: "bash", Status: "open", Open: true, OpenMS: &open,
			Started: start.Add(2 * time.Second), StartMS: 2000}}}
	case strings.HasSuffix(path, "/transcript"):
		answer = page[transcript.Message]{Items: []transcript.Message{{ID: "m", Kind: "tool_output", Text: "one", Started: start.Add(3 * time.Second),
			StartMS: 3000, SpanID: "call"}}}
	default:
		answer = sessiondetail.Detail{Head: sessionhead.Head{ID: "s", Status: sessionhead.Running, Started: start, LastAt: start.Add(3 * time.Second),
			DurationMS: 3000, SilentMS: &silent, Tools: sessionhead.ToolCounts{Calls: 1}}}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// In a session that has not ended, a moment at or after the last frame is now, however late it is.
func TestAsOfLater(t *testing.T) {
	s := connect(t, openAPI{})
	for tool, arguments := range map[string]map[string]any{
		"session_outline": {"session": "s"}, "session_errors": {"session": "s"}, "read_messages": {"session": "s"},
		"read_span": {"session": "s", "span": "call"},
	} {
		now, failed := ask(t, s, tool, arguments)
		if failed || tool != "read_messages" && !strings.Contains(now, "58") {
			t.Errorf("%s: %s", tool, now)
		}
		for _, at := range []string{"+3s", "+10s", "2026-03-02T10:00:03Z", "2126-03-02T10:00:00Z", "+2000000h"} {
			arguments["as_of"] = at
			if then, _ := ask(t, s, tool, arguments); then != now {
				t.Errorf("%s as of %s: %s, want what it is now: %s", tool, at, then, now)
			}
		}
	}
	before, _ := ask(t, s, "session_outline", map[string]any{"session": "s", "as_of": "+2.5s"})
	if !strings.Contains(before, `"open_ms":500`) || !strings.Contains(before, `"duration_ms":2500`) || strings.Contains(before, "silent_ms") {
		t.Errorf("before the last frame: %s", before)
	}
}

// A note is sent with its moment; what the token may not do is explained.
func TestAddNote(t *testing.T) {
	var sent string
	status := http.StatusCreated
	s := connect(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(problem.ServerHeader, "test")
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		sent = r.Method + " " + r.URL.EscapedPath() + " " + string(body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"id":"n1","author":"grace","labels":["bug"],"detail":"This needs the scopes note and read."}`)
	}))
	text, failed := ask(t, s, "add_note", map[string]any{"session": "a/b", "text": "it's <wrong>", "label": []string{"bug"}, "thumb": "down", "span": "t", "at": "+1.5s"})
	if failed || !strings.Contains(text, `"note":"n1"`) || !strings.Contains(text, "grace") {
		t.Errorf("%s", text)
	}
	if want := `POST /v1/sessions/a%2Fb/notes {"text":"it's <wrong>","labels":["bug"],"thumb":"down","span_id":"t","offset_ms":1500}`; sent != want {
		t.Errorf("sent %s, want %s", sent, want)
	}
	status = http.StatusForbidden
	if text, failed = ask(t, s, "add_note", map[string]any{"session": "a", "text": "x"}); !failed || !strings.Contains(text, "may not write notes") {
		t.Errorf("%s", text)
	}
	if text, failed = ask(t, s, "add_note", map[string]any{"session": "a", "text": "x", "at": "noon"}); !failed || !strings.Contains(text, `"at"`) {
		t.Errorf("%s", text)
	}
}

// An answer of the API that does not end is not read whole.
func TestLargeAnswers(t *testing.T) {
	var v []string
	if err := decodeLimited(io.MultiReader(strings.NewReader("["), endless{}), &v); err == nil || !strings.Contains(err.Error(), "too large for this tool") {
		t.Errorf("%v", err)
	}
}

// endless is blanks without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
