package query_test

import (
	"fmt"
	"testing"
	"time"

	"tapedeck/deploy/local/localtest"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

func TestSessionInTheList(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	db.Add(
		querytest.Recording{
			Session: "s", Stream: 1,
			State: schema.StreamState{
				Title: "Fix the build", Dialect: "loom", Tags: map[string]string{"customer": "c1"},
				FirstAt: at(0), LastAt: at(90), Frames: 40, Bytes: 4000,
			},
			Spans: []schema.Span{
				run("r1", schema.StatusError, 0, 20), run("r2", schema.StatusOK, 30, 90),
				tool("t1", "bash", schema.StatusOK, 2, 4), tool("t2", "bash", schema.StatusError, 32, 33),
				span(schema.SpanLLM, "l1", "r2", "gpt", schema.StatusOK, 31, 32),
			},
			Usages: []schema.Usage{
				used("u1", "gpt-5", 5, schema.Tokens{Input: 100, CacheRead: 10, Output: 7}),
				used("u2", "gpt-5", 35, schema.Tokens{Input: 1, CacheWrite5m: 2, CacheWrite1h: 3, Output: 4, Reasoning: 5}),
			},
		},
		// Another stream saw the end of t1, and has its own share of the frames.
		querytest.Recording{
			Session: "s", Stream: 2,
			State: schema.StreamState{
				Title: "Later title", Dialect: "openai-chat", Tags: map[string]string{"region": "eu"},
				FirstAt: at(1), LastAt: at(60), Frames: 2, Bytes: 300,
			},
			Spans: []schema.Span{tool("t1", "", schema.StatusOK, 0, 4)},
		},
		// A part of its own for when the stream came back.
		querytest.Recording{
			Session: "s", Stream: 2,
			State: schema.StreamState{
				FirstSeq: 500, Dialect: "openai-chat", Tags: map[string]string{"region": "eu"},
				FirstAt: at(95), LastAt: at(100.5), Frames: 1, Bytes: 50,
			},
		},
		querytest.Recording{Session: "s", Stream: 3, Tenant: "other", State: schema.StreamState{FirstAt: at(-9), LastAt: at(900), Frames: 1}},
	)
	page := must[*query.Page[query.Session]](t)(reader(db, 1000).Sessions(t.Context(),
		query.SessionQuery{Tenant: querytest.Tenant, Limit: 10}))
	want := query.Session{Runs: 2, Streams: 2}
	want.SessionHead = query.SessionHead{
		ID: "s", Started: when(0), Ended: ptr(when(100.5)), LastAt: when(100.5), DurationMS: 100500,
		Status: query.Fine, Title: "Fix the build", Frames: 43, Bytes: 4350,
		Tools: query.ToolCounts{Calls: 2, Errors: 1}, Dialects: []string{"loom", "openai-chat"},
		Agents: []string{"main"}, Models: []string{}, Tags: map[string]string{"customer": "c1", "region": "eu"},
		Spent: query.Spent{
			Calls: 2, UnpricedCalls: 2,
			Tokens: query.Tokens{Input: 101, CacheRead: 10, CacheWrite5m: 2, CacheWrite1h: 3, Output: 11, Reasoning: 5, Total: 132},
		},
	}
	equal(t, "the list", []query.Session{want}, page.Items)
	if page.Next != nil {
		t.Errorf("next is %q on the only page", *page.Next)
	}
}

// heard is what is known of recorders.
type heard struct {
	ids    []string
	within time.Duration
}

func (h heard) Alive() ([]string, time.Duration) { return h.ids, h.within }

func TestSessionStatus(t *testing.T) {
	end := func(reason string) schema.StreamState { return schema.StreamState{EndReason: reason} }
	by := func(recorder string) schema.StreamState { return schema.StreamState{Recorder: recorder} }
	open, done := []schema.Span{run("r", schema.StatusOpen, 0, 0)}, []schema.Span{run("r", schema.StatusOK, 0, 10)}
	cancelled, failed := run("c", schema.StatusCancelled, 0, 10), run("f", schema.StatusError, 11, 12)
	db := querytest.Open(t, localtest.ClickHouse(t))
	for i, tc := range []struct {
		name string
		now  float64 // seconds after the start
		rec  []querytest.Recording
		want query.SessionStatus
	}{
		{"frames come", 40, []querytest.Recording{{Live: true, Spans: done}}, query.Running},
		{"silent, its run done", 41, []querytest.Recording{{Live: true, Spans: done}}, query.Fine},
		{"silent, without runs", 31, []querytest.Recording{{Live: true, State: by("alive")}}, query.Quiet},
		{"a slow tool", 3600, []querytest.Recording{{Live: true, Spans: open}}, query.Quiet},
		{"a tool that hangs for a day", 86400, []querytest.Recording{{Live: true, State: by("alive"), Spans: open}}, query.Quiet},
		{"waits for an approval", 3000, []querytest.Recording{{Live: true, Spans: []schema.Span{run("r", schema.StatusWaiting, 0, 0)}}}, query.Quiet},
		{"silent with an open run, its recorder without an id", 3601, []querytest.Recording{{Live: true, Spans: open}}, query.Lost},
		{"its recorder not heard, but frames", 35, []querytest.Recording{{Live: true, State: by("gone"), Spans: open}}, query.Quiet},
		{"its recorder gone", 36, []querytest.Recording{{Live: true, State: by("gone"), Spans: open}}, query.Lost},
		{"its recorder gone, without runs", 36, []querytest.Recording{{Live: true, State: by("gone")}}, query.Lost},
		{"its recorder gone after its run", 46, []querytest.Recording{{Live: true, State: by("gone"), Spans: done}}, query.Fine},
		{"one of two recorders gone", 46, []querytest.Recording{
			{Live: true, State: by("gone"), Spans: open}, {Stream: 2, Live: true, State: by("alive"), Spans: open},
		}, query.Quiet},
		{"the clock of its recorder ahead", -20, []querytest.Recording{{Live: true, State: by("alive"), Spans: open}}, query.Running},
		{"live although its last run failed", 30, []querytest.Recording{{Live: true, Spans: []schema.Span{run("r", schema.StatusError, 0, 10)}}}, query.Running},
		{"ended well", 20, []querytest.Recording{{Spans: []schema.Span{run("r", schema.StatusOK, 0, 10)}}}, query.Fine},
		{"no run at all", 20, []querytest.Recording{{}}, query.Fine},
		{"cancelled", 20, []querytest.Recording{{Spans: []schema.Span{cancelled}}}, query.Cancelled},
		{"cancelled, then another run ended well", 20, []querytest.Recording{{Spans: []schema.Span{cancelled, run("r", schema.StatusOK, 11, 12)}}}, query.Cancelled},
		{"cancelled, then another run failed", 20, []querytest.Recording{{Spans: []schema.Span{cancelled, failed}}}, query.Failed},
		{"failed, then another run was cancelled", 20, []querytest.Recording{{Spans: []schema.Span{failed, run("c2", schema.StatusCancelled, 13, 14)}}}, query.Failed},
		{"cancelled, then another run never ended", 20, []querytest.Recording{{Spans: []schema.Span{cancelled, run("r", schema.StatusUnclosed, 11, 12)}}}, query.Incomplete},
		{"cancelled by hanging up", 20, []querytest.Recording{{State: end("error: connection reset"), Spans: []schema.Span{cancelled}}}, query.Cancelled},
		{"the last run failed", 20, []querytest.Recording{{Spans: []schema.Span{run("r1", schema.StatusOK, 0, 5), run("r2", schema.StatusError, 6, 10)}}}, query.Failed},
		{"the last of many runs that came in one read failed", 20, []querytest.Recording{{Spans: []schema.Span{
			run("run:8", schema.StatusOK, 0, 5), run("run:9", schema.StatusOK, 0, 5), run("run:10", schema.StatusError, 0, 5),
		}}}, query.Failed},
		{"an earlier run failed", 20, []querytest.Recording{{Spans: []schema.Span{run("r1", schema.StatusError, 0, 5), run("r2", schema.StatusOK, 6, 10)}}}, query.Fine},
		{"the stream ended first", 20, []querytest.Recording{{Spans: []schema.Span{run("r", schema.StatusUnclosed, 0, 10)}}}, query.Incomplete},
		{"ended with an open run", 20, []querytest.Recording{{Spans: []schema.Span{run("r", schema.StatusOpen, 0, 0)}}}, query.Incomplete},
		{"cut off", 20, []querytest.Recording{{State: end("error: connection reset")}}, query.Incomplete},
		{"cut off, then another stream went on", 20, []querytest.Recording{
			{State: end("error: connection reset")},
			{Stream: 2, Spans: []schema.Span{run("r", schema.StatusOK, 6, 10)}},
		}, query.Fine},
		{"another stream saw the run's end", 20, []querytest.Recording{
			{Spans: []schema.Span{run("r", schema.StatusUnclosed, 0, 10)}},
			{Stream: 2, Spans: []schema.Span{run("r", schema.StatusOK, 1, 9)}},
		}, query.Fine},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tenant := fmt.Sprintf("tenant-%d", i)
			for i := range tc.rec {
				tc.rec[i].Tenant, tc.rec[i].Session = tenant, "s"
			}
			db.Add(tc.rec...)
			r := reader(db, tc.now, query.WithRecorders(heard{ids: []string{"alive"}, within: 35 * time.Second}))
			// The list, the list of that status alone, and the session's own page agree.
			for _, only := range [][]query.SessionStatus{nil, {tc.want}, query.SessionStatuses} {
				page := must[*query.Page[query.Session]](t)(r.Sessions(t.Context(), query.SessionQuery{
					Tenant: tenant, Limit: 10, SessionFilter: query.SessionFilter{Statuses: only},
				}))
				if len(page.Items) != 1 || page.Items[0].Status != tc.want {
					t.Errorf("list of %v: %+v, want one session, %s", only, page.Items, tc.want)
				}
				if page.Items != nil && (page.Items[0].Ended == nil) != tc.want.Open() {
					t.Errorf("ended is %v", page.Items[0].Ended)
				}
			}
			if d := must[*query.SessionDetail](t)(r.Session(t.Context(), tenant, "s")); d.Status != tc.want {
				t.Errorf("its page says %s, want %s", d.Status, tc.want)
			}
		})
	}
}
