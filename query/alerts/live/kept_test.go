package live_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/live"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

func sorted(spans map[string]schema.Span) []string { return slices.Sorted(maps.Keys(spans)) }

// What a reader continues to read of sessions is what another one reads of them as a whole.
func TestContinued(t *testing.T) {
	db := querytest.Open(t)
	second := 0.0
	r := query.NewReader(db.Conn, query.WithClock(func() time.Time { return querytest.When(second) }))
	rules := []rule.Rule{{Kind: rule.NoProgress, Calls: 3}}
	reader := live.NewReader(r, rules)
	random := rand.New(rand.NewPCG(1, 2))
	spans := make([]map[string]schema.Span, 4) // of each session
	frames, ended, returned, calls := 0, 0, 0, 0
	seen := func(f *schema.Fact) {
		frames++
		if f.SeenAt == 0 {
			f.SeenAt, f.SeenSeq = querytest.AtSecond(second), uint64(frames)
		}
		f.Version = uint64(frames)
	}
	for step := range 16 {
		second = float64(20 * (step + 1))
		for i := range spans {
			if i > step { // a session that begins later
				continue
			}
			rec := querytest.Recording{Session: fmt.Sprint("s", i), Stream: i + 1, Live: i != 3 || step != 9}
			rec.State.FirstAt, rec.State.LastAt, rec.State.Version = querytest.AtSecond(20*float64(i+1)), querytest.AtSecond(second), uint64(step+1)
			if spans[i] == nil {
				spans[i] = map[string]schema.Span{"r": querytest.Run("r", schema.StatusOpen, second, 0)}
			}
			for range random.IntN(4) {
				id := fmt.Sprint("x", frames)
				kind := []schema.SpanKind{schema.SpanTool, schema.SpanLLM}[random.IntN(2)]
				spans[i][id] = querytest.Span(kind, id, "r", "name", schema.StatusOpen, second, 0)
				m := querytest.Said("a"+id, schema.MessageArguments, "run", fmt.Sprint(random.IntN(3)), second)
				m.Span = id
				seen(&m.Fact)
				rec.Messages = append(rec.Messages, m)
			}
			for _, id := range sorted(spans[i]) {
				s := spans[i][id]
				if s.SeenAt != 0 && (s.Ended != 0 || random.IntN(3) != 0) {
					continue // nothing new
				}
				if s.SeenAt != 0 {
					s.Ended, s.Status = querytest.AtSecond(second), schema.StatusOK
					ended++
				}
				seen(&s.Fact)
				spans[i][id] = s
				rec.Spans = append(rec.Spans, s)
			}
			db.Add(rec)
		}
		got := querytest.Must[[]*evaluate.Session](t)(reader.Sessions(t.Context(), db.Tenant, r.Now()))
		want := querytest.Must[[]*evaluate.Session](t)(live.NewReader(r, rules).Sessions(t.Context(), db.Tenant, r.Now()))
		querytest.Equal(t, fmt.Sprintf("step %d", step), want, got)
		for _, s := range want {
			returned++
			calls += len(s.Calls)
		}
	}
	if ended < 20 || returned < 40 || calls < 200 {
		t.Errorf("%d spans ended, %d sessions were returned with %d calls: too few", ended, returned, calls)
	}
}

// A call that runs takes no place of the calls that rules look back on.
func TestOpenCalls(t *testing.T) {
	db := querytest.Open(t)
	rec := querytest.Recording{Session: "s", Stream: 1, Live: true}
	for i := range rule.MostCalls + 50 {
		status := schema.StatusOK
		if i%5 < 3 {
			status = schema.StatusError
		}
		rec.Spans = append(rec.Spans, querytest.Tool(fmt.Sprintf("t%03d", i), "bash", status, float64(2*i), float64(2*i+1)))
	}
	rec.Spans = append(rec.Spans, querytest.Tool("runs", "bash", schema.StatusOpen, 600, 0))
	db.Add(rec)
	r := querytest.Reader(db, 610)
	rules := []rule.Rule{{Name: "errors", Kind: rule.ErrorRate, Percent: 50, Last: rule.MostCalls}}
	reader := live.NewReader(r, rules)
	for range 2 { // the second time the calls that ended are kept
		list := querytest.Must[[]*evaluate.Session](t)(reader.Sessions(t.Context(), db.Tenant, r.Now()))
		found := evaluate.Findings(rules, list[0], nil, r.Now())
		if n := len(list[0].Calls); n != rule.MostCalls+1 || len(found) != 1 || found[0].Detail != "120 of 200 tool calls in a row failed" {
			t.Errorf("%d calls, %+v", n, found)
		}
	}
}
