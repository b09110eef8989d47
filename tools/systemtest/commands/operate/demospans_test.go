package operate

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"tapedeck/internal/bounded"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// demoSpan is a span of the answer to a request for a timeline.
type demoSpan struct {
	ID, Parent, Kind, Status string
	Started, Ended           time.Time
	Tokens                   struct{ Total int64 }
	Children                 []demoSpan
}

// flat returns spans and all spans below them.
func flat(spans []demoSpan) []demoSpan {
	var all []demoSpan
	for _, s := range spans {
		all = append(append(all, s), flat(s.Children)...)
	}
	return all
}

// idInOTLP returns the id of a span in an exported document, "" for none.
func idInOTLP(span string) string {
	if span == "" {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(span)))[:16]
}

// checkSpans exports a session of the demo as OTLP and as trace events, from the server and from a tape, and
// compares both with the timeline that the server returns.
func checkSpans(t *testing.T, s *commandtest.Instance, session string) {
	t.Helper()
	bounded.Until(t, "the end of the stream of "+session, func() bool {
		d := s.Session(t, session)
		return len(d.Streams) > 0 && d.Streams[0].Ended != nil
	})
	tape := filepath.Join(t.TempDir(), session+".tape")
	s.Must(t, "export", session, "-o", tape)
	document := map[string]string{}
	for _, format := range []string{"otlp", "trace", "atif"} {
		document[format] = s.Must(t, "export", session, "--format", format)
		if alone, stderr, exit := commandtest.Alone(t, "export", tape, "--format", format); exit != 0 || alone != document[format] {
			t.Errorf("%s of %s from a tape: exit %d, %s\n%s\nfrom the server\n%s", format, session, exit, stderr, alone, document[format])
		}
	}
	for query, flags := range map[string][]string{"": nil, "?content=1": {"--content"}} {
		want := s.Must(t, append([]string{"export", session, "--format", "otlp"}, flags...)...)
		if status, body, _ := s.Get(t, "/v1/sessions/"+session+"/otlp"+query); status != http.StatusOK || string(body) != want {
			t.Errorf("/otlp%s of %s: status %d\n%s\nthe command writes\n%s", query, session, status, body, want)
		}
	}
	var timeline struct{ Spans []demoSpan }
	s.ReadJSON(t, "/v1/sessions/"+session+"/timeline", &timeline)
	list := flat(timeline.Spans)
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(document["otlp"]))
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]ptrace.Span{}
	spans := traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	for i := range spans.Len() {
		written[spans.At(i).SpanID().String()] = spans.At(i)
	}
	if len(written) != len(list) || len(list) == 0 {
		t.Fatalf("%s: %d spans, the timeline has %d", session, len(written), len(list))
	}
	operations := map[string]string{"run": "invoke_agent", "llm": "chat", "tool": "execute_tool"}
	for _, want := range list {
		got, ok := written[idInOTLP(want.ID)]
		if !ok {
			t.Errorf("%s: %s is missing", session, want.ID)
			continue
		}
		values := got.Attributes().AsRaw()
		var counted int64
		for _, key := range []string{"gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"} {
			n, _ := values[key].(int64)
			counted += n
		}
		operation := operations[want.Kind]
		if operation != "" && values["gen_ai.operation.name"] != operation || got.ParentSpanID().String() != idInOTLP(want.Parent) ||
			counted != want.Tokens.Total || values["gen_ai.conversation.id"] != session ||
			got.StartTimestamp().AsTime() != want.Started || got.EndTimestamp().AsTime() != want.Ended ||
			(got.Status().Code() == ptrace.StatusCodeError) != (want.Status == "error") {
			t.Errorf("%s: %+v is written as %q from %s to %s with %v", session, want, got.Name(), got.StartTimestamp(), got.EndTimestamp(), values)
		}
	}
	var trace struct {
		TraceEvents []struct {
			Phase string `json:"ph"`
			Name  string
			Args  map[string]any
		}
	}
	if err := json.Unmarshal([]byte(document["trace"]), &trace); err != nil {
		t.Fatal(err)
	}
	statuses, tracks := map[string]any{}, ""
	for _, e := range trace.TraceEvents {
		switch {
		case e.Phase == "X":
			statuses[e.Args["span"].(string)] = e.Args["status"]
		case e.Name == "thread_name":
			tracks += e.Args["name"].(string) + "\n"
		}
	}
	for _, want := range list {
		if statuses[want.ID] != want.Status {
			t.Errorf("%s: the event of %s has the status %v, want %s", session, want.ID, statuses[want.ID], want.Status)
		}
	}
	if strings.HasPrefix(session, "demo-release") && !strings.Contains(tracks, "reviewer\n") {
		t.Errorf("%s: the sub-agent has no track:\n%s", session, tracks)
	}
}
