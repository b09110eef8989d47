package query_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/session/timeline"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// cutOff is what a session leaves behind whose recorded command was killed some seconds
// after its last frame, in the middle of a tool call that began a second after the start.
func cutOff(session string, stream int, from, killed float64) querytest.Recording {
	call := querytest.Tool("t", "psql", schema.StatusUnclosed, from+1, 0)
	call.Parent, call.SeenSeq = "r", 1
	return querytest.Recording{
		Session: session, Stream: stream, State: schema.StreamState{Ended: querytest.AtSecond(from + killed), EndReason: "error: exit status 137"},
		Spans: []schema.Span{querytest.Run("r", schema.StatusUnclosed, from, 0), call},
	}
}

// A run that hung and was then ended lasted until then: on its page, in the list, in
// orders and filters by duration; and what was cut off was open until then.
func TestDurationOfHungSessions(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	several := cutOff("several", 3, 1000, 500) // its other stream went on for a second after its first frame
	db.Add(
		cutOff("hung", 1, 0, 780), ended("long", 2, 2000, 600), several,
		querytest.Recording{Session: "several", Stream: 4, State: schema.StreamState{FirstAt: querytest.AtSecond(1001), LastAt: querytest.AtSecond(1002), Ended: querytest.AtSecond(1003), EndReason: "eof"}},
		ended("short", 5, 4000, 1),
	)
	r := querytest.Reader(db, 1e6)
	d := querytest.Must[*sessiondetail.Detail](t)(sessiondetail.Read(t.Context(), r, db.Tenant, "hung"))
	querytest.Equal(t, "head", []any{sessionhead.Incomplete, querytest.Ptr(querytest.When(780)), querytest.When(1), 780e3}, []any{d.Status, d.Ended, d.LastAt, d.DurationMS})
	querytest.Equal(t, "end", &sessionhead.End{
		At: querytest.When(780), OffsetMS: 780e3, Reason: sessionhead.EndExit, Detail: "the recorded command exited with 137",
		Span: &sessionhead.SpanRef{ID: "t", Kind: "tool", Name: "psql"},
	}, d.End)
	line := querytest.Must[*timeline.Timeline](t)(timeline.Read(t.Context(), r, db.Tenant, "hung"))
	querytest.Equal(t, "timeline", []any{querytest.Ptr(querytest.When(780)), 780e3}, []any{line.Ended, line.DurationMS})
	querytest.Equal(t, "spans", querytest.Lines("r unclosed at 0, open for 780000", "  t unclosed at 1000, open for 779000", ""), spanOutline(line.Spans, ""))

	for _, tc := range []struct {
		filter sessionfilter.Filter
		sort   sessionfilter.Sort
		want   string
	}{
		{sessionfilter.Filter{}, "-duration", "hung 780000, long 600000, several 500000, short 1000"},
		{sessionfilter.Filter{}, "duration", "short 1000, several 500000, long 600000, hung 780000"},
		{sessionfilter.Filter{Agents: []string{"main"}}, "-duration", "hung 780000, long 600000, several 500000, short 1000"},
		{sessionfilter.Filter{MinDuration: 500 * time.Second}, "started", "hung 780000, several 500000, long 600000"},
		{sessionfilter.Filter{MaxDuration: 500 * time.Second}, "started", "several 500000, short 1000"},
		{sessionfilter.Filter{}, "-last_at", "short 1000, long 600000, several 500000, hung 780000"},
	} {
		var got []string
		q := sessionlist.Query{Tenant: db.Tenant, Filter: tc.filter, Sort: tc.sort, Limit: 3}
		for {
			page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, q))
			for _, s := range page.Items {
				got = append(got, fmt.Sprintf("%s %g", s.ID, s.DurationMS))
			}
			if page.Next == nil {
				break
			}
			q.Cursor = *page.Next
		}
		querytest.Equal(t, fmt.Sprintf("%s %+v", tc.sort, tc.filter), tc.want, strings.Join(got, ", "))
	}
}

// What was cut off was open until its own stream or run ended, although its session went on.
func TestCutOffInASessionThatGoesOn(t *testing.T) {
	db := querytest.Open(t)
	loose := querytest.Tool("loose", "ls", schema.StatusUnclosed, 1, 0)
	loose.Parent = "done"
	again := querytest.Run("again", schema.StatusUnclosed, 1, 0) // the second stream took it up
	db.Add(
		querytest.Recording{
			Session: "s", Stream: 1, State: schema.StreamState{Ended: querytest.AtSecond(60), EndReason: "error: the connection was cut: EOF", Version: 100},
			Spans: []schema.Span{querytest.Run("r", schema.StatusUnclosed, 0, 0), querytest.Run("done", schema.StatusOK, 0.5, 5), loose, again},
		},
		querytest.Recording{Session: "s", Stream: 2, State: schema.StreamState{FirstAt: querytest.AtSecond(65), LastAt: querytest.AtSecond(70), Ended: querytest.AtSecond(90)}, Spans: []schema.Span{
			querytest.Span(schema.SpanRun, "again", "", "", schema.StatusUnclosed, 65, 0),
		}},
		querytest.Recording{Session: "s", Stream: 3, Live: true, State: schema.StreamState{FirstAt: querytest.AtSecond(95), LastAt: querytest.AtSecond(99)}},
	)
	want := querytest.Lines(
		"r unclosed at 0, open for 60000",
		"done ok at 500 for 4500", "  loose unclosed at 1000, open for 4000",
		"again unclosed at 1000, open for 89000", "")
	for _, now := range []float64{100, 1e6} {
		line := querytest.Must[*timeline.Timeline](t)(timeline.Read(t.Context(), querytest.Reader(db, now), db.Tenant, "s"))
		querytest.Equal(t, fmt.Sprintf("after %g s, %s", now, line.Status), want, spanOutline(line.Spans, ""))
	}
}

// The list finds the cause of an end where a session has many runs and calls.
func TestEndsInTheList(t *testing.T) {
	db := querytest.Open(t)
	calls := func(session string, stream int, more ...schema.Span) querytest.Recording {
		r := querytest.Recording{Session: session, Stream: stream, Spans: more, State: schema.StreamState{Ended: querytest.AtSecond(100), EndReason: "closed"}}
		for i := range r.Spans {
			r.Spans[i].SeenSeq = uint64(i + 1)
		}
		return r
	}
	first, second := querytest.Run("r1", schema.StatusError, 0, 10), querytest.Run("r2", schema.StatusError, 20, 30)
	first.Error, second.Error = "first", strings.Repeat("é", 300)
	db.Add(
		calls("failed twice", 1, first, second, querytest.Tool("a", "a", schema.StatusError, 1, 9), querytest.Tool("b", "b", schema.StatusError, 21, 29),
			querytest.Tool("c", "c", schema.StatusOK, 22, 28), querytest.Tool("d", "d", schema.StatusError, 40, 41)),
		calls("failed and cancelled", 2, querytest.Run("c", schema.StatusCancelled, 0, 5), querytest.Run("f", schema.StatusError, 6, 8)),
		calls("cancelled", 3, querytest.Run("c1", schema.StatusCancelled, 0, 5), querytest.Run("c2", schema.StatusCancelled, 6, 8)),
		calls("open", 4, querytest.Run("r", schema.StatusUnclosed, 0, 0), querytest.Span(schema.SpanNode, "n", "r", "n", schema.StatusUnclosed, 1, 0),
			querytest.Tool("t1", "t1", schema.StatusWaiting, 2, 0), querytest.Tool("t2", "t2", schema.StatusUnclosed, 3, 0),
			querytest.Span(schema.SpanLLM, "m", "n", "m", schema.StatusUnclosed, 4, 0), querytest.Tool("cut", "cut", schema.StatusUnclosed, 5, 6),
			querytest.Tool("late", "late", schema.StatusOK, 7, 60)),
		calls("fine", 5, querytest.Run("r", schema.StatusOK, 0, 5)),
		querytest.Recording{Session: "plain", Stream: 6, State: schema.StreamState{Ended: querytest.AtSecond(3), EndReason: "error: exit status 2"}},
	)
	r := querytest.Reader(db, 1e6)
	page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, sessionlist.Query{Tenant: db.Tenant, Limit: 10}))
	got := map[string]string{}
	for _, s := range page.Items {
		alone := querytest.Must[*sessiondetail.Detail](t)(sessiondetail.Read(t.Context(), r, db.Tenant, s.ID))
		querytest.Equal(t, s.ID, alone.Head, s.Head)
		in := ""
		if s.End.Span != nil {
			in = " in " + s.End.Span.ID
		}
		got[s.ID] = fmt.Sprintf("%s at %g%s", s.End.Reason, s.End.OffsetMS, in)
	}
	querytest.Equal(t, "ends", map[string]string{
		"failed twice": "error at 30000 in b", "failed and cancelled": "error at 8000 in f", "cancelled": "cancelled at 8000 in c2",
		"open": "closed at 100000 in t2", "fine": "closed at 100000", "plain": "exit at 3000",
	}, got)
}

// spanOutline writes the spans of a timeline one a line, what they hold indented:
// "<id> <status> at <start_ms> for <duration_ms>".
func spanOutline(spans []*timeline.Span, indent string) string {
	var b strings.Builder
	for _, s := range spans {
		fmt.Fprintf(&b, "%s%s %s at %g", indent, s.ID, s.Status, s.StartMS)
		if s.DurationMS != nil {
			fmt.Fprintf(&b, " for %g", *s.DurationMS)
		}
		if s.Open {
			fmt.Fprintf(&b, ", open for %g", *s.OpenMS)
		}
		if s.FirstTokenMS != nil {
			fmt.Fprintf(&b, ", first token after %g", *s.FirstTokenMS)
		}
		if s.ReportedMS != nil {
			fmt.Fprintf(&b, ", reported %g", *s.ReportedMS)
		}
		if s.Tokens != nil {
			fmt.Fprintf(&b, ", %d tokens in %d records", s.Tokens.Total, len(s.Usage))
		}
		b.WriteByte('\n')
		b.WriteString(spanOutline(s.Children, indent+"  "))
	}
	return b.String()
}
