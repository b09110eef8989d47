package reconcile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/billing/reconcile"
	"tapedeck/query/facts/findings"
	"tapedeck/query/querytest"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// summary writes a session as lines: its sums, its totals that are not equal, its findings.
func summary(s *reconcile.Session) string {
	number := func(n *int64) string {
		if n == nil {
			return "unknown"
		}
		return fmt.Sprint(*n)
	}
	lines := []string{fmt.Sprintf("%s: %d calls, %d tokens, %d of no call, %d totals", s.ID, s.Calls, s.Tokens.Total, s.TokensInTotalsOnly, s.StatedTotals)}
	for _, t := range s.Totals {
		lines = append(lines, fmt.Sprintf("%s %s: stated %s, calls %s, difference %s", t.Kind, t.Of, number(t.Stated), number(t.Calls), number(t.Difference)))
	}
	for _, c := range s.StatedCosts {
		amount := func(d *decimal.Decimal) string {
			if d == nil {
				return "unknown"
			}
			return d.String()
		}
		lines = append(lines, fmt.Sprintf("%s: %d calls state %s, %d without a price, priced %s, difference %s", c.Currency, c.Calls, c.Stated, c.UnpricedCalls, amount(c.Priced), amount(c.Difference)))
	}
	for _, f := range s.Findings {
		lines = append(lines, fmt.Sprintf("%s %d", f.Code, f.Count))
	}
	return strings.Join(lines, "\n")
}

// call makes a call of a model with the usage of its own that it is given, in a run.
func call(id, run string, status schema.Status, second float64) schema.Span {
	end := second + 1
	if status == schema.StatusOpen {
		end = 0
	}
	s := querytest.Span(schema.SpanLLM, id, "", "", status, second, end)
	s.Run = run
	return s
}

func used(id, span, run string, second float64, input, output uint64) schema.Usage {
	u := querytest.Used(id, "gpt-5", second, schema.Tokens{Input: input, Output: output})
	u.Span, u.Run = span, run
	return u
}

func running(id string, second float64, total uint64) schema.Usage {
	u := used(id, "", "", second, total, 0)
	u.Scope, u.Mode, u.Raw = "thread:t", schema.UsageRunning, fmt.Sprintf(`{"total_tokens":%d}`, total)
	return u
}

func recordings(tenant string) []querytest.Recording {
	rest := used("usage:r", "run-r", "r", 20, 10, 20)
	rest.Scope, rest.Raw = schema.RestScope+"r", `{"input_tokens":120,"cache_read_input_tokens":40,"cache_creation_input_tokens":0,"output_tokens":20}`
	loom := querytest.Run("run-l", schema.StatusOK, 0, 9)
	loom.Run, loom.Attributes = "l", `{"total_usage":{"prompt_tokens":400,"completion_tokens":100,"total_tokens":500},"usage_difference":{"total_tokens":50}}`
	vercel := querytest.Run("run-v", schema.StatusOK, 10, 19)
	vercel.Run, vercel.Attributes = "v", `{"total_usage":{"promptTokens":30,"completionTokens":2}}`
	agent := querytest.Run("run-a", schema.StatusOK, 20, 29)
	agent.Run, agent.Attributes = "a", `{"cumulative_usage":{"input_tokens":5,"cache_read_tokens":1,"cache_write_tokens":0,"output_tokens":2}}`
	wrong := used("w", "wrong", "", 40, 5, 5)
	wrong.Total = 11
	message := func(id, message, model string) schema.Usage {
		u := used(id, "", "", 5, 1, 1)
		u.MessageID, u.Model = message, model
		return u
	}
	updated := used("updated", "", "", 5, 3, 3)
	updated.SeenSeq, updated.Version = 5, 9
	stated := func(id, model, amount, currency string) schema.Usage {
		u := querytest.Used(id, model, 5, schema.Tokens{Input: 1000, Output: 100})
		u.Cost, u.Currency = amount, currency
		return u
	}
	marked := func(seq uint64, flags schema.Flags) schema.Frame {
		f := querytest.Frame(seq, 5, "x", "{}")
		f.Flags = flags
		return f
	}
	startOutput := call("so", "", schema.StatusOK, 1)
	startOutput.Attributes = `{"start_output":true}`
	return []querytest.Recording{
		// gpt-4o costs 2.5 USD for a million tokens of input and 10 of output: 0.0035 for each call.
		{Session: "costs", Stream: 13, Usages: []schema.Usage{
			stated("equal", "gpt-4o", "0.00350", "USD"), stated("more", "gpt-4o", "3.6e-3", "USD"), stated("less", "gpt-4o", "0.0034", "USD"),
			stated("unknown", "no-such-model", "0.5", "USD"), stated("other", "gpt-4o", "1", "EUR"), querytest.Used("none", "gpt-4o", 5, schema.Tokens{Input: 1}),
		}},
		{Session: "marks", Stream: 14, Frames: []schema.Frame{
			marked(0, schema.FlagTooDeep), marked(1, schema.FlagBadChecksum|schema.FlagNotJSON), marked(2, schema.FlagBadChecksum), marked(3, 0),
			marked(4, schema.FlagUnreadUsage|schema.FlagUnknownType), marked(5, schema.FlagUnreadUsage),
		}, Spans: []schema.Span{startOutput}, Usages: []schema.Usage{used("so", "so", "", 1, 5, 1)}},
		{Session: "whole", Stream: 1, Spans: []schema.Span{call("c", "", schema.StatusOK, 0)}, Usages: []schema.Usage{used("u", "c", "", 1, 90, 10)}},
		{Session: "rest", Stream: 2, Spans: []schema.Span{call("c1", "r", schema.StatusOK, 0), call("c2", "r", schema.StatusOK, 2)},
			Usages: []schema.Usage{used("u1", "c1", "r", 1, 70, 30), used("u2", "c2", "r", 3, 40, 10), rest}},
		// 100, 150 more, and 80 after the count began anew.
		{Session: "running", Stream: 3, Usages: []schema.Usage{running("t1", 0, 100), running("t2", 10, 250)}},
		{Session: "running", Stream: 4, Usages: []schema.Usage{running("t3", 20, 80)}},
		{Session: "runs", Stream: 5, Spans: []schema.Span{loom, vercel, agent},
			Usages: []schema.Usage{used("l1", "", "l", 1, 150, 50), used("l2", "", "l", 2, 200, 50), used("v1", "", "v", 11, 30, 2), used("a1", "", "a", 21, 1, 1)}},
		{Session: "calls", Stream: 6, Spans: []schema.Span{
			call("with", "p", schema.StatusOK, 0), call("without", "p", schema.StatusOK, 2), call("cut", "p", schema.StatusUnclosed, 4),
			call("failed", "p", schema.StatusError, 6), call("stopped", "p", schema.StatusCancelled, 8), call("part", "p", schema.StatusUnclosed, 10),
			call("now", "p", schema.StatusOpen, 12), call("wrong", "p", schema.StatusOK, 40),
			call("summed", "q", schema.StatusOK, 14), querytest.Run("run-q", schema.StatusOK, 14, 16),
		}, Usages: []schema.Usage{
			used("u1", "with", "p", 1, 1, 1), used("u2", "part", "p", 11, 1, 0), used("u3", "run-q", "q", 15, 7, 7), wrong,
		}},
		{Session: "twice", Stream: 7, Usages: []schema.Usage{
			used("same", "", "", 1, 5, 5), used("other", "", "", 1, 5, 5), updated,
			message("m1", "msg", "gpt-5"), message("m2", "msg", "gpt-5"), message("m3", "msg", "another"), message("m4", "", "gpt-5"), message("m5", "", "gpt-5"),
		}},
		{Session: "twice", Stream: 8, Usages: []schema.Usage{used("same", "", "", 2, 5, 5), used("other", "", "", 2, 6, 5)}},
		{Session: "lost", Stream: 9, State: schema.StreamState{Digest: "d", Counters: schema.Counters{Lost: 3, Repeated: 2, NotJSON: 1}}, Usages: []schema.Usage{used("x", "", "", 1, 1, 1)}},
		{Session: "lost", Stream: 10, State: schema.StreamState{Digest: "d"}, Usages: []schema.Usage{used("y", "", "", 1, 1, 1)}},
		{Session: "lost", Stream: 11, State: schema.StreamState{Counters: schema.Counters{Oversize: 1}}, Usages: []schema.Usage{used("z", "", "", 1, 1, 1)}},
		{Session: "whole", Stream: 12, Tenant: tenant + "-other", Spans: []schema.Span{call("c", "", schema.StatusOK, 0)}},
	}
}

func TestRead(t *testing.T) {
	db := querytest.Open(t)
	db.Add(recordings(db.Tenant)...)
	r := querytest.Reader(db, 100)
	read := querytest.Must[*query.Page[reconcile.Session]](t)
	page := read(reconcile.Read(t.Context(), r, reconcile.Query{Tenant: db.Tenant, Limit: 50}))
	got := map[string]*reconcile.Session{}
	for i := range page.Items {
		got[page.Items[i].ID] = &page.Items[i]
	}
	for id, want := range map[string]string{
		"whole": "whole: 1 calls, 100 tokens, 0 of no call, 0 totals",
		"rest": querytest.Lines("rest: 2 calls, 180 tokens, 30 of no call, 1 totals",
			"rest usage:r: stated 180, calls 150, difference 30", "stated_total 1"),
		"running": querytest.Lines("running: 3 calls, 330 tokens, 0 of no call, 1 totals",
			"running thread:t: stated 80, calls 330, difference -250", "stated_total 1", "began_anew 1"),
		"runs": querytest.Lines("runs: 4 calls, 484 tokens, 0 of no call, 3 totals",
			"run run-a: stated 8, calls unknown, difference unknown", "run run-l: stated 500, calls 450, difference 50", "stated_total 1"),
		"calls": querytest.Lines("calls: 4 calls, 27 tokens, 0 of no call, 0 totals",
			"record_total 1", "without_usage 1", "cut_off 3", "cut_off_with_usage 1"),
		"twice": querytest.Lines("twice: 8 calls, 37 tokens, 0 of no call, 0 totals", "in_streams_differing 1", "same_message 1"),
		"costs": querytest.Lines("costs: 6 calls, 5501 tokens, 0 of no call, 0 totals",
			"EUR: 1 calls state 1, 1 without a price, priced unknown, difference unknown",
			"USD: 4 calls state 0.5105, 1 without a price, priced 0.0105, difference 0", "stated_cost 2"),
		"marks": querytest.Lines("marks: 1 calls, 6 tokens, 0 of no call, 0 totals", "too_deep 1", "bad_checksum 2", "unread_usage 2", "start_output 1"),
		"lost":  querytest.Lines("lost: 3 calls, 6 tokens, 0 of no call, 0 totals", "same_bytes 1", "lost_frames 3", "unread_frames 2"),
	} {
		if got[id] == nil {
			t.Errorf("%s is not there", id)
			continue
		}
		querytest.Equal(t, id, want, summary(got[id]))
	}
	querytest.Equal(t, "sessions", 9, len(got))
	if s := got["calls"]; s != nil {
		querytest.Equal(t, "calls of models", findings.ModelCalls{Calls: 9, Open: 1, WithoutUsage: 1, CutOff: 3, CutOffWithUsage: 1, InTotals: 1}, s.ModelCalls)
	}
	if s := got["twice"]; s != nil {
		querytest.Equal(t, "arrivals", findings.Arrivals{InStreams: 2, InStreamsDiffering: 1, InFrames: 1, SameMessage: 1}, s.Arrivals)
	}
	if s := got["lost"]; s != nil {
		querytest.Equal(t, "losses", findings.Losses{LostFrames: 3, RepeatedFrames: 2, UnreadFrames: 2, SameBytes: 1}, s.Losses)
	}
	other := read(reconcile.Read(t.Context(), r, reconcile.Query{Tenant: db.Tenant + "-other", Limit: 50}))
	querytest.Equal(t, "of another tenant", "whole: 0 calls, 0 tokens, 0 of no call, 0 totals\nwithout_usage 1", summary(&other.Items[0]))
}

// Sums leave out a record whose call a recorded stream states too. A run is compared with all of its records.
func TestDuplicates(t *testing.T) {
	db := querytest.Open(t)
	run := querytest.Run("run", schema.StatusOK, 0, 9)
	run.Run, run.Attributes = "r", `{"total_usage":{"prompt_tokens":2000,"completion_tokens":200,"total_tokens":2200}}`
	record := func(id, cost string) schema.Usage {
		u := used(id, "", "r", 1, 1000, 100)
		u.Model, u.Cost, u.Currency = "gpt-4o", cost, "USD" // 0.0035 USD
		return u
	}
	other := record("other", "1")
	other.Total = 1200
	db.Add(querytest.Recording{Session: "spans", Stream: 1, Spans: []schema.Span{run}, Usages: []schema.Usage{record("own", "0.0035"), other}})
	db.Exec(fmt.Sprintf("INSERT INTO duplicate_usage (tenant, session_id, stream_id, usage_id, version, duplicate) VALUES ('%s', 'spans', '%s', 'other', 1, 1)",
		db.Tenant, querytest.StreamID(1)))
	page := querytest.Must[*query.Page[reconcile.Session]](t)(reconcile.Read(t.Context(), querytest.Reader(db, 100), reconcile.Query{Tenant: db.Tenant, Limit: 2}))
	if len(page.Items) != 1 {
		t.Fatalf("%d sessions", len(page.Items))
	}
	querytest.Equal(t, "spans", querytest.Lines("spans: 1 calls, 1100 tokens, 0 of no call, 1 totals",
		"USD: 1 calls state 0.0035, 0 without a price, priced 0.0035, difference 0"), summary(&page.Items[0]))
}

// Pages hold every session once, whatever is asked for.
func TestPages(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	db.Add(recordings(db.Tenant)...)
	r := querytest.Reader(db, 100)
	for name, x := range map[string]struct {
		q    reconcile.Query
		want map[string]int
	}{
		"all":            {reconcile.Query{}, map[string]int{"whole": 1, "rest": 1, "running": 1, "runs": 1, "calls": 1, "twice": 1, "lost": 1, "costs": 1, "marks": 1}},
		"with findings":  {reconcile.Query{Findings: findings.Codes}, map[string]int{"rest": 1, "running": 1, "runs": 1, "calls": 1, "twice": 1, "lost": 1, "costs": 1, "marks": 1}},
		"costs":          {reconcile.Query{Findings: []string{findings.StatedCostDiffers}}, map[string]int{"costs": 1}},
		"totals":         {reconcile.Query{Findings: []string{findings.StatedTotal}}, map[string]int{"rest": 1, "running": 1, "runs": 1}},
		"of a model":     {reconcile.Query{Filter: sessionfilter.Filter{Models: []string{"another"}}}, map[string]int{"twice": 1}},
		"lost, of a day": {reconcile.Query{Filter: sessionfilter.Filter{From: querytest.When(-1), Text: "lost"}, Findings: []string{findings.LostFrames}}, map[string]int{"lost": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			x.q.Tenant, x.q.Limit = db.Tenant, 2
			got := map[string]int{}
			for range 20 {
				page := querytest.Must[*query.Page[reconcile.Session]](t)(reconcile.Read(t.Context(), r, x.q))
				if len(page.Items) > x.q.Limit {
					t.Errorf("%d sessions on a page", len(page.Items))
				}
				for i := range page.Items {
					got[page.Items[i].ID]++
				}
				if page.Next == nil {
					break
				}
				x.q.Cursor = *page.Next
			}
			querytest.Equal(t, "sessions", x.want, got)
		})
	}
}
