package query_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tapedeck/deploy/local/localtest"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

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
		if i%5 == 4 {
			r.State.Dialect, r.State.Version = "openai-chat", 2
		}
		list = append(list, r)
	}
	// s1 used 2, s2 20 that two streams tell of, s3 40 as running totals: 30, and
	// 10 after that count began anew.
	list[1].Usages[0].Tokens.Output = 1
	list[2].Usages = []schema.Usage{used("u", "", 120, schema.Tokens{CacheRead: 15, Reasoning: 5})}
	for i, total := range []uint64{30, 5, 10} {
		u := used(fmt.Sprint("u", i), "", 180+float64(i), schema.Tokens{Input: total})
		u.Scope, u.Mode = "thread", schema.UsageRunning
		list[3].Usages = append(list[3].Usages, u)
	}
	again := list[2]
	again.Stream = 20
	return append(list, again, querytest.Recording{
		// s9's stream as it was seen before it was recognised.
		Session: "s9", Stream: 10, State: schema.StreamState{Dialect: "ndjson", FirstAt: at(480), LastAt: at(480), Tags: map[string]string{"parity": "odd"}},
	})
}

func TestSessionFilters(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
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
		{"a dialect", query.SessionFilter{Dialects: []string{"openai-chat"}}, "", "9 4"},
		{"either dialect", query.SessionFilter{Dialects: []string{"openai-chat", "loom"}}, "", "9 8 7 6 5 4 3 2 1 0"},
		{"a dialect that a stream was first taken for", query.SessionFilter{Dialects: []string{"ndjson"}}, "", ""},
		{"as long as this, or longer", query.SessionFilter{MinDuration: 8 * time.Second}, "", "2 1 0"},
		{"as long as this, or shorter", query.SessionFilter{MaxDuration: 2 * time.Second}, "", "9 8"},
		{"of a length", query.SessionFilter{MinDuration: 4 * time.Second, MaxDuration: 5 * time.Second}, "-duration", "5 6"},
		{"some tokens", query.SessionFilter{MinTokens: 1}, "", "3 2 1 0"},
		{"so many tokens, of a running total", query.SessionFilter{MinTokens: 30}, "", "3"},
		{"so many tokens, late", query.SessionFilter{MinTokens: 1, From: when(100)}, "", "3 2"},
		{"more tokens than there are", query.SessionFilter{MinTokens: 41}, "", ""},
		{"no tokens", query.SessionFilter{MaxTokens: ptr[int64](0)}, "", "9 8 7 6 5 4"},
		{"few tokens", query.SessionFilter{MinTokens: 1, MaxTokens: ptr[int64](20)}, "", "2 1 0"},
		{"most tokens first", query.SessionFilter{}, "-tokens", "3 2 1 0 9 8 7 6 5 4"},
		{"fewest tokens first", query.SessionFilter{To: when(240)}, "tokens", "0 1 2 3"},
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

// Tokens of records that are told once and add up are read straight.
func TestSessionTokensOnceMerged(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	var list []querytest.Recording
	for i := range 4 {
		r := querytest.Recording{Session: fmt.Sprintf("s%d", i), Stream: i + 1}
		for n := range i {
			r.Usages = append(r.Usages, used(fmt.Sprint("u", n), "", float64(n), schema.Tokens{Input: 5, Output: 2, CacheWrite1h: 3}))
		}
		list = append(list, r)
	}
	db.Add(list...)
	db.Merge()
	db.Exec("OPTIMIZE TABLE usage FINAL")
	page := must[*query.Page[query.Session]](t)(query.NewReader(db.Conn).Sessions(t.Context(), query.SessionQuery{
		Tenant: querytest.Tenant, Limit: 10, Sort: "-tokens",
		SessionFilter: query.SessionFilter{MinTokens: 10, MaxTokens: ptr[int64](29)},
	}))
	var got []string
	for _, s := range page.Items {
		got = append(got, fmt.Sprint(s.ID, " ", s.Tokens.Total))
	}
	equal(t, "the sessions of 10 to 29 tokens", "s2 20, s1 10", strings.Join(got, ", "))
}

func TestSessionCursorOfAnotherOrder(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
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
	db := querytest.Open(t, localtest.ClickHouse(t))
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
