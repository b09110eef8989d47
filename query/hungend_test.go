package query_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tapedeck/deploy/local/localtest"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// cutOff is what a session leaves behind whose recorded command was killed some seconds
// after its last frame, in the middle of a tool call that began a second after the start.
func cutOff(session string, stream int, from, killed float64) querytest.Recording {
	call := tool("t", "psql", schema.StatusUnclosed, from+1, 0)
	call.Parent, call.SeenSeq = "r", 1
	return querytest.Recording{
		Session: session, Stream: stream, State: schema.StreamState{Ended: at(from + killed), EndReason: "error: exit status 137"},
		Spans: []schema.Span{run("r", schema.StatusUnclosed, from, 0), call},
	}
}

// A run that hung and was then ended lasted until then: on its page, in the list, in
// orders and filters by duration; and what was cut off was open until then.
func TestDurationOfHungSessions(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	several := cutOff("several", 3, 1000, 500) // its other stream went on for a second after its first frame
	db.Add(
		cutOff("hung", 1, 0, 780), ended("long", 2, 2000, 600), several,
		querytest.Recording{Session: "several", Stream: 4, State: schema.StreamState{FirstAt: at(1001), LastAt: at(1002), Ended: at(1003), EndReason: "eof"}},
		ended("short", 5, 4000, 1),
	)
	r := reader(db, 1e6)
	d := must[*query.SessionDetail](t)(r.Session(t.Context(), querytest.Tenant, "hung"))
	equal(t, "head", []any{query.Incomplete, ptr(when(780)), when(1), 780e3}, []any{d.Status, d.Ended, d.LastAt, d.DurationMS})
	equal(t, "end", &query.SessionEnd{
		At: when(780), OffsetMS: 780e3, Reason: query.EndExit, Detail: "the recorded command exited with 137",
		Span: &query.SpanRef{ID: "t", Kind: "tool", Name: "psql"},
	}, d.End)
	line := must[*query.Timeline](t)(r.Timeline(t.Context(), querytest.Tenant, "hung"))
	equal(t, "timeline", []any{ptr(when(780)), 780e3}, []any{line.Ended, line.DurationMS})
	equal(t, "spans", lines("r unclosed at 0, open for 780000", "  t unclosed at 1000, open for 779000", ""), outline(line.Spans, ""))

	for _, tc := range []struct {
		filter query.SessionFilter
		sort   query.SessionSort
		want   string
	}{
		{query.SessionFilter{}, "-duration", "hung 780000, long 600000, several 500000, short 1000"},
		{query.SessionFilter{}, "duration", "short 1000, several 500000, long 600000, hung 780000"},
		{query.SessionFilter{Agents: []string{"main"}}, "-duration", "hung 780000, long 600000, several 500000, short 1000"},
		{query.SessionFilter{MinDuration: 500 * time.Second}, "started", "hung 780000, several 500000, long 600000"},
		{query.SessionFilter{MaxDuration: 500 * time.Second}, "started", "several 500000, short 1000"},
		{query.SessionFilter{}, "-last_at", "short 1000, long 600000, several 500000, hung 780000"},
	} {
		var got []string
		q := query.SessionQuery{Tenant: querytest.Tenant, SessionFilter: tc.filter, Sort: tc.sort, Limit: 3}
		for {
			page := must[*query.Page[query.Session]](t)(r.Sessions(t.Context(), q))
			for _, s := range page.Items {
				got = append(got, fmt.Sprintf("%s %g", s.ID, s.DurationMS))
			}
			if page.Next == nil {
				break
			}
			q.Cursor = *page.Next
		}
		equal(t, fmt.Sprintf("%s %+v", tc.sort, tc.filter), tc.want, strings.Join(got, ", "))
	}
}

// What was cut off was open until its own stream or run ended, although its session went on.
func TestCutOffInASessionThatGoesOn(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	loose := tool("loose", "ls", schema.StatusUnclosed, 1, 0)
	loose.Parent = "done"
	again := run("again", schema.StatusUnclosed, 1, 0) // the second stream took it up
	db.Add(
		querytest.Recording{
			Session: "s", Stream: 1, State: schema.StreamState{Ended: at(60), EndReason: "error: the connection was cut: EOF", Version: 100},
			Spans: []schema.Span{run("r", schema.StatusUnclosed, 0, 0), run("done", schema.StatusOK, 0.5, 5), loose, again},
		},
		querytest.Recording{Session: "s", Stream: 2, State: schema.StreamState{FirstAt: at(65), LastAt: at(70), Ended: at(90)}, Spans: []schema.Span{
			span(schema.SpanRun, "again", "", "", schema.StatusUnclosed, 65, 0),
		}},
		querytest.Recording{Session: "s", Stream: 3, Live: true, State: schema.StreamState{FirstAt: at(95), LastAt: at(99)}},
	)
	want := lines(
		"r unclosed at 0, open for 60000",
		"done ok at 500 for 4500", "  loose unclosed at 1000, open for 4000",
		"again unclosed at 1000, open for 89000", "")
	for _, now := range []float64{100, 1e6} {
		line := must[*query.Timeline](t)(reader(db, now).Timeline(t.Context(), querytest.Tenant, "s"))
		equal(t, fmt.Sprintf("after %g s, %s", now, line.Status), want, outline(line.Spans, ""))
	}
}

// The list finds the cause of an end where a session has many runs and calls.
func TestEndsInTheList(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	calls := func(session string, stream int, more ...schema.Span) querytest.Recording {
		r := querytest.Recording{Session: session, Stream: stream, Spans: more, State: schema.StreamState{Ended: at(100), EndReason: "closed"}}
		for i := range r.Spans {
			r.Spans[i].SeenSeq = uint64(i + 1)
		}
		return r
	}
	first, second := run("r1", schema.StatusError, 0, 10), run("r2", schema.StatusError, 20, 30)
	first.Error, second.Error = "first", strings.Repeat("é", 300)
	db.Add(
		calls("failed twice", 1, first, second, tool("a", "a", schema.StatusError, 1, 9), tool("b", "b", schema.StatusError, 21, 29),
			tool("c", "c", schema.StatusOK, 22, 28), tool("d", "d", schema.StatusError, 40, 41)),
		calls("failed and cancelled", 2, run("c", schema.StatusCancelled, 0, 5), run("f", schema.StatusError, 6, 8)),
		calls("cancelled", 3, run("c1", schema.StatusCancelled, 0, 5), run("c2", schema.StatusCancelled, 6, 8)),
		calls("open", 4, run("r", schema.StatusUnclosed, 0, 0), span(schema.SpanNode, "n", "r", "n", schema.StatusUnclosed, 1, 0),
			tool("t1", "t1", schema.StatusWaiting, 2, 0), tool("t2", "t2", schema.StatusUnclosed, 3, 0),
			span(schema.SpanLLM, "m", "n", "m", schema.StatusUnclosed, 4, 0), tool("cut", "cut", schema.StatusUnclosed, 5, 6),
			tool("late", "late", schema.StatusOK, 7, 60)),
		calls("fine", 5, run("r", schema.StatusOK, 0, 5)),
		querytest.Recording{Session: "plain", Stream: 6, State: schema.StreamState{Ended: at(3), EndReason: "error: exit status 2"}},
	)
	r := reader(db, 1e6)
	page := must[*query.Page[query.Session]](t)(r.Sessions(t.Context(), query.SessionQuery{Tenant: querytest.Tenant, Limit: 10}))
	got := map[string]string{}
	for _, s := range page.Items {
		alone := must[*query.SessionDetail](t)(r.Session(t.Context(), querytest.Tenant, s.ID))
		equal(t, s.ID, alone.SessionHead, s.SessionHead)
		in := ""
		if s.End.Span != nil {
			in = " in " + s.End.Span.ID
		}
		got[s.ID] = fmt.Sprintf("%s at %g%s", s.End.Reason, s.End.OffsetMS, in)
	}
	equal(t, "ends", map[string]string{
		"failed twice": "error at 30000 in b", "failed and cancelled": "error at 8000 in f", "cancelled": "cancelled at 8000 in c2",
		"open": "closed at 100000 in t2", "fine": "closed at 100000", "plain": "exit at 3000",
	}, got)
}
