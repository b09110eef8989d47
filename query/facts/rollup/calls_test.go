package rollup_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/report/modelcalls"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/retention"
	"tapedeck/schema/lifecycle/tombstone"
	"tapedeck/schema/tables"
)

// callReports are the questions on calls of models whose answers are compared: with all groupings,
// filters and orders, of all and of ranges that cut sessions. Tests of other subjects ask the first.
func callReports() []modelcalls.Query {
	kathmandu, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		panic(err)
	}
	return []modelcalls.Query{
		{GroupBy: []string{"session", "model", "provider", "agent"}, Granularity: "day", Zone: kathmandu, Bins: true, Limit: 1000},
		{GroupBy: []string{"provider"}, Granularity: "hour", From: querytest.When(30), To: querytest.When(day + 60), Order: "longest_gap", Limit: 7},
		{GroupBy: []string{"model"}, Granularity: "month", Stall: time.Second, Models: []string{"gpt", "gpt-5"}, Bins: true, Limit: 9},
		{Granularity: "week", Providers: []string{"anthropic", ""}, Agents: []string{"main", ""}, Outcomes: []modelcalls.Outcome{modelcalls.Failed, modelcalls.Truncated, modelcalls.Open},
			Sessions: &sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Failed}}},
		// Ranges of part of a day, of days and of months, with one end or with both.
		{GroupBy: []string{"session", "model"}, From: querytest.When(100), To: querytest.When(900), Order: "first_token", Limit: 11, Sessions: &sessionfilter.Filter{Models: []string{"sonnet", "gpt-5"}}},
		{GroupBy: []string{"session"}, To: querytest.When(3 * day), Order: "duration", Bins: true},
		{GroupBy: []string{"session"}, From: querytest.When(2 * day), To: querytest.When(31 * day), Order: "slowest_rate", Limit: 11},
	}
}

// callAnswers reads reports on calls: the first, and in tests of calls two of the others in turn, by
// the number of times that remember was called.
func (w *world) callAnswers(r *query.Reader) []*modelcalls.Report {
	w.Helper()
	all := callReports()
	asked := all[:1:1]
	if w.ofCalls {
		others := all[1:]
		asked = append(asked, others[2*w.turn%len(others)], others[(2*w.turn+1)%len(others)])
	}
	return atOnce(w, asked, func(q modelcalls.Query) (*modelcalls.Report, error) {
		q.Tenant = querytest.Tenant
		return modelcalls.Read(w.Context(), r, q)
	})
}

// callDice makes recordings of calls of models at random.
type callDice struct{ *rand.Rand }

func pick[T any](d callDice, list ...T) T { return list[d.IntN(len(list))] }

// recording returns what a stream recorded of a session from a second on: runs with calls, their
// output, and usage of some. Ids repeat, so that several streams report one call.
func (d callDice) recording(session string, stream int, at float64) querytest.Recording {
	r := querytest.Recording{Session: session, Stream: stream, State: tagged(pick(d, "c1", "c2")), Live: d.IntN(4) == 0}
	used := d.IntN(4) > 0 // or a session without usage
	for n := range 1 + d.IntN(3) {
		runID := fmt.Sprint("run", n)
		run := querytest.Run(runID, pick(d, schema.StatusOK, schema.StatusError, schema.StatusUnclosed), at, at+500)
		run.Attributes = pick(d, "", `{"stop_reason":"max_tokens"}`, `{"stop_reason":"refusal","http_status":529}`)
		run.Error = pick(d, "", "overloaded")
		r.Spans = append(r.Spans, run)
		for c := range 1 + d.IntN(4) {
			id, model := fmt.Sprint("call", n, c), pick(d, "sonnet", "gpt", "gpt-5", "")
			// Some calls last for days.
			begin, took := at+float64(c*40), float64(d.IntN(30))+pick(d, 0.0, 0.25, 0.5, 3*day)
			s := querytest.Span(schema.SpanLLM, id, pick(d, runID, ""), model,
				pick(d, schema.StatusOK, schema.StatusOK, schema.StatusError, schema.StatusCancelled, schema.StatusUnclosed, schema.StatusOpen), begin, begin+took)
			s.Model, s.Provider, s.Run = model, map[string]string{"sonnet": "anthropic", "gpt": "openai"}[model], runID
			s.Agent, s.Error = pick(d, "main", "helper", ""), pick(d, "", "", "refused: try later")
			s.Attributes = pick(d, "", `{"stop_reason":"stop"}`, `{"stop_reasons":["Content_Filter"]}`)
			if s.Status == schema.StatusOpen {
				s.Ended = 0
			}
			if d.IntN(5) == 0 {
				s.SeenAt, s.Started = s.Started, 0
			} else if d.IntN(3) > 0 {
				s.FirstToken = s.Started + int64(d.IntN(4000))*1e6
			}
			r.Spans = append(r.Spans, s)
			r.Messages = append(r.Messages, d.output(id, runID, begin, took)...)
			for u := range d.IntN(3) {
				if !used {
					break
				}
				usage := querytest.Used(fmt.Sprint("usage", n, c, u), model, begin+took, schema.Tokens{Input: uint64(d.IntN(50)), Output: uint64(d.IntN(200)), Reasoning: uint64(d.IntN(2))})
				usage.Span = pick(d, id, id, "")
				if d.IntN(6) == 0 {
					usage.Mode, usage.Scope = schema.UsageRunning, "thread"
				}
				r.Usages = append(r.Usages, usage)
			}
		}
		at += pick(d, 60, 600, 2.0*day)
	}
	return r
}

// output returns messages of a call, in one chunk or in several.
func (d callDice) output(call, run string, begin, took float64) (list []schema.Message) {
	for m := range d.IntN(4) {
		kind := pick(d, schema.MessageAssistant, schema.MessageThinking, schema.MessageArguments, schema.MessageUser)
		n := 1 + d.IntN(6)
		said := querytest.Said(fmt.Sprint(call, "m", m), kind, run, strings.Repeat("x", n*d.IntN(8)), begin+float64(m)*took/4)
		said.Span, said.Complete = call, d.IntN(2) == 0
		if n > 1 {
			for i := range n {
				said.ChunkAt = append(said.ChunkAt, said.Started+int64(float64(i)*took/4/float64(n)*1e9)+int64(d.IntN(1000)))
				said.ChunkEnd = append(said.ChunkEnd, uint32(i))
			}
		}
		list = append(list, said)
	}
	return list
}

// Reports on calls are the same with and without what is settled, after each change of what counts,
// and once that is settled too: of calls that several streams report, that run, that last for days,
// that cross the ends of a range or of a month, and of sessions without usage.
// The other tests of settled rows compare one report on calls after each of their changes.
func TestSettledCallsEqualUnsettled(t *testing.T) {
	fulltest.Long(t)
	d := callDice{rand.New(rand.NewPCG(1, 0))}
	w := newWorld(t)
	w.ofCalls = true
	stream := 0
	add := func(session string, at float64) {
		stream++
		w.db.Add(d.recording(session, stream, at))
	}
	for i := range 24 {
		session := fmt.Sprint("s", i)
		at := pick(d, -20.0*day, 0, 200, 800, 2*day, 19*day, 28.9*day, 29*day, 40*day) + float64(d.IntN(5000))
		add(session, at)
		for range d.IntN(3) { // recorded by another stream, or resumed
			add(session, at+pick(d, 0, 0, 3, 86400, 31.0*day))
		}
	}
	other := d.recording("s1", 900, 100)
	other.Tenant = "other"
	w.db.Add(other)
	w.remember()
	w.settle()
	w.equalUnsettled("settled", nil)
	w.still("settled")
	counted := w.wantCalls[0].Totals
	if counted.Calls < 50 || counted.Streamed == 0 || counted.Retries == 0 || counted.Truncated == 0 || counted.Refused == 0 || counted.Errors == 0 || counted.Open == 0 || counted.StalledCalls == 0 {
		t.Errorf("the recordings have too little: %+v", counted)
	}
	w.event("more calls, before and after", []string{"s1", "s2", "s3", "late", "early"}, func() {
		add("s1", 50)
		add("s2", -45*day)
		add("s3", 50*day)
		add("late", 300)
		add("early", -60*day)
	})
	w.db.Merge()
	keys, expired := tombstone.NewStore(w.db.Conn), retention.NewStore(w.db.Conn)
	key := tombstone.Key{Tenant: querytest.Tenant, Session: "s4"}
	kinds := map[string]string{tables.Messages: "s6", tables.Facts: "s7", tables.Charges: "s8"}
	var marks []retention.Expiration
	w.event("decoded anew; deleted and expired, not yet removed", []string{"s4", "s5", "s6", "s7", "s8"}, func() {
		anew := d.recording("s5", 500, 100)
		w.db.AddGeneration(7, anew)
		w.db.Commit(7, anew, 0)
		if _, err := keys.Put(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		for kind, session := range kinds {
			due := []retention.Due{{Session: session, Until: querytest.StreamID(1000)}}
			marks = append(marks, querytest.Must[[]retention.Expiration](t)(
				expired.Mark(t.Context(), &retention.Policy{Tenant: querytest.Tenant, Kind: kind}, due, time.Now()))...)
		}
	})
	w.event("removed", []string{"s4", "s6", "s7", "s8"}, func() {
		if found, err := tombstone.NewDeleter(keys, nil, nil).Resume(t.Context(), key); err != nil || !found {
			t.Fatal(found, err)
		}
		for i := range marks {
			if err := expired.Remove(t.Context(), marks[i:i+1]); err != nil {
				t.Fatal(err)
			}
		}
	})
	defer rollup.Bounds(100, 0)() // no month is written anew for few sessions
	add("s9", 70)
	add("fresh", 90)
	w.same("changed again")
	w.remake()
	w.equalMade("in the recent batch", "s9", "fresh")
	w.equalUnsettled("in the recent batch", nil)
	w.still("in the recent batch")
}
