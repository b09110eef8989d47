package modelcalls_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/modelcalls"
	"tapedeck/query/sessionfilter"
	"tapedeck/query/tabular"
	"tapedeck/schema"
)

// llm makes the span of a call.
func llm(id, parent, model string, status schema.Status, start, first, end float64) schema.Span {
	s := querytest.Span(schema.SpanLLM, id, parent, model, status, start, end)
	s.Model, s.Provider = model, map[string]string{"sonnet": "anthropic", "gpt": "openai"}[model]
	if first != 0 {
		s.FirstToken = querytest.AtSecond(first)
	}
	return s
}

// chunks makes a message whose chunks arrived at some times.
func chunks(id string, kind schema.MessageKind, span string, seconds ...float64) schema.Message {
	m := querytest.Said(id, kind, "", strings.Repeat("x", len(seconds)), seconds[0])
	m.Span, m.Ended = span, querytest.AtSecond(seconds[len(seconds)-1])
	for i, s := range seconds {
		m.ChunkAt, m.ChunkEnd = append(m.ChunkAt, querytest.AtSecond(s)), append(m.ChunkEnd, uint32(i+1))
	}
	if len(seconds) == 1 {
		m.ChunkAt, m.ChunkEnd = nil, nil
	}
	return m
}

func spent(id, span, model string, at float64, output uint64) schema.Usage {
	u := querytest.Used(id, model, at, schema.Tokens{Input: 10, Output: output})
	u.Span = span
	return u
}

func recordings() []querytest.Recording {
	run := querytest.Run("r", schema.StatusOK, 0, 30)
	run.Attributes = `{"stop_reason":"max_tokens"}` // of its last call
	again := querytest.Run("again", schema.StatusError, 50, 52)
	again.Attributes, again.Error = `{"http_status":529,"stop_reason":null}`, "overloaded"
	refused := llm("refused", "", "gpt", schema.StatusOK, 100, 100.5, 102)
	refused.Attributes = `{"stop_reason":"content_filter"}`
	seen := llm("shared", "", "gpt", schema.StatusUnclosed, 3600, 3600.25, 3605)
	return []querytest.Recording{
		{
			Session: "a", Stream: 1,
			Spans: []schema.Span{
				run,
				llm("first", "r", "sonnet", schema.StatusOK, 0, 1, 10),
				llm("second", "r", "sonnet", schema.StatusOK, 12, 14, 30),
				again,
				llm("failed", "again", "sonnet", schema.StatusError, 50, 0, 52),
				llm("retried", "", "sonnet", schema.StatusOK, 55, 55.5, 60), // 3 s after
				llm("later", "", "sonnet", schema.StatusOpen, 200, 0, 0),
			},
			Messages: []schema.Message{
				// Thinking and text are one row of chunks: gaps of 1, 1 and 7 s.
				chunks("think", schema.MessageThinking, "first", 1, 2), chunks("say", schema.MessageAssistant, "first", 3, 10),
				// Text in one chunk, then the arguments of a tool: gaps of 2, 6 and 8 s.
				chunks("short", schema.MessageAssistant, "second", 14), chunks("arguments", schema.MessageArguments, "tool", 16, 22, 30),
				// Arguments between calls belong to none.
				chunks("stray", schema.MessageArguments, "tool2", 11, 11.5),
				chunks("asked", schema.MessageUser, "first", 0, 0.5), // not output
			},
			Usages: []schema.Usage{spent("u1", "first", "sonnet", 10, 90), spent("u2", "second", "sonnet", 30, 160)},
		},
		{
			Session: "b", Stream: 2,
			Spans:    []schema.Span{refused, seen},
			Messages: []schema.Message{chunks("m", schema.MessageAssistant, "shared", 3600.25, 3601.25)},
		},
		{ // It saw the end of what the other stream did not, and more of its text.
			Session: "b", Stream: 3,
			Spans: []schema.Span{{
				Fact: schema.Fact{ID: "shared"}, Kind: schema.SpanLLM, Status: schema.StatusOK,
				Ended: querytest.AtSecond(3604),
			}},
			Messages: []schema.Message{chunks("m", schema.MessageAssistant, "shared", 3600.25, 3601.25, 3604.25)},
			Usages:   []schema.Usage{spent("u3", "shared", "gpt", 3604, 8)},
		},
		{Session: "z", Stream: 9, Tenant: "other", Spans: []schema.Span{llm("first", "", "sonnet", schema.StatusOK, 0, 5, 1000)}},
	}
}

func read(t *testing.T, db *querytest.DB, q modelcalls.Query) *modelcalls.Report {
	t.Helper()
	q.Tenant = db.Tenant
	return querytest.Must[*modelcalls.Report](t)(modelcalls.Read(t.Context(), querytest.Reader(db, 1e6), q))
}

func number(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.6g", *v)
}

// line writes figures: counts of outcomes, then the quantiles of the first token and of the
// rate, the longest gap and the durations.
func line(name string, f *modelcalls.Figures) string {
	return fmt.Sprintf("%s: %d calls, %d error %d truncated %d refused %d open, %d retries, %d streamed, %d stalls in %d, %d tokens, first %d: %s %s, rate %s, gap %s, took %s %s",
		name, f.Calls, f.Errors, f.Truncated, f.Refused, f.Open, f.Retries, f.Streamed, f.Stalls, f.StalledCalls, f.OutputTokens,
		f.FirstTokens, number(f.FirstTokenP50MS), number(f.FirstTokenMaxMS), number(f.TokensPerSecP50), number(f.GapMaxMS),
		number(f.DurationP50MS), number(f.DurationMaxMS))
}

func table(r *modelcalls.Report) string {
	var rows []string
	for i := range r.Items {
		row := &r.Items[i]
		name := []string{}
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
		rows = append(rows, line(strings.Join(name, " "), &row.Figures))
	}
	return strings.Join(append(rows, line("all", &r.Totals)), "\n")
}

// Expected figures follow from the times in recordings: first tokens after 1 and 2 s and 500 ms
// (sonnet), 500 and 250 ms (gpt); 90 tokens in 9 s, 160 in 16 s, 8 in 4 s.
const (
	sonnet = "5 calls, 1 error 1 truncated 0 refused 1 open, 1 retries, 2 streamed, 3 stalls in 2, 250 tokens, first 3: 1000 2000, rate 10, gap 8000, took 7500 18000"
	gpt    = "2 calls, 0 error 0 truncated 1 refused 0 open, 0 retries, 1 streamed, 0 stalls in 0, 8 tokens, first 2: 375 500, rate 2, gap 3000, took 3000 4000"
	all    = "7 calls, 1 error 1 truncated 1 refused 1 open, 1 retries, 3 streamed, 3 stalls in 2, 258 tokens, first 5: 500 2000, rate 10, gap 8000, took 4500 18000"
)

func TestCalls(t *testing.T) { testCalls(t, stored(querytest.Open(t))) }

// stored returns a database with the recordings.
func stored(db *querytest.DB) *querytest.DB {
	db.Add(recordings()...)
	return db
}

func testCalls(t *testing.T, db *querytest.DB) {
	for _, tc := range []struct {
		name string
		q    modelcalls.Query
		want string
	}{
		{"by model", modelcalls.Query{GroupBy: []string{"model"}}, querytest.Lines("gpt: "+gpt, "sonnet: "+sonnet, "all: "+all)},
		{"by session and provider", modelcalls.Query{GroupBy: []string{"session", "provider"}}, querytest.Lines("a anthropic: "+sonnet, "b openai: "+gpt, "all: "+all)},
		{"of a provider", modelcalls.Query{Providers: []string{"openai"}}, querytest.Lines(": "+gpt, "all: "+gpt)},
		{"of an agent that has none", modelcalls.Query{Agents: []string{"nobody"}}, "all: " + strings.Split(line("x", &modelcalls.Figures{}), ": ")[1] + ": - -, rate -, gap -, took - -"},
		{"of sessions with a model", modelcalls.Query{Sessions: &sessionfilter.Filter{Models: []string{"gpt"}}}, querytest.Lines(": "+gpt, "all: "+gpt)},
		{
			"stalls of more than 6 s", modelcalls.Query{Stall: 6500 * time.Millisecond, Models: []string{"sonnet"}},
			strings.ReplaceAll(querytest.Lines(": "+sonnet, "all: "+sonnet), "3 stalls in 2", "2 stalls in 2"),
		},
		{
			"from 10 s on: what began before does not count, what it was first is not forgotten", modelcalls.Query{From: querytest.When(53), To: querytest.When(100)},
			querytest.Lines(
				": 1 calls, 0 error 0 truncated 0 refused 0 open, 1 retries, 0 streamed, 0 stalls in 0, 0 tokens, first 1: 500 500, rate -, gap -, took 5000 5000",
				"all: 1 calls, 0 error 0 truncated 0 refused 0 open, 1 retries, 0 streamed, 0 stalls in 0, 0 tokens, first 1: 500 500, rate -, gap -, took 5000 5000"),
		},
		{"that were refused, by the hour", modelcalls.Query{Outcomes: []modelcalls.Outcome{modelcalls.Refused}, Granularity: grouping.Hourly}, querytest.Lines(
			"2026-03-02T10:00:00Z: 1 calls, 0 error 0 truncated 1 refused 0 open, 0 retries, 0 streamed, 0 stalls in 0, 0 tokens, first 1: 500 500, rate -, gap -, took 2000 2000",
			"all: 1 calls, 0 error 0 truncated 1 refused 0 open, 0 retries, 0 streamed, 0 stalls in 0, 0 tokens, first 1: 500 500, rate -, gap -, took 2000 2000")},
	} {
		t.Run(tc.name, func(t *testing.T) { querytest.Equal(t, "report", tc.want, table(read(t, db, tc.q))) })
	}
	t.Run("quantiles of gaps are within 1 %", func(t *testing.T) {
		gaps := []float64{1000, 1000, 7000, 2000, 6000, 8000} // of sonnet
		slices.SortFunc(gaps, cmp.Compare)
		f := read(t, db, modelcalls.Query{Models: []string{"sonnet"}}).Totals
		if p := *f.GapP50MS; p < gaps[2]*0.99 || p > gaps[3]*1.01 {
			t.Errorf("p50 of the gaps %v: %g", gaps, p)
		}
		if p := *f.GapP99MS; p < gaps[4]*0.99 || p > gaps[5]*1.01 {
			t.Errorf("p99 of the gaps %v: %g", gaps, p)
		}
	})
	t.Run("single calls", func(t *testing.T) {
		ids := func(order modelcalls.Order, limit int) string {
			var list []string
			for _, c := range read(t, db, modelcalls.Query{Order: order, Limit: limit}).Calls {
				list = append(list, c.SpanID)
			}
			return strings.Join(list, " ")
		}
		for order, want := range map[modelcalls.Order]string{
			"": "shared later refused retried failed", "first_token": "second first retried refused shared",
			"longest_gap": "second first shared", "duration": "second first retried shared failed", "slowest_rate": "shared first second",
		} {
			querytest.Equal(t, string(order), want, ids(order, 5))
		}
		calls := read(t, db, modelcalls.Query{Order: "longest_gap", Limit: 1}).Calls
		ptr := func(v float64) *float64 { return &v }
		querytest.Equal(t, "second", []modelcalls.Call{{
			SessionID: "a", SpanID: "second", Position: schema.Position{At: querytest.AtSecond(12), StreamID: querytest.StreamID(1), Seq: 2}.String(),
			Started: querytest.When(12), Model: querytest.Ptr("sonnet"), Provider: querytest.Ptr("anthropic"), Agent: querytest.Ptr("main"),
			Outcome: modelcalls.Truncated, StopReason: querytest.Ptr("max_tokens"), FirstTokenMS: ptr(2000), DurationMS: ptr(18000),
			OutputTokens: querytest.Ptr(uint64(160)), TokensPerSecond: ptr(10), Chunks: 4, GapP50MS: ptr(6000), GapP99MS: ptr(7960),
			LongestGapMS: ptr(8000), LongestGapAt: querytest.Ptr(querytest.When(22)), Stalls: 2,
		}}, calls)
		failed := read(t, db, modelcalls.Query{Outcomes: []modelcalls.Outcome{modelcalls.Failed}, Limit: 5}).Calls
		querytest.Equal(t, "failed", []any{1, "overloaded", uint64(529)}, []any{len(failed), *failed[0].Error, *failed[0].HTTPStatus})
	})
	t.Run("distributions", func(t *testing.T) {
		d := read(t, db, modelcalls.Query{Bins: true}).Distributions
		// 250; 500 twice; 1000; 2000: edges are 178, 316, 562, 1000, 1780 and 3160.
		querytest.Equal(t, "first token", []modelcalls.Bin{{178, 316, 1}, {316, 562, 2}, {562, 1000, 0}, {1000, 1780, 1}, {1780, 3160, 1}}, d.FirstTokenMS)
		querytest.Equal(t, "rates", []modelcalls.Bin{{1.78, 3.16, 1}, {3.16, 5.62, 0}, {5.62, 10, 0}, {10, 17.8, 2}}, d.TokensPerSecond)
		for name, list := range map[string][]modelcalls.Bin{"durations": d.DurationMS, "gaps": d.LongestGapMS} {
			sum := uint64(0)
			for _, b := range list {
				sum += b.Calls
				if ratio := b.To / b.From; math.Abs(ratio-1.778) > 0.01 {
					t.Errorf("%s: bin from %g to %g", name, b.From, b.To)
				}
			}
			querytest.Equal(t, name, map[string]uint64{"durations": 6, "gaps": 3}[name], sum)
		}
	})
	t.Run("formats", func(t *testing.T) {
		r := read(t, db, modelcalls.Query{GroupBy: []string{"model"}, Bins: true, Limit: 3})
		text := querytest.Must[[]byte](t)(json.Marshal(r))
		var back modelcalls.Report
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		querytest.Equal(t, "decoded", r, &back)
		var b bytes.Buffer
		if err := r.WriteCSV(&b, tabular.SafeCells); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		if len(lines) != 4 || !strings.HasPrefix(lines[1], ",gpt,2,0,0,0,1,0,0,0,1,0,0,8,2,375,") || !strings.HasPrefix(lines[3], "total,,7,1,") {
			t.Errorf("CSV:\n%s", b.String())
		}
	})
	t.Run("nothing recorded", func(t *testing.T) {
		r := querytest.Must[*modelcalls.Report](t)(modelcalls.Read(t.Context(), querytest.Reader(db, 1e6), modelcalls.Query{Tenant: "nobody", Bins: true, Limit: 5}))
		querytest.Equal(t, "report", []any{0, 0, 0, uint64(0)}, []any{len(r.Items), len(r.Calls), len(r.Distributions.FirstTokenMS), r.Totals.Calls})
	})
}

// Settled calls give the same report, also those of sessions without usage.
func TestSettledCalls(t *testing.T) {
	fulltest.Long(t)
	db := stored(querytest.New(t))
	if err := rollup.NewSettler(querytest.Reader(db, 1e6), slog.New(slog.DiscardHandler)).Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	view := querytest.Must[*rollup.View](t)(rollup.ReadCalls(t.Context(), querytest.Reader(db, 1e6), db.Tenant, nil, nil))
	if view.All || len(view.Batches) != 1 || len(view.Unsettled) > 0 {
		t.Fatalf("%+v is settled", view)
	}
	testCalls(t, db)
}

// Statuses of sessions are known only from their summaries.
func TestCallsOfSessionsWithAStatus(t *testing.T) {
	db := querytest.Open(t)
	db.Add(recordings()...)
	failed := &sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Failed}}
	querytest.Equal(t, "report", querytest.Lines(": "+sonnet, "all: "+sonnet), table(read(t, db, modelcalls.Query{Sessions: failed})))
}
