package query_test

import (
	"strings"
	"testing"
	"time"

	"tapedeck/deploy/local/localtest"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// hung is what a session leaves behind of which a tool call never came back.
func hung(session string, stream int, from float64, recorder string) querytest.Recording {
	r := querytest.Recording{Session: session, Stream: stream, Live: true}
	r.State.Recorder = recorder
	tool := schema.Span{
		Fact: schema.Fact{ID: "t"}, Kind: schema.SpanTool, Parent: "r", Name: "psql", Status: schema.StatusOpen, Started: at(from + 1),
	}
	r.Spans = []schema.Span{run("r", schema.StatusOpen, from, 0), tool}
	r.Spans[1].SeenSeq = 1
	return r
}

// ended is a session whose only tool call took some seconds.
func ended(session string, stream int, from, seconds float64) querytest.Recording {
	r := querytest.Recording{Session: session, Stream: stream}
	r.Spans = []schema.Span{run("r", schema.StatusOK, from, from+seconds), {
		Fact: schema.Fact{ID: "t", SeenSeq: 1}, Kind: schema.SpanTool, Name: "psql", Status: schema.StatusOK,
		Started: at(from), Ended: at(from + seconds),
	}}
	return r
}

// What hangs is as old as it is now: in the list, on its page, among the slowest
// calls, and for filters and orders by duration; what is lost is not.
func TestAgeOfWhatIsOpen(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	now := 1000.0
	r := reader(db, now, query.WithRecorders(heard{ids: []string{"alive"}, within: 35 * time.Second}))
	db.Add(
		hung("hung", 1, 220, "alive"), hung("dead", 2, 100, "gone"), hung("fresh", 3, 990, "alive"),
		ended("long", 4, 0, 300), ended("short", 5, 400, 2),
	)
	list := func(f query.SessionFilter, sort query.SessionSort) string {
		t.Helper()
		q := query.SessionQuery{Tenant: querytest.Tenant, SessionFilter: f, Sort: sort, Limit: 2}
		var ids []string
		for {
			page := must[*query.Page[query.Session]](t)(r.Sessions(t.Context(), q))
			for _, s := range page.Items {
				ids = append(ids, s.ID)
			}
			if page.Next == nil {
				return strings.Join(ids, " ")
			}
			q.Cursor = *page.Next
		}
	}
	for _, tc := range []struct {
		name   string
		filter query.SessionFilter
		sort   query.SessionSort
		want   string
	}{
		{"by duration", query.SessionFilter{}, "-duration", "hung long fresh short dead"},
		{"the shortest first", query.SessionFilter{}, "duration", "dead short fresh long hung"},
		{"3 minutes or more", query.SessionFilter{MinDuration: 3 * time.Minute}, "", "hung long"},
		{"6 minutes or less", query.SessionFilter{MaxDuration: 6 * time.Minute}, "", "fresh short dead long"},
		{"silent for 10 minutes", query.SessionFilter{SilentFor: 10 * time.Minute}, "", "hung dead"},
		{"of those the quiet", query.SessionFilter{SilentFor: 10 * time.Minute, Statuses: []query.SessionStatus{query.Quiet}}, "", "hung"},
		{"silent for longer than any", query.SessionFilter{SilentFor: time.Hour}, "", ""},
		{"running for 10 s", query.SessionFilter{RunningFor: 10 * time.Second}, "", "fresh hung"},
		{"running for 11 s", query.SessionFilter{RunningFor: 11 * time.Second}, "", "hung"},
		{"quiet or lost", query.SessionFilter{Statuses: []query.SessionStatus{query.Quiet, query.Lost}}, "-duration", "hung dead"},
		{"running", query.SessionFilter{Statuses: []query.SessionStatus{query.Running}}, "", "fresh"},
		{"lost or fine", query.SessionFilter{Statuses: []query.SessionStatus{query.Lost, query.Fine}}, "", "short dead long"},
		{"open, by tokens", query.SessionFilter{RunningFor: time.Second}, "-tokens", "hung fresh"},
	} {
		if got := list(tc.filter, tc.sort); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
	page := must[*query.SessionDetail](t)(r.Session(t.Context(), querytest.Tenant, "hung"))
	equal(t, "running", ptr(780e3), page.RunningMS)
	equal(t, "silent", ptr(779e3), page.SilentMS)
	equal(t, "duration", 1000.0, page.DurationMS)
	timeline := must[*query.Timeline](t)(r.Timeline(t.Context(), querytest.Tenant, "hung"))
	tool := timeline.Spans[0].Children[0]
	equal(t, "the tool", []*float64{nil, ptr(779e3), ptr(779e3), ptr(779e3)}, []*float64{tool.DurationMS, tool.OpenMS, tool.RunningMS, tool.SilentMS})
	dead := must[*query.SessionDetail](t)(r.Session(t.Context(), querytest.Tenant, "dead"))
	equal(t, "a lost one", []*float64{nil, ptr(899e3)}, []*float64{dead.RunningMS, dead.SilentMS})

	report := must[*query.ToolReport](t)(r.Tools(t.Context(), query.ToolQuery{Tenant: querytest.Tenant, GroupBy: []string{"tool"}, Slowest: 3}))
	equal(t, "calls", []uint64{5, 3, 2, 2}, []uint64{report.Totals.Calls, report.Totals.Open, report.Totals.Running, report.Totals.Timed})
	equal(t, "the longest", ptr(779e3), report.Totals.MaxMS)
	equal(t, "the median", ptr(151e3), report.Totals.P50MS)
	var slowest []string
	for _, c := range report.Slowest {
		slowest = append(slowest, c.SessionID+" "+c.Status)
	}
	equal(t, "the slowest", []string{"hung open", "long ok", "fresh open"}, slowest)
	equal(t, "the first of them", []*float64{nil, ptr(779e3)}, []*float64{report.Slowest[0].DurationMS, report.Slowest[0].RunningMS})
}
