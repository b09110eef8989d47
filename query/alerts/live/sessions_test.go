package live_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/live"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

func arguments(id, span, text string, seconds float64) schema.Message {
	m := querytest.Said(id, schema.MessageArguments, "run", text, seconds)
	m.Span = span
	return m
}

// Rules observe the open spans, the tool calls and the usage of the sessions that are being recorded, and no other
// sessions.
func TestSessions(t *testing.T) {
	db := querytest.Open(t)
	failed := querytest.Tool("t1", "bash", schema.StatusError, 11, 12)
	failed.Error = "exit 1"
	wait := querytest.Tool("t3", "ask", schema.StatusWaiting, 30, 0)
	wait.Parent = "r"
	db.Add(
		querytest.Recording{Session: "works", Stream: 1, Live: true,
			Spans: []schema.Span{querytest.Run("r", schema.StatusOpen, 0, 0), querytest.Span(schema.SpanLLM, "m", "r", "opus", schema.StatusOK, 1, 9),
				failed, querytest.Tool("t2", "bash", schema.StatusOK, 20, 21), wait},
			Messages: []schema.Message{arguments("a1", "t1", "make", 11), arguments("a2", "t2", "make", 20)},
			Usages:   []schema.Usage{querytest.Used("u", "gpt-5", 5, schema.Tokens{Input: 100, Output: 20})}},
		querytest.Recording{Session: "over", Stream: 2, Spans: []schema.Span{querytest.Run("r", schema.StatusOpen, 0, 0)}},
		querytest.Recording{Session: "other", Tenant: "other-" + db.Tenant, Stream: 3, Live: true, Spans: []schema.Span{querytest.Run("r", schema.StatusOpen, 0, 0)}},
	)
	r := querytest.Reader(db, 40)
	tenants := querytest.Must[[]string](t)(live.Tenants(t.Context(), r))
	if !slices.Contains(tenants, db.Tenant) || !slices.Contains(tenants, "other-"+db.Tenant) {
		t.Errorf("the tenants are %v", tenants)
	}
	reader := live.NewReader(r, []rule.Rule{{Kind: rule.NoProgress, Calls: 3}, {Kind: rule.Budget, Tokens: 1}})
	for range 2 { // the second time the arguments are known
		list := querytest.Must[[]*evaluate.Session](t)(reader.Sessions(t.Context(), db.Tenant, r.Now()))
		if len(list) != 1 || list[0].ID != "works" {
			t.Fatalf("%d sessions", len(list))
		}
		s := list[0]
		var lines []string
		for _, x := range s.Open {
			lines = append(lines, fmt.Sprintf("open %s %s %s below %q", x.ID, x.Kind, x.Status, x.Parent))
		}
		slices.Sort(lines)
		for _, x := range s.Calls {
			lines = append(lines, fmt.Sprintf("call %s %s %s %q", x.ID, x.Name, x.Status, x.Error))
		}
		querytest.Equal(t, "spans", []string{`open r run open below ""`, `open t3 tool waiting below "r"`,
			`call t1 bash error "exit 1"`, `call t2 bash ok ""`, `call t3 ask waiting ""`}, lines)
		if s.Calls[0].Arguments == "" || s.Calls[0].Arguments != s.Calls[1].Arguments || s.Calls[2].Arguments != "" {
			t.Errorf("the arguments are %q, %q, %q", s.Calls[0].Arguments, s.Calls[1].Arguments, s.Calls[2].Arguments)
		}
		if s.ModelAt != querytest.AtSecond(9) || s.LastAt != querytest.AtSecond(30) && s.LastAt == 0 || s.Stream != querytest.StreamID(1) {
			t.Errorf("%+v", s)
		}
		if s.Tokens != 120 || s.Costs["USD"].IsZero() || strings.Contains(s.Costs["USD"].String(), "-") {
			t.Errorf("%d tokens, %v", s.Tokens, s.Costs)
		}
	}
}
