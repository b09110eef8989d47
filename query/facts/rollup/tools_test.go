package rollup_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/sessionfilter"
	"tapedeck/query/tabular"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/retention"
	"tapedeck/schema/lifecycle/tombstone"
	"tapedeck/schema/tables"
)

// toolReports are the questions on calls of tools whose answers are compared: with all groupings and
// filters, and the slowest calls, of all and of ranges that cut sessions. Tests of other subjects ask
// the first, without the slowest calls.
func toolReports() []toolreport.Query {
	kathmandu, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		panic(err)
	}
	return []toolreport.Query{
		{GroupBy: []string{"session", "tool", "agent"}, Granularity: "day", Zone: kathmandu, Slowest: 1000},
		{GroupBy: []string{"tool"}, Granularity: "hour", From: querytest.When(30), To: querytest.When(day + 60), Slowest: 7},
		{GroupBy: []string{"agent"}, Granularity: "month", Sessions: &sessionfilter.Filter{Tools: []string{"bash", ""}}, Slowest: 9},
		{Granularity: "week", Sessions: &sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Failed, sessionhead.Running, sessionhead.Quiet}}, Slowest: 3},
		{GroupBy: []string{"session"}, Sessions: &sessionfilter.Filter{Unknown: []sessionfilter.Unknown{"tool_agent"}}},
		// Ranges of part of a day, of days and of months, with one end or with both.
		{GroupBy: []string{"session", "tool"}, From: querytest.When(100), To: querytest.When(900), Slowest: 11},
		{GroupBy: []string{"session"}, To: querytest.When(3 * day), Slowest: 1},
		{GroupBy: []string{"session"}, From: querytest.When(2 * day), To: querytest.When(31 * day), Slowest: 30},
	}
}

// toolAnswer is a report on tools, and the same as CSV.
type toolAnswer struct {
	*toolreport.Report
	CSV string
}

// toolAnswers reads reports on tools: the first, and in tests of tools two of the others in turn, by
// the number of times that remember was called.
func (w *world) toolAnswers(r *query.Reader) []toolAnswer {
	w.Helper()
	all := toolReports()
	asked := all[:1:1]
	if w.ofTools {
		others := all[1:]
		asked = append(asked, others[2*w.turn%len(others)], others[(2*w.turn+1)%len(others)])
	} else {
		asked[0].Slowest = 0
	}
	return atOnce(w, asked, func(q toolreport.Query) (toolAnswer, error) {
		q.Tenant = querytest.Tenant
		report, err := toolreport.Read(w.Context(), r, q)
		if err != nil {
			return toolAnswer{}, err
		}
		var b bytes.Buffer
		err = report.WriteCSV(&b, tabular.RawCells)
		return toolAnswer{report, b.String()}, err
	})
}

// askOfTools makes the comparisons of a world be about tools, at a time at which sessions of the recorder
// "alive" run.
func (w *world) askOfTools(seconds float64) {
	w.ofTools = true
	alive := query.WithRecorders(querytest.Alive{Ids: []string{"alive"}, Within: time.Minute})
	w.fast, w.slow = querytest.Reader(w.db, seconds, alive), querytest.Reader(w.db, seconds, alive, query.WithoutSettled())
}

// toolRecording returns what a stream recorded of a session from a second on: runs with calls of tools, of
// which some are below nodes. Ids repeat, so that several streams report one call.
func (d callDice) toolRecording(session string, stream int, at float64) querytest.Recording {
	r := querytest.Recording{Session: session, Stream: stream, State: tagged(pick(d, "c1", "c2")), Live: d.IntN(3) == 0}
	r.State.Recorder = pick(d, "alive", "gone")
	kind := d.IntN(3) // of the session: with usage, with calls of models, or with tools alone
	for n := range 1 + d.IntN(3) {
		runID, node := fmt.Sprint("run", n), fmt.Sprint("node", n)
		status := pick(d, schema.StatusOK, schema.StatusError, schema.StatusUnclosed, schema.StatusOpen)
		run := querytest.Run(runID, status, at, at+pick(d, 50.0, 500))
		if !status.Ended() {
			run.Ended = 0
		}
		r.Spans = append(r.Spans, run, querytest.Span(schema.SpanNode, node, runID, node, schema.StatusUnclosed, at, 0))
		for c := range 1 + d.IntN(5) {
			// Some calls last for days.
			begin, took := at+float64(c*40), float64(d.IntN(30))+pick(d, 0, 0.25, 0.5, 3*day)
			s := querytest.Tool(fmt.Sprint("tool", n, c), pick(d, "bash", "read", "search", ""), pick(d, schema.StatusOK, schema.StatusOK, schema.StatusError,
				schema.StatusCancelled, schema.StatusRejected, schema.StatusUnclosed, schema.StatusUnclosed, schema.StatusOpen, schema.StatusWaiting), begin, begin+took)
			s.Parent, s.Run, s.Node, s.Agent = pick(d, runID, node, ""), runID, node, pick(d, "main", "helper", "")
			if !s.Status.Ended() || s.Status == schema.StatusUnclosed && d.IntN(2) == 0 {
				s.Ended = 0
			}
			if d.IntN(4) == 0 {
				s.Duration = int64(d.IntN(5000)) * 1e6
			}
			if d.IntN(5) == 0 {
				s.SeenAt, s.Started = s.Started, 0
			}
			r.Spans = append(r.Spans, s)
		}
		if kind < 2 {
			r.Spans = append(r.Spans, querytest.Span(schema.SpanLLM, fmt.Sprint("call", n), runID, "gpt", schema.StatusOK, at, at+1))
		}
		if kind < 1 {
			r.Usages = append(r.Usages, querytest.Used(fmt.Sprint("usage", n), "gpt-5", at+1, schema.Tokens{Input: uint64(d.IntN(50))}))
		}
		at += pick(d, 60, 600, 2.0*day)
	}
	if !r.Live && d.IntN(2) == 0 {
		r.State.Ended = querytest.AtSecond(at + 900)
	}
	return r
}

// Reports on tools are the same with and without what is settled, after each change of what counts, and
// once that is settled too: of calls that several streams report, that run, that have no end, that last
// for days, that cross the ends of a range or of a month, and of sessions without usage.
// The other tests of settled rows compare one report on tools after each of their changes.
func TestSettledToolsEqualUnsettled(t *testing.T) {
	fulltest.Long(t)
	d := callDice{rand.New(rand.NewPCG(1, 0))}
	w := newWorld(t)
	w.askOfTools(100 * day)
	stream := 0
	add := func(session string, at float64) {
		stream++
		w.db.Add(d.toolRecording(session, stream, at))
	}
	for i := range 24 {
		session := fmt.Sprint("s", i)
		at := pick(d, -20.0*day, 0, 200, 800, 2*day, 19*day, 28.9*day, 29*day, 40*day) + float64(d.IntN(5000))
		add(session, at)
		for range d.IntN(3) { // recorded by another stream, or resumed
			add(session, at+pick(d, 0, 0, 3, 86400, 31.0*day))
		}
	}
	other := d.toolRecording("s1", 900, 100)
	other.Tenant = "other"
	w.db.Add(other)
	w.remember()
	w.settle()
	w.equalUnsettled("settled", nil)
	w.still("settled")
	counted := w.wantTools[0]
	of := map[string]int{}
	for _, c := range counted.Slowest {
		of[c.Status]++
		if c.OpenMS != nil {
			of["without an end"]++
		}
	}
	if counted.Totals.Calls < 50 || counted.Totals.Running == 0 || counted.Totals.Open == counted.Totals.Running || of["unclosed"] == 0 || of["waiting"] == 0 || of["without an end"] < 10 {
		t.Errorf("the recordings have too little: %+v, %v", counted.Totals, of)
	}
	w.event("more calls, before and after", []string{"s1", "s2", "s3", "late", "early"}, func() {
		add("s1", 50)
		add("s2", -45*day)
		add("s3", 50*day)
		add("late", 300)
		add("early", -60*day)
	})
	w.event("recorded again", []string{"s1"}, func() {
		stream++
		again := d.toolRecording("s1", stream, 50)
		w.db.Add(again)
		again.Stream, stream = stream+1, stream+1
		w.db.Add(again)
	})
	w.db.Merge()
	keys, expired := tombstone.NewStore(w.db.Conn), retention.NewStore(w.db.Conn)
	key := tombstone.Key{Tenant: querytest.Tenant, Session: "s4"}
	var marks []retention.Expiration
	w.event("decoded anew; deleted and expired, not yet removed", []string{"s4", "s5", "s7"}, func() {
		anew := d.toolRecording("s5", 500, 100)
		w.db.AddGeneration(7, anew)
		w.db.Commit(7, anew, 0)
		if _, err := keys.Put(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		marks = querytest.Must[[]retention.Expiration](t)(expired.Mark(t.Context(), &retention.Policy{Tenant: querytest.Tenant, Kind: tables.Facts},
			[]retention.Due{{Session: "s7", Until: querytest.StreamID(1000)}}, time.Now()))
	})
	w.event("removed", []string{"s4", "s7"}, func() {
		if found, err := tombstone.NewDeleter(keys, nil, nil).Resume(t.Context(), key); err != nil || !found {
			t.Fatal(found, err)
		}
		if err := expired.Remove(t.Context(), marks); err != nil {
			t.Fatal(err)
		}
	})
	w.event("imported again", []string{"s4"}, func() {
		stream++
		w.db.Restore("s4", stream)
		w.db.Add(d.toolRecording("s4", stream, 60))
	})
	w.event("other tags", []string{"s8"}, func() {
		state := tagged("c7")
		state.Version, state.FirstAt, state.LastAt = 100, querytest.AtSecond(0), querytest.AtSecond(1)
		w.db.Add(querytest.Recording{Session: "s8", Stream: 800, State: state})
	})
	defer rollup.Bounds(100, 0)() // no month is written anew for few sessions
	add("s9", 70)
	add("fresh", 90)
	w.same("changed again")
	w.remake()
	w.equalMade("in the recent batch", "s9", "fresh")
	w.equalUnsettled("in the recent batch", nil)
	w.still("in the recent batch")
	w.askOfTools(107 * day)
	w.same("a week later")
}

// The sessions of this test have calls of tools alone. Each way in which a call has no end is settled, and
// calls of months without usage are; calls that run grow older without a change.
func TestSettledTools(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t)
	w.askOfTools(1000)
	tool := func(id, parent string, status schema.Status, start, end float64) schema.Span {
		s := querytest.Tool(id, "bash", status, start, end)
		s.Parent = parent
		return s
	}
	live := schema.StreamState{Recorder: "alive"}
	w.db.Add(
		querytest.Recording{Session: "ends", Stream: 1, State: schema.StreamState{Ended: querytest.AtSecond(500)}, Spans: []schema.Span{
			querytest.Run("r", schema.StatusOK, 0, 80), tool("ok", "r", schema.StatusOK, 1, 4), tool("failed", "r", schema.StatusError, 5, 6),
			tool("cut", "r", schema.StatusUnclosed, 7, 9), tool("left", "r", schema.StatusUnclosed, 10, 0), tool("stream's", "", schema.StatusUnclosed, 20, 0),
			tool("asked", "r", schema.StatusWaiting, 30, 0),
		}},
		querytest.Recording{Session: "runs", Stream: 2, Live: true, State: live, Spans: []schema.Span{tool("busy", "", schema.StatusOpen, 900, 0)}},
		querytest.Recording{Session: "old", Stream: 3, Spans: []schema.Span{tool("x", "", schema.StatusOK, -40*day, -40*day+2)}},
		querytest.Recording{Session: "new", Stream: 4, Spans: []schema.Span{tool("x", "", schema.StatusOK, 40*day, 40*day+3)}},
	)
	w.same("nothing settled")
	w.settle()
	w.equalUnsettled("settled", nil)
	w.still("settled")
	var slowest []string
	for _, c := range w.wantTools[0].Slowest {
		for what, ms := range map[string]*float64{"took": c.DurationMS, "runs": c.RunningMS, "open": c.OpenMS} {
			if ms != nil {
				slowest = append(slowest, fmt.Sprint(c.SpanID, " ", what, " ", *ms))
			}
		}
	}
	querytest.Equal(t, "slowest calls", []string{"stream's open 480000", "asked open 470000", "busy runs 100000", "left open 70000", "ok took 3000", "x took 3000", "x took 2000", "cut open 2000", "failed took 1000"}, slowest)
	w.askOfTools(2000)
	w.same("later")
	w.event("a result in another stream, and a run that ended before", []string{"ends"}, func() {
		w.db.Add(querytest.Recording{Session: "ends", Stream: 5, Spans: []schema.Span{
			{Fact: schema.Fact{ID: "asked"}, Kind: schema.SpanTool, Status: schema.StatusOK, Ended: querytest.AtSecond(600)}, querytest.Run("r", schema.StatusOK, 0, 60),
		}})
	})
	w.event("a running session that ended", []string{"runs"}, func() {
		state := schema.StreamState{Recorder: "alive", Version: 9, Ended: querytest.AtSecond(950), EndReason: "eof"}
		w.db.Add(querytest.Recording{Session: "runs", Stream: 2, State: state, Spans: []schema.Span{
			{Fact: schema.Fact{ID: "busy", Version: 9}, Kind: schema.SpanTool, Status: schema.StatusUnclosed, Name: "bash", Started: querytest.AtSecond(900)},
		}})
	})
	w.event("a call of the month before", []string{"new"}, func() {
		w.db.Add(querytest.Recording{Session: "new", Stream: 6, Spans: []schema.Span{tool("y", "", schema.StatusOK, 10, 11)}})
	})
	w.db.Merge()
	keys, expired := tombstone.NewStore(w.db.Conn), retention.NewStore(w.db.Conn)
	key := tombstone.Key{Tenant: querytest.Tenant, Session: "ends"}
	var marks []retention.Expiration
	w.event("deleted and expired, not yet removed; decoded anew", []string{"ends", "old", "runs"}, func() {
		if _, err := keys.Put(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		marks = querytest.Must[[]retention.Expiration](t)(expired.Mark(t.Context(), &retention.Policy{Tenant: querytest.Tenant, Kind: tables.Facts},
			[]retention.Due{{Session: "old", Until: querytest.StreamID(100)}}, time.Now()))
		anew := querytest.Recording{Session: "runs", Stream: 2, Spans: []schema.Span{tool("busy", "", schema.StatusUnclosed, 905, 0)}}
		w.db.AddGeneration(7, anew)
		w.db.Commit(7, anew, 0)
	})
	w.event("removed", []string{"ends", "old"}, func() {
		if found, err := tombstone.NewDeleter(keys, nil, nil).Resume(t.Context(), key); err != nil || !found {
			t.Fatal(found, err)
		}
		if err := expired.Remove(t.Context(), marks); err != nil {
			t.Fatal(err)
		}
	})
	w.event("imported again", []string{"ends"}, func() {
		w.db.Restore("ends", 7)
		w.db.Add(querytest.Recording{Session: "ends", Stream: 7, Spans: []schema.Span{tool("ok", "", schema.StatusUnclosed, 1, 0)}})
	})
}

// Months that an earlier program settled, without calls of tools, are read from the tables and settled anew.
func TestToolsOfEarlierProgram(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t)
	w.askOfTools(1000)
	w.db.Add(querytest.Recording{Session: "a", Stream: 1, State: tagged("c1"), Spans: []schema.Span{querytest.Tool("t", "bash", schema.StatusOK, 1, 3)}})
	w.settle()
	has := func(want bool) {
		t.Helper()
		view, err := rollup.ReadCalls(t.Context(), w.fast, querytest.Tenant, nil, nil)
		if err != nil || view.All == want {
			t.Fatalf("%v, %+v, want calls: %t", err, view, want)
		}
	}
	has(true)
	w.db.Exec(`INSERT INTO settlements (name, id, content, pending)
		SELECT name, id + 1, replaceAll(content, '"all_calls":true', '"calls":true'), pending FROM settlements FINAL`)
	w.db.Exec("TRUNCATE TABLE settled_tools")
	has(false)
	w.same("an earlier program's")
	w.settle()
	has(true)
	w.still("settled anew")
}
