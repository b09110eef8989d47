package query_test

import (
	"strings"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/session/timeline"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// hung is what a session leaves behind of which a tool call never came back.
func hung(session string, stream int, from float64, recorder string) querytest.Recording {
	r := querytest.Recording{Session: session, Stream: stream, Live: true}
	r.State.Recorder = recorder
	tool := schema.Span{
		Fact: schema.Fact{ID: "t"}, Kind: schema.SpanTool, Parent: "r", Name: "psql", Status: schema.StatusOpen, Started: querytest.AtSecond(from + 1),
	}
	r.Spans = []schema.Span{querytest.Run("r", schema.StatusOpen, from, 0), tool}
	r.Spans[1].SeenSeq = 1
	return r
}

// ended is a session whose only tool call took some seconds.
func ended(session string, stream int, from, seconds float64) querytest.Recording {
	r := querytest.Recording{Session: session, Stream: stream}
	r.Spans = []schema.Span{querytest.Run("r", schema.StatusOK, from, from+seconds), {
		Fact: schema.Fact{ID: "t", SeenSeq: 1}, Kind: schema.SpanTool, Name: "psql", Status: schema.StatusOK,
		Started: querytest.AtSecond(from), Ended: querytest.AtSecond(from + seconds),
	}}
	return r
}

// What hangs is as old as it is now: in the list, on its page, among the slowest
// calls, and for filters and orders by duration; what is lost is not.
func TestAgeOfWhatIsOpen(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	now := 1000.0
	r := querytest.Reader(db, now, query.WithRecorders(querytest.Alive{Ids: []string{"alive"}, Within: 35 * time.Second}))
	db.Add(
		hung("hung", 1, 220, "alive"), hung("dead", 2, 100, "gone"), hung("fresh", 3, 990, "alive"),
		ended("long", 4, 0, 300), ended("short", 5, 400, 2),
	)
	list := func(f sessionfilter.Filter, sort sessionfilter.Sort) string {
		t.Helper()
		q := sessionlist.Query{Tenant: db.Tenant, Filter: f, Sort: sort, Limit: 2}
		var ids []string
		for {
			page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, q))
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
		filter sessionfilter.Filter
		sort   sessionfilter.Sort
		want   string
	}{
		{"by duration", sessionfilter.Filter{}, "-duration", "hung long fresh short dead"},
		{"the shortest first", sessionfilter.Filter{}, "duration", "dead short fresh long hung"},
		{"3 minutes or more", sessionfilter.Filter{MinDuration: 3 * time.Minute}, "", "hung long"},
		{"6 minutes or less", sessionfilter.Filter{MaxDuration: 6 * time.Minute}, "", "fresh short dead long"},
		{"silent for 10 minutes", sessionfilter.Filter{SilentFor: 10 * time.Minute}, "", "hung dead"},
		{"of those the quiet", sessionfilter.Filter{SilentFor: 10 * time.Minute, Statuses: []sessionhead.Status{sessionhead.Quiet}}, "", "hung"},
		{"silent for longer than any", sessionfilter.Filter{SilentFor: time.Hour}, "", ""},
		{"running for 10 s", sessionfilter.Filter{RunningFor: 10 * time.Second}, "", "fresh hung"},
		{"running for 11 s", sessionfilter.Filter{RunningFor: 11 * time.Second}, "", "hung"},
		{"quiet or lost", sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Quiet, sessionhead.Lost}}, "-duration", "hung dead"},
		{"running", sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Running}}, "", "fresh"},
		{"lost or fine", sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Lost, sessionhead.Fine}}, "", "short dead long"},
		{"open, by tokens", sessionfilter.Filter{RunningFor: time.Second}, "-tokens", "hung fresh"},
	} {
		if got := list(tc.filter, tc.sort); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
	page := querytest.Must[*sessiondetail.Detail](t)(sessiondetail.Read(t.Context(), r, db.Tenant, "hung"))
	querytest.Equal(t, "running", querytest.Ptr(780e3), page.RunningMS)
	querytest.Equal(t, "silent", querytest.Ptr(779e3), page.SilentMS)
	querytest.Equal(t, "duration", 1000.0, page.DurationMS)
	timeline := querytest.Must[*timeline.Timeline](t)(timeline.Read(t.Context(), r, db.Tenant, "hung"))
	tool := timeline.Spans[0].Children[0]
	querytest.Equal(t, "the tool", []*float64{nil, querytest.Ptr(779e3), querytest.Ptr(779e3), querytest.Ptr(779e3)}, []*float64{tool.DurationMS, tool.OpenMS, tool.RunningMS, tool.SilentMS})
	dead := querytest.Must[*sessiondetail.Detail](t)(sessiondetail.Read(t.Context(), r, db.Tenant, "dead"))
	querytest.Equal(t, "a lost one", []*float64{nil, querytest.Ptr(899e3)}, []*float64{dead.RunningMS, dead.SilentMS})

	report := querytest.Must[*toolreport.Report](t)(toolreport.Read(t.Context(), r, toolreport.Query{Tenant: db.Tenant, GroupBy: []string{"tool"}, Slowest: 3}))
	querytest.Equal(t, "calls", []uint64{5, 3, 2, 2}, []uint64{report.Totals.Calls, report.Totals.Open, report.Totals.Running, report.Totals.Timed})
	querytest.Equal(t, "the longest", querytest.Ptr(779e3), report.Totals.MaxMS)
	querytest.Equal(t, "the median", querytest.Ptr(151e3), report.Totals.P50MS)
	var slowest []string
	for _, c := range report.Slowest {
		slowest = append(slowest, c.SessionID+" "+c.Status)
	}
	querytest.Equal(t, "the slowest", []string{"hung open", "long ok", "fresh open"}, slowest)
	querytest.Equal(t, "the first of them", []*float64{nil, querytest.Ptr(779e3)}, []*float64{report.Slowest[0].DurationMS, report.Slowest[0].RunningMS})
}
