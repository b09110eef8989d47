package toolreport_test

import (
	"fmt"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/query/querytest"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/session/timeline"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// under returns a call inside of another span.
func under(parent string, call schema.Span) schema.Span {
	call.Parent = parent
	return call
}

func ended(at float64) schema.StreamState {
	return schema.StreamState{Ended: querytest.AtSecond(at), EndReason: "closed"}
}

// slowTable writes the slowest calls as lines of "<session>/<span> <status> took|runs|open <ms>".
func slowTable(calls []toolreport.SlowCall) string {
	var lines []string
	for i := range calls {
		c := &calls[i]
		for name, ms := range map[string]*float64{"took": c.DurationMS, "runs": c.RunningMS, "open": c.OpenMS} {
			if ms != nil {
				lines = append(lines, fmt.Sprintf("%s/%s %s %s %g", c.SessionID, c.SpanID, c.Status, name, *ms))
			}
		}
	}
	return strings.Join(lines, "\n")
}

func TestUnclosedCallsAmongTheSlowest(t *testing.T) {
	fulltest.Long(t)
	testUnclosed(t, querytest.Open(t), leave)
}

func TestUnclosedCallsAmongTheSlowestSettled(t *testing.T) {
	fulltest.Long(t)
	testUnclosed(t, querytest.New(t), settle)
}

func testUnclosed(t *testing.T, db *querytest.DB, then func(*testing.T, *querytest.DB)) {
	node := func(id, parent string) schema.Span {
		return querytest.Span(schema.SpanNode, id, parent, id, schema.StatusUnclosed, 0, 0)
	}
	db.Add(
		// The command was killed 780 s after the start; its call began at 1 s.
		querytest.Recording{Session: "killed", Stream: 1, State: ended(780), Spans: []schema.Span{
			querytest.Run("r", schema.StatusUnclosed, 0, 0), under("r", querytest.Tool("psql", "psql", schema.StatusUnclosed, 1, 0)),
			querytest.Tool("done", "ls", schema.StatusOK, 2, 4),
		}},
		// The run ended at 5 s, its stream at 60 s. The node around one call did not end.
		querytest.Recording{Session: "nested", Stream: 2, State: ended(60), Spans: []schema.Span{
			querytest.Run("r", schema.StatusOK, 0, 5), node("n", "r"),
			under("r", querytest.Tool("direct", "a", schema.StatusUnclosed, 1, 0)),
			under("n", querytest.Tool("deep", "b", schema.StatusUnclosed, 2, 0)),
			querytest.Tool("loose", "c", schema.StatusUnclosed, 3, 0),
			under("r", querytest.Tool("cut", "d", schema.StatusUnclosed, 4, 4.5)), // its source cut it off
			// It began after the run ended, so that the run says nothing about it.
			under("r", querytest.Tool("after", "e", schema.StatusUnclosed, 50, 0)),
		}},
		// Its first stream ended at 10 s; the second one brought the result of a call at 20 s.
		querytest.Recording{Session: "several", Stream: 3, State: ended(10), Spans: []schema.Span{
			querytest.Tool("answered", "a", schema.StatusUnclosed, 1, 0), querytest.Tool("lost", "b", schema.StatusUnclosed, 2, 0),
			querytest.Tool("asked", "c", schema.StatusWaiting, 3, 0), querytest.Tool("again", "d", schema.StatusUnclosed, 4, 0),
		}},
		querytest.Recording{Session: "several", Stream: 4, State: schema.StreamState{
			FirstAt: querytest.AtSecond(15), LastAt: querytest.AtSecond(25), Ended: querytest.AtSecond(30),
		}, Spans: []schema.Span{
			{Fact: schema.Fact{ID: "answered"}, Kind: schema.SpanTool, Status: schema.StatusOK, Ended: querytest.AtSecond(20)},
			querytest.Tool("again", "d", schema.StatusUnclosed, 16, 0),
		}},
		// It runs: one call is open, another one was left open by a run that ended.
		querytest.Recording{Session: "runs", Stream: 5, Live: true, State: schema.StreamState{FirstAt: querytest.AtSecond(900), LastAt: querytest.AtSecond(999)}, Spans: []schema.Span{
			querytest.Run("r", schema.StatusOK, 900, 907), under("r", querytest.Tool("left", "a", schema.StatusUnclosed, 901, 0)),
			querytest.Tool("busy", "b", schema.StatusOpen, 910, 0),
		}},
		querytest.Recording{Session: "other", Stream: 6, Tenant: "other", State: ended(5000), Spans: []schema.Span{
			querytest.Tool("psql", "psql", schema.StatusUnclosed, 1, 0)}},
	)
	then(t, db)
	r := querytest.Reader(db, 1000)
	all := []string{
		"killed/psql unclosed open 779000", // 780 − 1
		"runs/busy open runs 90000",        // 1000 − 910
		"nested/loose unclosed open 57000", // 60 − 3
		"several/asked waiting open 27000", // until its session ended: 30 − 3
		"several/again unclosed open 26000",
		"several/answered ok took 19000",
		"nested/after unclosed open 10000",
		"several/lost unclosed open 8000", // 10 − 2
		"runs/left unclosed open 6000",    // 907 − 901
		"nested/direct unclosed open 4000",
		"nested/deep unclosed open 3000",
		"killed/done ok took 2000",
		"nested/cut unclosed open 500",
	}
	for _, tc := range []struct {
		name string
		q    toolreport.Query
		want []string
	}{
		{"all", toolreport.Query{Slowest: 100}, all},
		{"those that lasted longest", toolreport.Query{Slowest: 9}, all[:9]},
		{"one", toolreport.Query{Slowest: 1}, all[:1]},
		{"of one session", toolreport.Query{Slowest: 2, Sessions: &sessionfilter.Filter{Tools: []string{"e"}}},
			[]string{all[2], all[6]}},
		{"half open, by when it was first spoken of", toolreport.Query{From: querytest.When(3), To: querytest.When(50), Slowest: 10},
			[]string{all[2], all[3], all[4], all[12]}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.q.Tenant = db.Tenant
			report := querytest.Must[*toolreport.Report](t)(toolreport.Read(t.Context(), r, tc.q))
			querytest.Equal(t, "slowest", strings.Join(tc.want, "\n"), slowTable(report.Slowest))
		})
	}

	t.Run("as on the timeline", func(t *testing.T) {
		report := querytest.Must[*toolreport.Report](t)(toolreport.Read(t.Context(), r, toolreport.Query{Tenant: db.Tenant, Slowest: 100}))
		for i := range report.Slowest {
			call := &report.Slowest[i]
			line := querytest.Must[*timeline.Timeline](t)(timeline.Read(t.Context(), r, db.Tenant, call.SessionID))
			span := find(line.Spans, call.SpanID)
			querytest.Equal(t, call.SpanID+" status", span.Status, call.Status)
			if call.OpenMS != nil {
				querytest.Equal(t, call.SpanID, span.OpenMS, call.OpenMS)
			}
		}
	})
}

func find(spans []*timeline.Span, id string) *timeline.Span {
	for _, s := range spans {
		if s.ID == id {
			return s
		}
		if found := find(s.Children, id); found != nil {
			return found
		}
	}
	return nil
}

// The runs around many calls ended long before their streams. The calls that lasted longest are found
// although ClickHouse's bound puts the others before them.
func TestUnclosedCallsBeyondTheFirstBatch(t *testing.T) {
	db := querytest.Open(t)
	spans := []schema.Span{querytest.Run("r", schema.StatusOK, 0, 500)}
	for i := range 400 { // they lasted from i to 500 s
		call := under("r", querytest.Tool(fmt.Sprintf("short%03d", i), "a", schema.StatusUnclosed, 499+float64(i)/1000, 0))
		call.SeenSeq = uint64(i + 2)
		spans = append(spans, call)
	}
	db.Add(
		querytest.Recording{Session: "many", Stream: 1, State: ended(9000), Spans: spans},
		querytest.Recording{Session: "few", Stream: 2, State: ended(400), Spans: []schema.Span{
			querytest.Tool("x", "a", schema.StatusUnclosed, 100, 0), querytest.Tool("y", "a", schema.StatusUnclosed, 200, 0)}},
	)
	report := querytest.Must[*toolreport.Report](t)(toolreport.Read(t.Context(), querytest.Reader(db, 1e6), toolreport.Query{Tenant: db.Tenant, Slowest: 3}))
	querytest.Equal(t, "slowest", querytest.Lines(
		"few/x unclosed open 300000", "few/y unclosed open 200000", "many/short000 unclosed open 1000"), slowTable(report.Slowest))
}
