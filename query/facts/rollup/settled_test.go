package rollup_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"tapedeck/internal/failpoint"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/report/modelcalls"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/tombstone"
)

func TestMain(m *testing.M) { localtest.Main(m) }

const day = 86400 // seconds

// world is a database whose answers are compared with and without what is settled.
type world struct {
	*testing.T
	db         *querytest.DB
	fast, slow *query.Reader
	settler    *rollup.Settler
	log        *slog.Logger
	later      time.Duration // than the present, by the settler's clock
	want       []*usagereport.Report
	wantCalls  []*modelcalls.Report
	wantTools  []toolAnswer
	ofCalls    bool // the test is about calls: more reports on calls are compared, and fewer others
	ofTools    bool // the test is about tools: reports on tools are compared, and nothing else
	turn       int  // how often remember was called
	charged    []string
}

func newWorld(t *testing.T) *world {
	db := querytest.New(t)
	w := &world{T: t, db: db, fast: querytest.Reader(db, 100*day), slow: querytest.Reader(db, 100*day, query.WithoutSettled())}
	w.log = slog.New(slog.DiscardHandler)
	w.settler = rollup.NewSettler(w.fast, w.log)
	began := time.Now()
	w.settler.Clock(func() time.Time { return began.Add(w.later) }) // it stands still while a test runs
	return w
}

// settle settles all, since batches are old by then.
func (w *world) settle() {
	w.Helper()
	w.later += 6 * time.Minute
	if err := w.settler.Settle(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// equalUnsettled compares the sessions that are not settled, of at least one batch.
func (w *world) equalUnsettled(what string, want []string) {
	w.Helper()
	view, err := rollup.Read(w.Context(), w.fast, querytest.Tenant, nil, nil)
	if err != nil {
		w.Fatal(err)
	}
	if view.All || len(view.Batches) == 0 {
		w.Fatalf("%s: nothing is settled", what)
	}
	querytest.Equal(w.T, what+": unsettled sessions", slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(view.Unsettled)))
}

// reports are the questions whose answers are compared: with tags, spans, all buckets, costs
// and periods, of all and of ranges that cut sessions.
func reports() []usagereport.Query {
	kathmandu, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		panic(err)
	}
	return []usagereport.Query{
		{GroupBy: []string{"session", "tag:customer", "model", "tag:team", "service_tier"}, Granularity: "month", Zone: kathmandu, WhatIfModel: "gemini-2.5-pro", AsOf: querytest.When(0)},
		{GroupBy: []string{"node", "status", "run", "agent"}, From: querytest.When(30), To: querytest.When(day + 60)},
	}
}

// same compares the answers with what is settled to those without.
func (w *world) same(what string) {
	w.Helper()
	w.remember()
	w.still(what)
}

// remember reads the answers without what is settled, for still.
func (w *world) remember() {
	w.Helper()
	w.turn++
	w.wantTools = w.toolAnswers(w.slow)
	if w.ofTools {
		return
	}
	w.want, w.charged, w.wantCalls = w.answers(w.slow), w.lines(w.slow), w.callAnswers(w.slow)
}

// still compares the answers to those that remember read last.
func (w *world) still(what string) {
	w.Helper()
	for i, got := range w.toolAnswers(w.fast) {
		querytest.Equal(w.T, fmt.Sprintf("%s: tools %d", what, i), w.wantTools[i], got)
	}
	if w.ofTools {
		return
	}
	for i, got := range w.answers(w.fast) {
		querytest.Equal(w.T, fmt.Sprintf("%s: report %d", what, i), w.want[i], got)
	}
	for i, got := range w.callAnswers(w.fast) {
		querytest.Equal(w.T, fmt.Sprintf("%s: calls %d", what, i), w.wantCalls[i], got)
	}
	w.stillCharged(what)
}

// answers reads all reports.
func (w *world) answers(r *query.Reader) []*usagereport.Report {
	w.Helper()
	asked := reports()
	if w.ofCalls {
		asked = asked[:1]
	}
	return atOnce(w, asked, func(q usagereport.Query) (*usagereport.Report, error) {
		q.Tenant = querytest.Tenant
		return usagereport.Read(w.Context(), r, q)
	})
}

// atOnce asks several questions at the same time.
func atOnce[Q, A any](w *world, questions []Q, ask func(Q) (A, error)) []A {
	w.Helper()
	answers := make([]A, len(questions))
	var asked errgroup.Group
	for i := range questions {
		asked.Go(func() (err error) {
			answers[i], err = ask(questions[i])
			return err
		})
	}
	if err := asked.Wait(); err != nil {
		w.Fatal(err)
	}
	return answers
}

// lists are the pages of sessions that are compared: in orders of costs, and in ranges of them.
func lists() []sessionlist.Query {
	low, high := decimal.RequireFromString("0.00002"), decimal.RequireFromString("0.01")
	return []sessionlist.Query{
		{Sort: "-cost", Limit: 3},
		{Sort: "started", Limit: 2, Filter: sessionfilter.Filter{MinCost: &low, MaxCost: &high, Models: []string{"gpt-5"}}},
	}
}

// sameLists compares the pages of each list, one after another, to all of it as it is read
// without what is settled.
func (w *world) sameLists(what string) {
	w.Helper()
	want := atOnce(w, lists(), func(q sessionlist.Query) ([]sessionhead.Summary, error) {
		q.Limit = 100
		return w.pages(w.slow, q)
	})
	got := atOnce(w, lists(), func(q sessionlist.Query) ([]sessionhead.Summary, error) { return w.pages(w.fast, q) })
	for i := range want {
		querytest.Equal(w.T, fmt.Sprintf("%s: list %d", what, i), want[i], got[i])
	}
}

// pages reads all pages of a list. All but the last must be full.
func (w *world) pages(r *query.Reader, q sessionlist.Query) (all []sessionhead.Summary, _ error) {
	q.Tenant = querytest.Tenant
	for {
		page, err := sessionlist.Read(w.Context(), r, q)
		if err != nil {
			return nil, err
		}
		if all = append(all, page.Items...); page.Next == nil {
			return all, nil
		}
		if len(page.Items) != q.Limit {
			return nil, fmt.Errorf("a page in the middle has %d sessions, want %d", len(page.Items), q.Limit)
		}
		if len(all) > 100 {
			return nil, errors.New("the pages have no end")
		}
		q.Cursor = *page.Next
	}
}

// event changes what is stored of some sessions and compares the answers before and after that
// is settled. Between them these sessions must be unsettled, and no others.
func (w *world) event(what string, sessions []string, change func()) {
	w.Helper()
	change()
	w.equalUnsettled(what, sessions)
	w.same(what)
	w.settle()
	w.still(what + ", settled")
}

func tagged(customer string) schema.StreamState {
	return schema.StreamState{Tags: map[string]string{"customer": customer, "team": "t1"}}
}

func billed(u schema.Usage, tier, cost string) schema.Usage {
	u.ServiceTier, u.Cost, u.Currency = tier, cost, "USD"
	u.Parts.Input.Audio, u.Tools.WebSearches = 3, 1
	return u
}

func running(id string, at float64, input uint64) schema.Usage {
	u := querytest.Used(id, "gpt-5", at, schema.Tokens{Input: input})
	u.Mode, u.Scope = schema.UsageRunning, "thread"
	return u
}

func (w *world) fill() {
	big := querytest.Used("big", "gemini-2.5-pro", 20, schema.Tokens{Input: 250_000, Output: 10})
	rest := querytest.Used("rest", "gpt-5", 50, schema.Tokens{Output: 3})
	rest.Scope = schema.RestScope + "r"
	wrong := querytest.Used("wrong", "claude-sonnet-4-5", 40, schema.Tokens{Input: 7, CacheRead: 5, CacheWrite5m: 2, CacheWrite1h: 1, Reasoning: 1})
	wrong.Total, wrong.Run, wrong.Node, wrong.Span = 99, "run-1", "n1", "llm-1"
	node := querytest.Span(schema.SpanNode, "n1", "", "think", schema.StatusOK, 30, 45)
	node.Node = "n1"
	failed, call := querytest.Run("failed", schema.StatusError, 90, 96), querytest.Tool("call", "bash", schema.StatusError, 91, 95)
	failed.Error, call.Error = "the tool failed", "exit status 2"
	w.db.Add(
		querytest.Recording{Session: "a", Stream: 1, State: tagged("c1"), Usages: []schema.Usage{
			querytest.Used("u1", "gpt-5", 0, schema.Tokens{Input: 10, Output: 1}), big, rest, wrong,
		}, Spans: []schema.Span{node, querytest.Span(schema.SpanLLM, "llm-1", "", "", schema.StatusOK, 30, 40)}},
		querytest.Recording{Session: "b", Stream: 2, State: tagged("c2"), Usages: []schema.Usage{
			billed(querytest.Used("u1", "gpt-5", 60, schema.Tokens{Input: 100}), "flex", "0.25"), running("t1", 70, 10), running("t2", day+30, 30),
		}, Spans: []schema.Span{querytest.Run("run", schema.StatusUnclosed, 60, day+30), querytest.Tool("cut", "read", schema.StatusUnclosed, 70, day+30)}},
		// One session in two months and another tenant.
		querytest.Recording{Session: "long", Stream: 3, State: tagged("c1"), Usages: []schema.Usage{
			querytest.Used("u1", "gpt-5", 10, schema.Tokens{Input: 1000}), querytest.Used("u2", "o3", 40*day, schema.Tokens{Input: 2000}),
		}},
		querytest.Recording{Session: "early", Stream: 12, State: tagged("c1"), Usages: []schema.Usage{querytest.Used("u1", "gpt-5", 80, schema.Tokens{Input: 21})},
			Spans: []schema.Span{querytest.Run("cancelled", schema.StatusCancelled, 80, 84), querytest.Tool("t", "read", schema.StatusOK, 81, 82)}},
		querytest.Recording{Session: "again", Stream: 13, State: tagged("c2"), Usages: []schema.Usage{running("t1", 90, 15)}, Spans: []schema.Span{failed, call}},
		querytest.Recording{Session: "april", Stream: 4, Usages: []schema.Usage{querytest.Used("u1", "unknown-model", 41*day, schema.Tokens{Input: 5})}},
		querytest.Recording{Session: "a", Stream: 5, Tenant: "other", State: tagged("c9"), Usages: []schema.Usage{querytest.Used("u1", "gpt-5", 5, schema.Tokens{Input: 77})}},
	)
}

// A settler that is killed at any step leaves answers as they were, and the next one completes.
func TestKilledSettler(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t)
	w.fill()
	killed := errors.New("killed")
	for round, step := range rollup.Steps {
		w.db.Add(querytest.Recording{Session: "a", Stream: 1, State: tagged("c1"), Usages: []schema.Usage{
			querytest.Used(string(rune('k'+round)), "gpt-5", float64(100+round), schema.Tokens{Input: uint64(1 + round)}),
		}})
		ctx := failpoint.With(t.Context(), func(at string) error {
			if at == step {
				return killed
			}
			return nil
		})
		w.later += 6 * time.Minute
		if err := w.settler.Settle(ctx); !errors.Is(err, killed) {
			// The costs of a batch are written only with a batch.
			t.Fatalf("step %s: %v", step, err)
		}
		w.same("killed after " + step)
	}
	w.settle()
	w.still("settled after all")
}

// What nothing reads any more is removed: replaced batches, and those of a killed settler.
func TestRemovedBatches(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t)
	w.fill()
	w.settle()
	killed := errors.New("killed")
	w.db.Add(querytest.Recording{Session: "a", Stream: 1, State: tagged("c1"), Usages: []schema.Usage{querytest.Used("more", "gpt-5", 9, schema.Tokens{Input: 9})}})
	w.later += 6 * time.Minute
	ctx := failpoint.With(t.Context(), func(string) error { return killed })
	if err := w.settler.Settle(ctx); !errors.Is(err, killed) {
		t.Fatal(err)
	}
	w.settle()
	w.later += 2 * time.Hour
	w.settle()
	var batches, live uint64
	if err := w.db.Conn.QueryRow(t.Context(), "SELECT uniqExact(batch), uniqExactIf(batch, tenant = 'acme') FROM settled_usage").Scan(&batches, &live); err != nil {
		t.Fatal(err)
	}
	if batches != 2 { // March and April
		t.Errorf("%d batches are stored, want 2", batches)
	}
	w.same("after the removal")
}

// Run counts settlements, those that fail, and the sessions that wait for their deletion.
func TestRun(t *testing.T) {
	w := newWorld(t)
	w.fill()
	if _, err := tombstone.NewStore(w.db.Conn).Put(t.Context(), tombstone.Key{Tenant: querytest.Tenant, Session: "long"}); err != nil {
		t.Fatal(err)
	}
	var fails atomic.Bool
	fails.Store(true)
	ctx, stop := context.WithCancel(failpoint.With(t.Context(), func(string) error {
		if fails.Load() {
			return errors.New("killed")
		}
		return nil
	}))
	var running sync.WaitGroup
	running.Go(func() { w.settler.Run(ctx, 10*time.Millisecond) })
	defer running.Wait()
	defer stop()
	metrictest.Show(t, "tapedeck_settle_failures_total", "tapedeck_settle_seconds", "tapedeck_unsettled_sessions")
	fails.Store(false)
	metrictest.Show(t, "tapedeck_settled_timestamp_seconds")
}
