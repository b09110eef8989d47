package toolreport_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// toolTable writes a report on tools as lines of "<period> <groups>: <calls>
// calls, <errors> errors, <open> open, <timed> timed, min avg p50 p90 p95 p99 max".
func toolTable(r *toolreport.Report) string {
	line := func(name string, s toolreport.Times) string {
		var times []string
		for _, ms := range []*float64{s.MinMS, s.AvgMS, s.P50MS, s.P90MS, s.P95MS, s.P99MS, s.MaxMS} {
			if ms == nil {
				times = append(times, "-")
				continue
			}
			times = append(times, fmt.Sprintf("%.6g", *ms))
		}
		return fmt.Sprintf("%s: %d calls, %d errors, %d open, %d timed, %s", name, s.Calls, s.Errors, s.Open, s.Timed, strings.Join(times, " "))
	}
	var rows []string
	for _, row := range r.Items {
		var name []string
		if row.Name != nil {
			name = append(name, *row.Name)
		}
		for _, g := range r.GroupBy {
			value := "null"
			if v := row.Group[g]; v != nil {
				value = *v
			}
			name = append(name, value)
		}
		rows = append(rows, line(strings.Join(name, " "), row.Times))
	}
	return strings.Join(append(rows, line("all", r.Totals)), "\n")
}

func TestTools(t *testing.T) { testTools(t, querytest.Open(t), leave) }

// leave leaves what is stored as it is.
func leave(*testing.T, *querytest.DB) {}

// settle settles all that is stored.
func settle(t *testing.T, db *querytest.DB) {
	t.Helper()
	if err := rollup.NewSettler(querytest.Reader(db, 1e6), slog.New(slog.DiscardHandler)).Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if view, err := rollup.ReadCalls(t.Context(), querytest.Reader(db, 1e6), db.Tenant, nil, nil); err != nil || view.All || len(view.Unsettled) > 0 {
		t.Fatalf("%+v is settled, error %v", view, err)
	}
}

// Reports on calls that are settled are the same.
func TestToolsSettled(t *testing.T) { testTools(t, querytest.New(t), settle) }

func testTools(t *testing.T, db *querytest.DB, then func(*testing.T, *querytest.DB)) {
	reported := querytest.Tool("reported", "search", schema.StatusOK, 3600, 3601)
	reported.Duration = int64(250 * time.Millisecond) // the source knows better than the second between two frames
	endOnly := schema.Span{
		Fact: schema.Fact{ID: "end-only", Agent: "helper"}, Kind: schema.SpanTool, Name: "search",
		Status: schema.StatusError, Ended: querytest.AtSecond(3700), Duration: int64(750 * time.Millisecond),
	}
	db.Add(
		querytest.Recording{Session: "a", Stream: 1, Spans: []schema.Span{
			querytest.Tool("b1", "bash", schema.StatusOK, 0, 1), querytest.Tool("b2", "bash", schema.StatusOK, 10, 12),
			querytest.Tool("b3", "bash", schema.StatusError, 20, 23), querytest.Tool("b4", "bash", schema.StatusOK, 30, 34),
			querytest.Tool("b5", "bash", schema.StatusOpen, 40, 0),
			querytest.Run("r", schema.StatusOK, 0, 50), // not a tool
			// Its result comes in the next stream.
			querytest.Tool("shared", "edit", schema.StatusUnclosed, 50, 60),
			querytest.Tool("refused", "rm", schema.StatusRejected, 0, 70),
			querytest.Tool("cut", "bash", schema.StatusUnclosed, 45, 60),
		}},
		querytest.Recording{Session: "a", Stream: 2, Spans: []schema.Span{
			{Fact: schema.Fact{ID: "shared"}, Kind: schema.SpanTool, Status: schema.StatusOK, Ended: querytest.AtSecond(58)},
		}},
		// The request that brought the result was sent again.
		querytest.Recording{Session: "a", Stream: 4, Spans: []schema.Span{
			{Fact: schema.Fact{ID: "shared"}, Kind: schema.SpanTool, Status: schema.StatusOK, Ended: querytest.AtSecond(5000)},
		}},
		querytest.Recording{Session: "b", Stream: 3, Spans: []schema.Span{
			reported, endOnly,
			querytest.Tool("b1", "bash", schema.StatusOK, 3600, 3605), // the same id in another session
		}},
		querytest.Recording{Session: "z", Stream: 9, Tenant: "other", Spans: []schema.Span{querytest.Tool("b1", "bash", schema.StatusOK, 0, 1000)}},
	)
	then(t, db)
	r := querytest.Reader(db, 1e6)
	all := "all: 11 calls, 2 errors, 2 open, 8 timed, 250 3000 2500 5900 6950 7790 8000"
	for _, tc := range []struct {
		name string
		q    toolreport.Query
		want string
	}{
		{"all", toolreport.Query{}, querytest.Lines(strings.Replace(all, "all", "", 1), all)},
		// bash: 1, 2, 3, 4 and 5 s. Between the neighbours 4 and 5, p90 lies at 0.6 of the way.
		{"by tool", toolreport.Query{GroupBy: []string{"tool"}}, querytest.Lines(
			"bash: 7 calls, 1 errors, 2 open, 5 timed, 1000 3000 3000 4600 4800 4960 5000",
			"edit: 1 calls, 0 errors, 0 open, 1 timed, 8000 8000 8000 8000 8000 8000 8000",
			"rm: 1 calls, 0 errors, 0 open, 0 timed, - - - - - - -",
			"search: 2 calls, 1 errors, 0 open, 2 timed, 250 500 500 700 725 745 750", all)},
		{"by session and agent", toolreport.Query{GroupBy: []string{"session", "agent"}}, querytest.Lines(
			"a main: 8 calls, 1 errors, 2 open, 5 timed, 1000 3600 3000 6400 7200 7840 8000",
			"b helper: 1 calls, 1 errors, 0 open, 1 timed, 750 750 750 750 750 750 750",
			"b main: 2 calls, 0 errors, 0 open, 2 timed, 250 2625 2625 4525 4762.5 4952.5 5000", all)},
		{"by the hour in Berlin", toolreport.Query{Granularity: grouping.Hourly, Zone: querytest.Zone(t, "Europe/Berlin")}, querytest.Lines(
			"2026-03-02T11:00:00+01:00: 8 calls, 1 errors, 2 open, 5 timed, 1000 3600 3000 6400 7200 7840 8000",
			"2026-03-02T12:00:00+01:00: 3 calls, 1 errors, 0 open, 3 timed, 250 2000 750 4150 4575 4915 5000", all)},
		{"half open: by when it was first spoken of, whole if it ends later", toolreport.Query{From: querytest.When(20), To: querytest.When(50.5)}, querytest.Lines(
			": 5 calls, 1 errors, 2 open, 3 timed, 3000 5000 4000 7200 7600 7920 8000",
			"all: 5 calls, 1 errors, 2 open, 3 timed, 3000 5000 4000 7200 7600 7920 8000")},
		{"of the sessions in which a tool was called", toolreport.Query{Sessions: &sessionfilter.Filter{Tools: []string{"search"}}}, querytest.Lines(
			": 3 calls, 1 errors, 0 open, 3 timed, 250 2000 750 4150 4575 4915 5000",
			"all: 3 calls, 1 errors, 0 open, 3 timed, 250 2000 750 4150 4575 4915 5000")},
		{"of no session", toolreport.Query{Sessions: &sessionfilter.Filter{Tools: []string{"nothing"}}, Slowest: 5}, querytest.Lines(
			"all: 0 calls, 0 errors, 0 open, 0 timed, - - - - - - -")},
		{"its second stream in range, its first not", toolreport.Query{From: querytest.When(55), To: querytest.When(59)}, querytest.Lines(
			"all: 0 calls, 0 errors, 0 open, 0 timed, - - - - - - -")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.q.Tenant = db.Tenant
			querytest.Equal(t, "report", tc.want, toolTable(querytest.Must[*toolreport.Report](t)(toolreport.Read(t.Context(), r, tc.q))))
		})
	}
	t.Run("slowest", func(t *testing.T) {
		report := querytest.Must[*toolreport.Report](t)(toolreport.Read(t.Context(), r, toolreport.Query{Tenant: db.Tenant, Slowest: 5}))
		pos := func(seconds float64, stream int, seq uint64) string {
			return schema.Position{At: querytest.AtSecond(seconds), StreamID: querytest.StreamID(stream), Seq: seq}.String()
		}
		querytest.Equal(t, "slowest", []toolreport.SlowCall{
			// Without an end: until the session ended at 5000 s, and until the call was cut off at 60 s.
			{SessionID: "a", SpanID: "b5", Tool: querytest.Ptr("bash"), Agent: querytest.Ptr("main"), Status: "open", Started: querytest.Ptr(querytest.When(40)), OpenMS: querytest.Ptr(4960e3), Position: pos(40, 1, 4)},
			{SessionID: "a", SpanID: "cut", Tool: querytest.Ptr("bash"), Agent: querytest.Ptr("main"), Status: "unclosed", Started: querytest.Ptr(querytest.When(45)), OpenMS: querytest.Ptr(15e3), Position: pos(45, 1, 8)},
			{SessionID: "a", SpanID: "shared", Tool: querytest.Ptr("edit"), Agent: querytest.Ptr("main"), Status: "ok", Started: querytest.Ptr(querytest.When(50)), DurationMS: querytest.Ptr(8000.0), Position: pos(50, 1, 6)},
			{SessionID: "b", SpanID: "b1", Tool: querytest.Ptr("bash"), Agent: querytest.Ptr("main"), Status: "ok", Started: querytest.Ptr(querytest.When(3600)), DurationMS: querytest.Ptr(5000.0), Position: pos(3600, 3, 2)},
			{SessionID: "a", SpanID: "b4", Tool: querytest.Ptr("bash"), Agent: querytest.Ptr("main"), Status: "ok", Started: querytest.Ptr(querytest.When(30)), DurationMS: querytest.Ptr(4000.0), Position: pos(30, 1, 3)},
		}, report.Slowest)
	})
	t.Run("error rate", func(t *testing.T) {
		report := querytest.Must[*toolreport.Report](t)(toolreport.Read(t.Context(), r, toolreport.Query{Tenant: db.Tenant, GroupBy: []string{"tool"}}))
		querytest.Equal(t, "of search", 0.5, report.Items[3].ErrorRate)
		text := querytest.Must[[]byte](t)(json.Marshal(report))
		var back toolreport.Report
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		querytest.Equal(t, "decoded", report, &back)
	})
	t.Run("nothing recorded", func(t *testing.T) {
		report := querytest.Must[*toolreport.Report](t)(toolreport.Read(t.Context(), r, toolreport.Query{Tenant: "nobody", Slowest: 5}))
		querytest.Equal(t, "report", "all: 0 calls, 0 errors, 0 open, 0 timed, - - - - - - -", toolTable(report))
	})
}
