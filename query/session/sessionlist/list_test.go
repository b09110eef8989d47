package sessionlist_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

func TestSessionInTheList(t *testing.T) {
	db := querytest.Open(t)
	db.Add(
		querytest.Recording{
			Session: "s", Stream: 1,
			State: schema.StreamState{
				Title: "Fix the build", Dialect: "loom", Tags: map[string]string{"customer": "c1"},
				FirstAt: querytest.AtSecond(0), LastAt: querytest.AtSecond(90), Frames: 40, Bytes: 4000,
			},
			Spans: []schema.Span{
				querytest.Run("r1", schema.StatusError, 0, 20), querytest.Run("r2", schema.StatusOK, 30, 90),
				querytest.Tool("t1", "bash", schema.StatusOK, 2, 4), querytest.Tool("t2", "bash", schema.StatusError, 32, 33),
				querytest.Span(schema.SpanLLM, "l1", "r2", "gpt", schema.StatusOK, 31, 32),
			},
			Usages: []schema.Usage{
				querytest.Used("u1", "gpt-5", 5, schema.Tokens{Input: 100, CacheRead: 10, Output: 7}),
				querytest.Used("u2", "gpt-5", 35, schema.Tokens{Input: 1, CacheWrite5m: 2, CacheWrite1h: 3, Output: 4, Reasoning: 5}),
			},
		},
		// Another stream saw the end of t1, and has its own share of the frames.
		querytest.Recording{
			Session: "s", Stream: 2,
			State: schema.StreamState{
				Title: "Later title", Dialect: "openai-chat", Tags: map[string]string{"region": "eu"},
				FirstAt: querytest.AtSecond(1), LastAt: querytest.AtSecond(60), Frames: 2, Bytes: 300,
			},
			Spans: []schema.Span{querytest.Tool("t1", "", schema.StatusOK, 0, 4)},
		},
		// A part of its own for when the stream came back.
		querytest.Recording{
			Session: "s", Stream: 2,
			State: schema.StreamState{
				FirstSeq: 500, Dialect: "openai-chat", Tags: map[string]string{"region": "eu"},
				FirstAt: querytest.AtSecond(95), LastAt: querytest.AtSecond(100.5), Frames: 1, Bytes: 50,
			},
		},
		querytest.Recording{Session: "s", Stream: 3, Tenant: "other", State: schema.StreamState{FirstAt: querytest.AtSecond(-9), LastAt: querytest.AtSecond(900), Frames: 1}},
	)
	page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), querytest.Reader(db, 1000),
		sessionlist.Query{Tenant: db.Tenant, Limit: 10}))
	want := sessionhead.Summary{Runs: 2, Streams: 2}
	want.Head = sessionhead.Head{
		ID: "s", Started: querytest.When(0), Ended: querytest.Ptr(querytest.When(100.5)), LastAt: querytest.When(100.5), DurationMS: 100500,
		Status: sessionhead.Fine, Title: "Fix the build", Frames: 43, Bytes: 4350,
		Tools: sessionhead.ToolCounts{Calls: 2, Errors: 1}, Dialects: []string{"loom", "openai-chat"},
		Agents: []string{"main"}, Models: []string{}, Tags: map[string]string{"customer": "c1", "region": "eu"},
		UsageTotals: cost.UsageTotals{
			// gpt-5: 106 * 1.25 + 10 * 0.125 + 16 * 10 millionths; it has no price of its own for
			// writing to a cache.
			Calls: 2, Cost: &cost.Money{Amount: decimal.RequireFromString("0.00029375"), Currency: "USD"},
			Tokens: cost.Tokens{Input: 101, CacheRead: 10, CacheWrite5m: 2, CacheWrite1h: 3, Output: 11, Reasoning: 5, Total: 132},
		},
		End: &sessionhead.End{At: querytest.When(100.5), OffsetMS: 100500, Reason: "eof", Detail: "the source came to its end"}, // of the stream that ended last
	}
	querytest.Equal(t, "the list", []sessionhead.Summary{want}, page.Items)
	if page.Next != nil {
		t.Errorf("next is %q on the only page", *page.Next)
	}
}

func TestSessionStatus(t *testing.T) {
	fulltest.Long(t)
	end := func(reason string) schema.StreamState { return schema.StreamState{EndReason: reason} }
	by := func(recorder string) schema.StreamState { return schema.StreamState{Recorder: recorder} }
	open, done := []schema.Span{querytest.Run("r", schema.StatusOpen, 0, 0)}, []schema.Span{querytest.Run("r", schema.StatusOK, 0, 10)}
	cancelled, failed := querytest.Run("c", schema.StatusCancelled, 0, 10), querytest.Run("f", schema.StatusError, 11, 12)
	db := querytest.Open(t)
	for i, tc := range []struct {
		name string
		now  float64 // seconds after the start
		rec  []querytest.Recording
		want sessionhead.Status
	}{
		{"frames come", 40, []querytest.Recording{{Live: true, Spans: done}}, sessionhead.Running},
		{"silent, its run done", 41, []querytest.Recording{{Live: true, Spans: done}}, sessionhead.Fine},
		{"silent, without runs", 31, []querytest.Recording{{Live: true, State: by("alive")}}, sessionhead.Quiet},
		{"a slow tool", 3600, []querytest.Recording{{Live: true, Spans: open}}, sessionhead.Quiet},
		{"a tool that hangs for a day", 86400, []querytest.Recording{{Live: true, State: by("alive"), Spans: open}}, sessionhead.Quiet},
		{"waits for an approval", 3000, []querytest.Recording{{Live: true, Spans: []schema.Span{querytest.Run("r", schema.StatusWaiting, 0, 0)}}}, sessionhead.Quiet},
		{"silent with an open run, its recorder without an id", 3601, []querytest.Recording{{Live: true, Spans: open}}, sessionhead.Lost},
		{"its recorder not heard, but frames", 35, []querytest.Recording{{Live: true, State: by("gone"), Spans: open}}, sessionhead.Quiet},
		{"its recorder gone", 36, []querytest.Recording{{Live: true, State: by("gone"), Spans: open}}, sessionhead.Lost},
		{"its recorder gone, without runs", 36, []querytest.Recording{{Live: true, State: by("gone")}}, sessionhead.Lost},
		{"its recorder gone after its run", 46, []querytest.Recording{{Live: true, State: by("gone"), Spans: done}}, sessionhead.Fine},
		{"one of two recorders gone", 46, []querytest.Recording{
			{Live: true, State: by("gone"), Spans: open}, {Stream: 2, Live: true, State: by("alive"), Spans: open},
		}, sessionhead.Quiet},
		{"the clock of its recorder ahead", -20, []querytest.Recording{{Live: true, State: by("alive"), Spans: open}}, sessionhead.Running},
		{"live although its last run failed", 30, []querytest.Recording{{Live: true, Spans: []schema.Span{querytest.Run("r", schema.StatusError, 0, 10)}}}, sessionhead.Running},
		{"ended well", 20, []querytest.Recording{{Spans: []schema.Span{querytest.Run("r", schema.StatusOK, 0, 10)}}}, sessionhead.Fine},
		{"no run at all", 20, []querytest.Recording{{}}, sessionhead.Fine},
		{"cancelled", 20, []querytest.Recording{{Spans: []schema.Span{cancelled}}}, sessionhead.Cancelled},
		{"cancelled, then another run ended well", 20, []querytest.Recording{{Spans: []schema.Span{cancelled, querytest.Run("r", schema.StatusOK, 11, 12)}}}, sessionhead.Cancelled},
		{"cancelled, then another run failed", 20, []querytest.Recording{{Spans: []schema.Span{cancelled, failed}}}, sessionhead.Failed},
		{"failed, then another run was cancelled", 20, []querytest.Recording{{Spans: []schema.Span{failed, querytest.Run("c2", schema.StatusCancelled, 13, 14)}}}, sessionhead.Failed},
		{"cancelled, then another run never ended", 20, []querytest.Recording{{Spans: []schema.Span{cancelled, querytest.Run("r", schema.StatusUnclosed, 11, 12)}}}, sessionhead.Incomplete},
		{"cancelled by hanging up", 20, []querytest.Recording{{State: end("error: connection reset"), Spans: []schema.Span{cancelled}}}, sessionhead.Cancelled},
		{"the last run failed", 20, []querytest.Recording{{Spans: []schema.Span{querytest.Run("r1", schema.StatusOK, 0, 5), querytest.Run("r2", schema.StatusError, 6, 10)}}}, sessionhead.Failed},
		{"the last of many runs that came in one read failed", 20, []querytest.Recording{{Spans: []schema.Span{
			querytest.Run("run:8", schema.StatusOK, 0, 5), querytest.Run("run:9", schema.StatusOK, 0, 5), querytest.Run("run:10", schema.StatusError, 0, 5),
		}}}, sessionhead.Failed},
		{"an earlier run failed", 20, []querytest.Recording{{Spans: []schema.Span{querytest.Run("r1", schema.StatusError, 0, 5), querytest.Run("r2", schema.StatusOK, 6, 10)}}}, sessionhead.Fine},
		{"the stream ended first", 20, []querytest.Recording{{Spans: []schema.Span{querytest.Run("r", schema.StatusUnclosed, 0, 10)}}}, sessionhead.Incomplete},
		{"ended with an open run", 20, []querytest.Recording{{Spans: []schema.Span{querytest.Run("r", schema.StatusOpen, 0, 0)}}}, sessionhead.Incomplete},
		{"cut off", 20, []querytest.Recording{{State: end("error: connection reset")}}, sessionhead.Incomplete},
		{"cut off, then another stream went on", 20, []querytest.Recording{
			{State: end("error: connection reset")},
			{Stream: 2, Spans: []schema.Span{querytest.Run("r", schema.StatusOK, 6, 10)}},
		}, sessionhead.Fine},
		{"another stream saw the run's end", 20, []querytest.Recording{
			{Spans: []schema.Span{querytest.Run("r", schema.StatusUnclosed, 0, 10)}},
			{Stream: 2, Spans: []schema.Span{querytest.Run("r", schema.StatusOK, 1, 9)}},
		}, sessionhead.Fine},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tenant := fmt.Sprintf("%s-%d", db.Tenant, i)
			for i := range tc.rec {
				tc.rec[i].Tenant, tc.rec[i].Session = tenant, "s"
			}
			db.Add(tc.rec...)
			r := querytest.Reader(db, tc.now, query.WithRecorders(querytest.Alive{Ids: []string{"alive"}, Within: 35 * time.Second}))
			// The list, the list of that status alone, and the session's own page agree.
			for _, only := range [][]sessionhead.Status{nil, {tc.want}, sessionhead.Statuses} {
				page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, sessionlist.Query{
					Tenant: tenant, Limit: 10, Filter: sessionfilter.Filter{Statuses: only},
				}))
				if len(page.Items) != 1 || page.Items[0].Status != tc.want {
					t.Errorf("list of %v: %+v, want one session, %s", only, page.Items, tc.want)
				}
				if page.Items != nil && (page.Items[0].Ended == nil) != tc.want.Open() {
					t.Errorf("ended is %v", page.Items[0].Ended)
				}
			}
			if d := querytest.Must[*sessiondetail.Detail](t)(sessiondetail.Read(t.Context(), r, tenant, "s")); d.Status != tc.want {
				t.Errorf("its page says %s, want %s", d.Status, tc.want)
			}
		})
	}
}
