package query_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

func TestSessionInTheList(t *testing.T) {
	db := querytest.Open(t)
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

func TestSessionStatus(t *testing.T) {
	end := func(reason string) schema.StreamState { return schema.StreamState{EndReason: reason} }
	db := querytest.Open(t)
	for i, tc := range []struct {
		name string
		now  float64 // seconds after the start
		rec  []querytest.Recording
		want query.SessionStatus
	}{
		{"frames come", 70, []querytest.Recording{{Live: true, Spans: []schema.Span{run("r", schema.StatusOK, 0, 10)}}}, query.Running},
		{"silent, its run done", 71, []querytest.Recording{{Live: true, Spans: []schema.Span{run("r", schema.StatusOK, 0, 10)}}}, query.Fine},
		{"a slow tool", 3600, []querytest.Recording{{Live: true, Spans: []schema.Span{run("r", schema.StatusOpen, 0, 0)}}}, query.Running},
		{"waits for an approval", 3000, []querytest.Recording{{Live: true, Spans: []schema.Span{run("r", schema.StatusWaiting, 0, 0)}}}, query.Running},
		{"silent with an open run", 3601, []querytest.Recording{{Live: true, Spans: []schema.Span{run("r", schema.StatusOpen, 0, 0)}}}, query.Incomplete},
		{"live although its last run failed", 30, []querytest.Recording{{Live: true, Spans: []schema.Span{run("r", schema.StatusError, 0, 10)}}}, query.Running},
		{"ended well", 20, []querytest.Recording{{Spans: []schema.Span{run("r", schema.StatusOK, 0, 10)}}}, query.Fine},
		{"no run at all", 20, []querytest.Recording{{}}, query.Fine},
		{"cancelled", 20, []querytest.Recording{{Spans: []schema.Span{run("r", schema.StatusCancelled, 0, 10)}}}, query.Fine},
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
			r := reader(db, tc.now)
			// The list, the list of that status alone, and the session's own page agree.
			for _, only := range [][]query.SessionStatus{nil, {tc.want}, query.SessionStatuses} {
				page := must[*query.Page[query.Session]](t)(r.Sessions(t.Context(), query.SessionQuery{
					Tenant: tenant, Limit: 10, SessionFilter: query.SessionFilter{Statuses: only},
				}))
				if len(page.Items) != 1 || page.Items[0].Status != tc.want {
					t.Errorf("list of %v: %+v, want one session, %s", only, page.Items, tc.want)
				}
				if page.Items != nil && (page.Items[0].Ended == nil) != (tc.want == query.Running) {
					t.Errorf("ended is %v", page.Items[0].Ended)
				}
			}
			if d := must[*query.SessionDetail](t)(r.Session(t.Context(), tenant, "s")); d.Status != tc.want {
				t.Errorf("its page says %s, want %s", d.Status, tc.want)
			}
		})
	}
}

// catalogue is ten sessions, s0 to s9, each a minute after the one before, the
// last two begun at the same moment.
func catalogue() []querytest.Recording {
	var list []querytest.Recording
	for i := range 10 {
		start := float64(min(i, 8) * 60)
		status := []schema.Status{schema.StatusOK, schema.StatusError, schema.StatusUnclosed}[i%3]
		r := querytest.Recording{
			Session: fmt.Sprintf("s%d", i), Stream: i + 1,
			State: schema.StreamState{
				Title: fmt.Sprintf("Größe %d", i), FirstAt: at(start), LastAt: at(start + float64(10-i)),
				Tags: map[string]string{"parity": []string{"even", "odd"}[i%2]},
			},
			Spans: []schema.Span{run("r", status, start, start+1), tool("t", []string{"bash", "search"}[i%2], schema.StatusOK, start, start+1)},
		}
		r.Spans[0].Agent, r.Spans[1].Agent = fmt.Sprintf("agent-%d", i%5), ""
		if i < 2 {
			r.State.Tags["beta"] = ""
			r.Usages = []schema.Usage{used("u", "gpt-5", start, schema.Tokens{Input: 1})}
		}
		list = append(list, r)
	}
	return list
}

func TestSessionFilters(t *testing.T) {
	db := querytest.Open(t)
	db.Add(catalogue()...)
	r := reader(db, 1e6)
	for _, tc := range []struct {
		name   string
		filter query.SessionFilter
		sort   query.SessionSort
		want   string
	}{
		{"all, newest first", query.SessionFilter{}, "", "9 8 7 6 5 4 3 2 1 0"},
		{"oldest first", query.SessionFilter{}, "started", "0 1 2 3 4 5 6 7 8 9"},
		{"longest first", query.SessionFilter{}, "-duration", "0 1 2 3 4 5 6 7 8 9"},
		{"shortest first", query.SessionFilter{}, "duration", "9 8 7 6 5 4 3 2 1 0"},
		{"latest activity first", query.SessionFilter{}, "-last_at", "8 9 7 6 5 4 3 2 1 0"},
		{"oldest activity first", query.SessionFilter{}, "last_at", "0 1 2 3 4 5 6 7 9 8"},
		{"from, inclusive", query.SessionFilter{From: when(420)}, "", "9 8 7"},
		{"to, exclusive", query.SessionFilter{To: when(120)}, "", "1 0"},
		{"from and to", query.SessionFilter{From: when(60), To: when(240)}, "", "3 2 1"},
		{"text in the title, whatever its case", query.SessionFilter{Text: "gRÖßE 4"}, "", "4"},
		{"text in the id", query.SessionFilter{Text: "S7"}, "", "7"},
		{"text in a tag", query.SessionFilter{Text: "ODD"}, "", "9 7 5 3 1"},
		{"text that looks like SQL", query.SessionFilter{Text: `' OR 1=1 --\`}, "", ""},
		{"a tag", query.SessionFilter{Tags: []query.TagFilter{{Key: "parity", Value: "odd"}}}, "", "9 7 5 3 1"},
		{"a tag with any value", query.SessionFilter{Tags: []query.TagFilter{{Key: "beta", AnyValue: true}}}, "", "1 0"},
		{"a tag with an empty value", query.SessionFilter{Tags: []query.TagFilter{{Key: "beta"}}}, "", "1 0"},
		{"no such tag", query.SessionFilter{Tags: []query.TagFilter{{Key: "gamma"}}}, "", ""},
		{"two tags, both", query.SessionFilter{Tags: []query.TagFilter{{Key: "beta", AnyValue: true}, {Key: "parity", Value: "odd"}}}, "", "1"},
		{"an agent", query.SessionFilter{Agents: []string{"agent-3"}}, "", "8 3"},
		{"either agent", query.SessionFilter{Agents: []string{"agent-3", "agent-4"}}, "", "9 8 4 3"},
		{"a tool", query.SessionFilter{Tools: []string{"search"}}, "", "9 7 5 3 1"},
		{"a model", query.SessionFilter{Models: []string{"gpt-5"}}, "", "1 0"},
		{"failed", query.SessionFilter{Statuses: []query.SessionStatus{query.Failed}}, "", "7 4 1"},
		{"incomplete", query.SessionFilter{Statuses: []query.SessionStatus{query.Incomplete}}, "", "8 5 2"},
		{"fine", query.SessionFilter{Statuses: []query.SessionStatus{query.Fine}}, "", "9 6 3 0"},
		{"running", query.SessionFilter{Statuses: []query.SessionStatus{query.Running}}, "", ""},
		{"failed or incomplete", query.SessionFilter{Statuses: []query.SessionStatus{query.Failed, query.Incomplete}}, "", "8 7 5 4 2 1"},
		{"fine or failed", query.SessionFilter{Statuses: []query.SessionStatus{query.Fine, query.Failed}}, "", "9 7 6 4 3 1 0"},
		{"failed, with an odd number, late", query.SessionFilter{
			From: when(100), Statuses: []query.SessionStatus{query.Failed}, Tags: []query.TagFilter{{Key: "parity", Value: "odd"}},
		}, "", "7"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, limit := range []int{1, 3, 100} {
				var got []string
				q := query.SessionQuery{Tenant: querytest.Tenant, SessionFilter: tc.filter, Sort: tc.sort, Limit: limit}
				for pages := 0; ; pages++ {
					page := must[*query.Page[query.Session]](t)(r.Sessions(t.Context(), q))
					for _, s := range page.Items {
						got = append(got, strings.TrimPrefix(s.ID, "s"))
					}
					if page.Next == nil {
						break
					}
					if len(page.Items) != limit || pages > 10 {
						t.Fatalf("a page of %d with another after it, limit %d", len(page.Items), limit)
					}
					q.Cursor = *page.Next
				}
				if joined := strings.Join(got, " "); joined != tc.want {
					t.Errorf("by %d: %s, want %s", limit, joined, tc.want)
				}
			}
		})
	}
}

func TestSessionCursorOfAnotherOrder(t *testing.T) {
	db := querytest.Open(t)
	db.Add(catalogue()...)
	r := query.NewReader(db.Conn)
	page := must[*query.Page[query.Session]](t)(r.Sessions(t.Context(), query.SessionQuery{Tenant: querytest.Tenant, Limit: 2}))
	for _, cursor := range []string{*page.Next, "nonsense", "e30"} {
		_, err := r.Sessions(t.Context(), query.SessionQuery{Tenant: querytest.Tenant, Limit: 2, Sort: "duration", Cursor: cursor})
		if err == nil || !strings.Contains(err.Error(), "cursor is not one of this list") {
			t.Errorf("cursor %q: error %v", cursor, err)
		}
	}
}

// A session that is recorded while somebody pages through the list neither
// hides another nor shows twice.
func TestSessionListWhileRecording(t *testing.T) {
	db := querytest.Open(t)
	db.Add(catalogue()...)
	r := reader(db, 1e6)
	q := query.SessionQuery{Tenant: querytest.Tenant, Limit: 4}
	first := must[*query.Page[query.Session]](t)(r.Sessions(t.Context(), q))
	db.Add(querytest.Recording{Session: "new", Stream: 50, State: schema.StreamState{FirstAt: at(9999)}})
	db.Add(querytest.Recording{Session: "s5", Stream: 51, State: schema.StreamState{FirstAt: at(9999), LastAt: at(10000)}})
	q.Cursor = *first.Next
	second := must[*query.Page[query.Session]](t)(r.Sessions(t.Context(), q))
	var got []string
	for _, s := range append(first.Items, second.Items...) {
		got = append(got, s.ID)
	}
	equal(t, "two pages", "s9 s8 s7 s6 s5 s4 s3 s2", strings.Join(got, " "))
	if d := time.Duration(second.Items[0].DurationMS) * time.Millisecond; d != 9700*time.Second {
		t.Errorf("s5 goes on for %s", d)
	}
}
