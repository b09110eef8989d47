package live_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/live"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// recorder is a set of recorders that are alive. It changes in a test.
type recorder struct{ alive []string }

func (r *recorder) Alive(string) ([]string, time.Duration) { return r.alive, 35 * time.Second }

// openOf writes the open spans of the only session, and the number of its tool calls.
func openOf(t *testing.T, list []*evaluate.Session) string {
	t.Helper()
	if len(list) != 1 {
		t.Fatalf("%d sessions", len(list))
	}
	var open []string
	for _, s := range list[0].Open {
		open = append(open, s.ID+" "+string(s.Status))
	}
	slices.Sort(open)
	return strings.Join(open, ", ")
}

// A stream that has ended, or whose recorder is gone, leaves spans without an end. They are no longer open, unless
// another stream has them, and are so again when the recorder is alive again.
func TestLeftOpen(t *testing.T) {
	db := querytest.Open(t)
	state := func(recorder string, last float64) schema.StreamState {
		return schema.StreamState{Recorder: recorder, FirstAt: querytest.AtSecond(0), LastAt: querytest.AtSecond(last), Version: uint64(last) + 1}
	}
	wait := querytest.Tool("asks", "ask", schema.StatusWaiting, 1, 0)
	wait.Version = 90
	shared := querytest.Tool("shared", "bash", schema.StatusWaiting, 2, 0)
	shared.Version = 91
	runs := querytest.Tool("shared", "bash", schema.StatusOpen, 3, 0)
	db.Add(
		querytest.Recording{Session: "s", Stream: 1, State: state("first", 4), Spans: []schema.Span{wait, shared}}, // it has ended
		querytest.Recording{Session: "s", Stream: 2, State: state("killed", 5), Live: true,
			Spans: []schema.Span{querytest.Tool("hangs", "bash", schema.StatusOpen, 4, 0), querytest.Run("killed run", schema.StatusOpen, 3, 0)}},
		querytest.Recording{Session: "s", Stream: 3, State: state("goes on", 6), Live: true,
			Spans: []schema.Span{runs, querytest.Span(schema.SpanLLM, "model", "", "opus", schema.StatusOpen, 6, 0)}},
	)
	recorders, second := &recorder{alive: []string{"killed", "goes on"}}, 600.0
	r := query.NewReader(db.Conn, query.WithRecorders(recorders), query.WithClock(func() time.Time { return querytest.When(second) }))
	reader := live.NewReader(r, nil)
	check := func(want string) {
		t.Helper()
		list := querytest.Must[[]*evaluate.Session](t)(reader.Sessions(t.Context(), db.Tenant, r.Now()))
		if got := openOf(t, list); got != want {
			t.Errorf("open are %s, want %s", got, want)
		}
		again := querytest.Must[[]*evaluate.Session](t)(reader.Again(t.Context(), db.Tenant, []string{"s"}))
		querytest.Equal(t, "what is read again", list, again)
		second += 10
	}
	all := "hangs open, killed run open, model open, shared open"
	check(all) // without a frame for ten minutes
	check(all)
	recorders.alive = []string{"goes on"}
	check("model open, shared open")
	check("model open, shared open")
	recorders.alive = []string{"killed", "goes on"}
	check(all)
}

// A model that does not answer is silent although a call of an ended stream waits, and no call of a stream whose recorder
// is gone hangs.
func TestLeftOpenIsNoAlert(t *testing.T) {
	db := querytest.Open(t)
	stream := func(n int, recorder string, live bool, last float64, spans ...schema.Span) querytest.Recording {
		r := querytest.Recording{Session: "s", Stream: n, Live: live, Spans: spans}
		r.State = schema.StreamState{Recorder: recorder, FirstAt: querytest.AtSecond(0), LastAt: querytest.AtSecond(last)}
		return r
	}
	db.Add(
		stream(1, "a", false, 5, querytest.Tool("asks", "bash", schema.StatusWaiting, 5, 0)),
		stream(2, "b", true, 20, querytest.Tool("killed", "bash", schema.StatusOpen, 20, 0)),
		stream(3, "c", true, 50, querytest.Span(schema.SpanLLM, "model", "", "opus", schema.StatusOpen, 45, 0)),
	)
	rules := []rule.Rule{{Name: "tool", Kind: rule.ToolOpen, Factor: 3, Floor: time.Minute}, {Name: "silence", Kind: rule.Silence, After: time.Minute}}
	r := querytest.Reader(db, 120, query.WithRecorders(querytest.Alive{Ids: []string{"c"}, Within: 35 * time.Second}))
	list := querytest.Must[[]*evaluate.Session](t)(live.NewReader(r, rules).Sessions(t.Context(), db.Tenant, r.Now()))
	usual := func(string) (evaluate.Usual, bool) { return evaluate.Usual{Calls: 20, P99: 1e9}, true }
	found := evaluate.Findings(rules, list[0], usual, r.Now())
	if len(found) != 1 || found[0].Rule != "silence" || found[0].SpanID != "model" || found[0].Since != querytest.AtSecond(110) {
		t.Errorf("%+v", found)
	}
}
