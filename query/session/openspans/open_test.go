package openspans_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/session/openspans"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// lines writes a page as a line for each session and each of its spans.
func lines(page *query.Page[openspans.Session]) string {
	var out []string
	for _, s := range page.Items {
		out = append(out, fmt.Sprintf("%s %s since %v silent %v open %d", s.ID, s.Status, *s.RunningMS/1000, *s.SilentMS/1000, s.OpenSpans))
		for _, of := range s.Spans {
			line := fmt.Sprintf("  %s %s %q since %v", of.ID, of.Kind, of.Name, of.RunningMS/1000)
			if of.Waiting {
				line += " waiting"
			}
			if of.Arguments != nil {
				line += fmt.Sprintf(" args %q cut %v", *of.Arguments, of.ArgumentsCut)
			}
			if of.Usual != nil {
				line += fmt.Sprintf(" usual %d calls p99 %.6g ratio %.6g", of.Usual.Calls, of.Usual.P99MS, *of.Usual.Ratio)
			}
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

func arguments(id, span, text string, seconds float64) schema.Message {
	m := querytest.Said(id, schema.MessageArguments, "run", text, seconds)
	m.Span, m.Name = span, "bash"
	return m
}

// A call of a tool with 20 earlier calls is compared with their p99; one with 19 is not.
func TestOpen(t *testing.T) {
	db := querytest.Open(t)
	earlier := querytest.Recording{Session: "earlier", Stream: 1}
	for i := range 20 { // bash took 1 s to 20 s: the p99 lies at 0.19·20 + 0.81·19 … of 1 to 20
		id := fmt.Sprint("b", i)
		earlier.Spans = append(earlier.Spans, querytest.Tool(id, "bash", schema.StatusOK, float64(100*i), float64(100*i+i+1)))
		if i < 19 {
			earlier.Spans = append(earlier.Spans, querytest.Tool("s"+id, "search", schema.StatusError, float64(100*i), float64(100*i+1)))
		}
	}
	call := querytest.Tool("call", "bash", schema.StatusOpen, 4010, 0)
	call.Parent, call.Run = "run", "run"
	wait := querytest.Tool("wait", "search", schema.StatusWaiting, 4020, 0)
	done := querytest.Tool("done", "bash", schema.StatusOK, 4005, 4006)
	model := querytest.Span(schema.SpanLLM, "model", "run", "", schema.StatusOpen, 4001, 0)
	db.Add(earlier,
		querytest.Recording{Session: "works", Stream: 2, Live: true,
			Spans: []schema.Span{querytest.Run("run", schema.StatusOpen, 4000, 0), model, call, wait, done},
			Messages: []schema.Message{arguments("m1", "call", `{"command":"make"}`, 4010),
				arguments("m2", "wait", strings.Repeat("é", 401), 4020), arguments("m3", "done", "{}", 4005)}},
		querytest.Recording{Session: "quiet", Stream: 3, Live: true, Spans: []schema.Span{querytest.Run("r", schema.StatusOpen, 3000, 0)}},
		querytest.Recording{Session: "over", Stream: 4, Spans: []schema.Span{querytest.Run("r", schema.StatusUnclosed, 4000, 4001)}},
		querytest.Recording{Session: "other", Tenant: "other-" + db.Tenant, Stream: 5, Live: true, Spans: []schema.Span{querytest.Run("r", schema.StatusOpen, 4000, 0)}},
	)
	r := querytest.Reader(db, 4040, query.WithQuietAfter(60e9))
	page := querytest.Must[*query.Page[openspans.Session]](t)(openspans.Read(t.Context(), r, openspans.Query{Tenant: db.Tenant, Limit: 10}))
	// 21 calls of bash ended (1 s to 20 s, and 1 s): the p99 is at place 0.99·20 = 19.8, between 19 s and 20 s.
	querytest.Equal(t, "all", querytest.Lines(
		"quiet quiet since 1040 silent 1040 open 1",
		`  r run "" since 1040`,
		"works running since 40 silent 20 open 4",
		`  run run "" since 40`,
		`  model llm "" since 39`,
		`  call tool "bash" since 30 args "{\"command\":\"make\"}" cut false usual 21 calls p99 19800 ratio 1.51515`,
		fmt.Sprintf(`  wait tool "search" since 20 waiting args %q cut true`, strings.Repeat("é", 400)),
	), lines(page))
	if page.Next != nil {
		t.Error("a whole list has a cursor")
	}
	for name, filter := range map[string]sessionfilter.Filter{
		"works": {Statuses: []sessionhead.Status{sessionhead.Running}},
		"quiet": {SilentFor: 100e9},
	} {
		page := querytest.Must[*query.Page[openspans.Session]](t)(openspans.Read(t.Context(), r, openspans.Query{Tenant: db.Tenant, Filter: filter, Limit: 10}))
		if len(page.Items) != 1 || page.Items[0].ID != name {
			t.Errorf("%+v: %s", filter, lines(page))
		}
	}
}

// A page holds a part of the sessions, and of each session a part of its spans.
func TestBounds(t *testing.T) {
	db := querytest.Open(t)
	many := querytest.Recording{Session: "many", Stream: 1, Live: true}
	for i := range 60 {
		many.Spans = append(many.Spans, querytest.Tool(fmt.Sprintf("t%02d", i), "bash", schema.StatusOpen, float64(i), 0))
	}
	db.Add(many, querytest.Recording{Session: "second", Stream: 2, Live: true, Spans: []schema.Span{querytest.Run("r", schema.StatusOpen, 10, 0)}})
	r := querytest.Reader(db, 70)
	q := openspans.Query{Tenant: db.Tenant, Limit: 1}
	first := querytest.Must[*query.Page[openspans.Session]](t)(openspans.Read(t.Context(), r, q))
	if s := first.Items; len(s) != 1 || s[0].ID != "many" || s[0].OpenSpans != 60 || len(s[0].Spans) != 50 || s[0].Spans[49].ID != "t49" {
		t.Errorf("the first page: %s", lines(first))
	}
	if first.Next == nil {
		t.Fatal("the first page has no cursor")
	}
	q.Cursor = *first.Next
	second := querytest.Must[*query.Page[openspans.Session]](t)(openspans.Read(t.Context(), r, q))
	if len(second.Items) != 1 || second.Items[0].ID != "second" || second.Next != nil {
		t.Errorf("the second page: %s", lines(second))
	}
}

// A stream that has ended, or whose recorder is gone, leaves spans without an end. They are open only if a live stream has
// them, with the status there.
func TestLeftOpen(t *testing.T) {
	db := querytest.Open(t)
	stream := func(n int, recorder string, live bool, last float64, spans ...schema.Span) querytest.Recording {
		return querytest.Recording{Session: "s", Stream: n, Live: live, Spans: spans,
			State: schema.StreamState{Recorder: recorder, FirstAt: querytest.AtSecond(0), LastAt: querytest.AtSecond(last)}}
	}
	asks := querytest.Tool("shared", "ask", schema.StatusWaiting, 2, 0)
	asks.Version = 90
	ended := querytest.Recording{Session: "s", Stream: 1, Live: true, Spans: []schema.Span{querytest.Tool("asks", "ask", schema.StatusWaiting, 1, 0), asks}}
	db.Add(
		ended, // the row of its end is a later one
		stream(2, "killed", true, 5, querytest.Tool("hangs", "bash", schema.StatusOpen, 4, 0), querytest.Run("killed run", schema.StatusOpen, 3, 0)),
		stream(3, "goes on", true, 6, querytest.Tool("shared", "ask", schema.StatusOpen, 3, 0), querytest.Span(schema.SpanLLM, "model", "", "", schema.StatusOpen, 6, 0)),
		querytest.Recording{Session: "other", Stream: 4, Live: true, Spans: []schema.Span{querytest.Run("r", schema.StatusOpen, 7, 0)}},
	)
	ended.Live, ended.State.Version = false, 2
	db.Add(ended)
	for _, tc := range []struct {
		alive []string
		want  string
	}{
		{[]string{"goes on"}, querytest.Lines(
			"s quiet since 600 silent 594 open 2",
			`  shared tool "ask" since 598`,
			`  model llm "" since 594`,
			"other quiet since 593 silent 593 open 1",
			`  r run "" since 593`)},
		{[]string{"goes on", "killed"}, querytest.Lines( // silent for ten minutes
			"s quiet since 600 silent 594 open 4",
			`  shared tool "ask" since 598`,
			`  killed run run "" since 597`,
			`  hangs tool "bash" since 596`,
			`  model llm "" since 594`,
			"other quiet since 593 silent 593 open 1",
			`  r run "" since 593`)},
	} {
		r := querytest.Reader(db, 600, query.WithRecorders(querytest.Alive{Ids: tc.alive, Within: 35 * time.Second}))
		page := querytest.Must[*query.Page[openspans.Session]](t)(openspans.Read(t.Context(), r, openspans.Query{Tenant: db.Tenant, Limit: 10}))
		querytest.Equal(t, fmt.Sprint("recorders ", tc.alive), tc.want, lines(page))
	}
}

// All ages of an answer are of one moment, however long its statements take.
func TestOneMoment(t *testing.T) {
	db := querytest.Open(t)
	db.Add(querytest.Recording{Session: "s", Stream: 1, Live: true, Spans: []schema.Span{querytest.Run("r", schema.StatusOpen, 0, 0)}})
	var asked atomic.Int64
	r := query.NewReader(db.Conn, query.WithClock(func() time.Time { return querytest.When(float64(10 + asked.Add(1))) }))
	page := querytest.Must[*query.Page[openspans.Session]](t)(openspans.Read(t.Context(), r, openspans.Query{Tenant: db.Tenant, Limit: 1}))
	if s := page.Items[0]; *s.RunningMS != s.Spans[0].RunningMS {
		t.Errorf("the session runs for %v ms, its run for %v ms, and both began together", *s.RunningMS, s.Spans[0].RunningMS)
	}
}
