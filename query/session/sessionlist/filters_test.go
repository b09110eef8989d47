package sessionlist_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/sessionfilter"
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
				Title: fmt.Sprintf("Größe %d", i), FirstAt: querytest.AtSecond(start), LastAt: querytest.AtSecond(start + float64(10-i)),
				Tags: map[string]string{"parity": []string{"even", "odd"}[i%2]},
			},
			Spans: []schema.Span{querytest.Run("r", status, start, start+1), querytest.Tool("t", []string{"bash", "search"}[i%2], schema.StatusOK, start, start+1)},
		}
		r.Spans[0].Agent, r.Spans[1].Agent = fmt.Sprintf("agent-%d", i%5), ""
		if i < 2 {
			r.State.Tags["beta"] = ""
			r.Usages = []schema.Usage{querytest.Used("u", "gpt-5", start, schema.Tokens{Input: 1})}
		}
		if i%5 == 4 {
			r.State.Dialect, r.State.Version = "openai-chat", 2
		}
		list = append(list, r)
	}
	// s1 used 2, s2 20 that two streams write, s3 40 as running totals: 30, and
	// 10 after that count began anew.
	list[1].Usages[0].Tokens.Output = 1
	list[2].Usages = []schema.Usage{querytest.Used("u", "", 120, schema.Tokens{CacheRead: 15, Reasoning: 5})}
	for i, total := range []uint64{30, 5, 10} {
		u := querytest.Used(fmt.Sprint("u", i), "", 180+float64(i), schema.Tokens{Input: total})
		u.Scope, u.Mode = "thread", schema.UsageRunning
		list[3].Usages = append(list[3].Usages, u)
	}
	again := list[2]
	again.Stream = 20
	return append(list, again, querytest.Recording{
		// s9's stream as it was seen before it was recognised.
		Session: "s9", Stream: 10, State: schema.StreamState{Dialect: "ndjson", FirstAt: querytest.AtSecond(480), LastAt: querytest.AtSecond(480), Tags: map[string]string{"parity": "odd"}},
	})
}

// filterCase is a filter, an order, and the sessions of the catalogue that it lists.
type filterCase struct {
	name   string
	filter sessionfilter.Filter
	sort   sessionfilter.Sort
	want   string
}

func filterCases() []filterCase {
	return []filterCase{
		{"all, newest first", sessionfilter.Filter{}, "", "9 8 7 6 5 4 3 2 1 0"},
		{"oldest first", sessionfilter.Filter{}, "started", "0 1 2 3 4 5 6 7 8 9"},
		{"longest first", sessionfilter.Filter{}, "-duration", "0 1 2 3 4 5 6 7 8 9"},
		{"shortest first", sessionfilter.Filter{}, "duration", "9 8 7 6 5 4 3 2 1 0"},
		{"latest activity first", sessionfilter.Filter{}, "-last_at", "8 9 7 6 5 4 3 2 1 0"},
		{"oldest activity first", sessionfilter.Filter{}, "last_at", "0 1 2 3 4 5 6 7 9 8"},
		{"from, inclusive", sessionfilter.Filter{From: querytest.When(420)}, "", "9 8 7"},
		{"to, exclusive", sessionfilter.Filter{To: querytest.When(120)}, "", "1 0"},
		{"from and to", sessionfilter.Filter{From: querytest.When(60), To: querytest.When(240)}, "", "3 2 1"},
		{"text in the title, whatever its case", sessionfilter.Filter{Text: "gRÖßE 4"}, "", "4"},
		{"text in the id", sessionfilter.Filter{Text: "S7"}, "", "7"},
		{"text in a tag", sessionfilter.Filter{Text: "ODD"}, "", "9 7 5 3 1"},
		{"text that looks like SQL", sessionfilter.Filter{Text: `' OR 1=1 --\`}, "", ""},
		{"a tag", sessionfilter.Filter{Tags: []sessionfilter.TagFilter{{Key: "parity", Value: "odd"}}}, "", "9 7 5 3 1"},
		{"a tag with any value", sessionfilter.Filter{Tags: []sessionfilter.TagFilter{{Key: "beta", AnyValue: true}}}, "", "1 0"},
		{"without a value of a tag, which an empty value is", sessionfilter.Filter{Tags: []sessionfilter.TagFilter{{Key: "beta"}}}, "", "9 8 7 6 5 4 3 2 1 0"},
		{"without a tag that all have", sessionfilter.Filter{Tags: []sessionfilter.TagFilter{{Key: "parity"}}}, "", ""},
		{"no such tag", sessionfilter.Filter{Tags: []sessionfilter.TagFilter{{Key: "gamma", AnyValue: true}}}, "", ""},
		{"two tags, both", sessionfilter.Filter{Tags: []sessionfilter.TagFilter{{Key: "beta", AnyValue: true}, {Key: "parity", Value: "odd"}}}, "", "1"},
		{"an agent", sessionfilter.Filter{Agents: []string{"agent-3"}}, "", "8 3"},
		{"either agent", sessionfilter.Filter{Agents: []string{"agent-3", "agent-4"}}, "", "9 8 4 3"},
		{"a tool", sessionfilter.Filter{Tools: []string{"search"}}, "", "9 7 5 3 1"},
		{"a model", sessionfilter.Filter{Models: []string{"gpt-5"}}, "", "1 0"},
		{"failed", sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Failed}}, "", "7 4 1"},
		{"incomplete", sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Incomplete}}, "", "8 5 2"},
		{"fine", sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Fine}}, "", "9 6 3 0"},
		{"running", sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Running}}, "", ""},
		{"failed or incomplete", sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Failed, sessionhead.Incomplete}}, "", "8 7 5 4 2 1"},
		{"fine or failed", sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Fine, sessionhead.Failed}}, "", "9 7 6 4 3 1 0"},
		{"a dialect", sessionfilter.Filter{Dialects: []string{"openai-chat"}}, "", "9 4"},
		{"either dialect", sessionfilter.Filter{Dialects: []string{"openai-chat", "loom"}}, "", "9 8 7 6 5 4 3 2 1 0"},
		{"a dialect that a stream was first taken for", sessionfilter.Filter{Dialects: []string{"ndjson"}}, "", ""},
		{"as long as this, or longer", sessionfilter.Filter{MinDuration: 8 * time.Second}, "", "2 1 0"},
		{"as long as this, or shorter", sessionfilter.Filter{MaxDuration: 2 * time.Second}, "", "9 8"},
		{"of a length", sessionfilter.Filter{MinDuration: 4 * time.Second, MaxDuration: 5 * time.Second}, "-duration", "5 6"},
		{"some tokens", sessionfilter.Filter{MinTokens: 1}, "", "3 2 1 0"},
		{"so many tokens, of a running total", sessionfilter.Filter{MinTokens: 30}, "", "3"},
		{"so many tokens, late", sessionfilter.Filter{MinTokens: 1, From: querytest.When(100)}, "", "3 2"},
		{"more tokens than there are", sessionfilter.Filter{MinTokens: 41}, "", ""},
		{"no tokens", sessionfilter.Filter{MaxTokens: querytest.Ptr[int64](0)}, "", "9 8 7 6 5 4"},
		{"few tokens", sessionfilter.Filter{MinTokens: 1, MaxTokens: querytest.Ptr[int64](20)}, "", "2 1 0"},
		{"most tokens first", sessionfilter.Filter{}, "-tokens", "3 2 1 0 9 8 7 6 5 4"},
		{"fewest tokens first", sessionfilter.Filter{To: querytest.When(240)}, "tokens", "0 1 2 3"},
		{"failed, with an odd number, late", sessionfilter.Filter{
			From: querytest.When(100), Statuses: []sessionhead.Status{sessionhead.Failed}, Tags: []sessionfilter.TagFilter{{Key: "parity", Value: "odd"}},
		}, "", "7"},
	}
}

// Pages of three sessions hold what a filter selects, in order. Orders, and filters by tokens, are
// read in one page too. Where sessions 8 and 9 follow one another by equal times, pages of one
// session end between the two.
func TestSessionFilters(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	db.Add(catalogue()...)
	for _, tc := range filterCases() {
		t.Run(tc.name, func(t *testing.T) {
			checkPages(t, db, tc, 3)
			if tc.sort != "" || tc.filter.MinTokens > 0 {
				checkPages(t, db, tc, 100)
			}
			switch tc.sort {
			case "started", "last_at", "-last_at":
				checkPages(t, db, tc, 1)
			}
		})
	}
}

// Pages of one session hold what every filter selects, in order.
func TestSessionFiltersOneByOne(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	db.Add(catalogue()...)
	for _, tc := range filterCases() {
		t.Run(tc.name, func(t *testing.T) { checkPages(t, db, tc, 1) })
	}
}

// checkPages reads all pages of a filter with a number of sessions on each.
func checkPages(t *testing.T, db *querytest.DB, tc filterCase, limit int) {
	t.Helper()
	r := querytest.Reader(db, 1e6)
	var got []string
	q := sessionlist.Query{Tenant: db.Tenant, Filter: tc.filter, Sort: tc.sort, Limit: limit}
	for pages := 0; ; pages++ {
		page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, q))
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

// What usage can be grouped by selects its sessions: s1 has a call of openai at the tier flex that
// succeeded in the node plan, s2 one of anthropic that failed in a node without a name, s3 usage
// without a call, and s4 a call that failed and has no usage.
func TestUsageFilters(t *testing.T) {
	db := querytest.Open(t)
	record := func(n int, used bool, with func(call *schema.Span, u *schema.Usage)) querytest.Recording {
		call := querytest.Span(schema.SpanLLM, "call", "run", "gpt-5", schema.StatusOK, 0, 1)
		u := querytest.Used("u", "gpt-5", 1, schema.Tokens{Input: 1})
		call.Run, u.Run, u.Span, u.Provider = fmt.Sprintf("run-%d", n), fmt.Sprintf("run-%d", n), "call", ""
		with(&call, &u)
		r := querytest.Recording{Session: fmt.Sprintf("s%d", n), Stream: n, Spans: []schema.Span{call}}
		if used {
			r.Usages = []schema.Usage{u}
		}
		return r
	}
	first := record(1, true, func(call *schema.Span, u *schema.Usage) {
		call.Provider, u.ServiceTier, u.Node = "openai", "flex", "n1"
	})
	node := querytest.Span(schema.SpanNode, "node", "run", "plan", schema.StatusOK, 0, 1)
	node.Node = "n1"
	first.Spans = append(first.Spans, node)
	db.Add(first,
		record(2, true, func(call *schema.Span, u *schema.Usage) {
			call.Status, u.Provider, u.Node = schema.StatusError, "anthropic", "n2"
		}),
		record(3, true, func(call *schema.Span, u *schema.Usage) { u.Span, call.Status = "", schema.StatusError }),
		record(4, false, func(call *schema.Span, _ *schema.Usage) { call.Status = schema.StatusError }),
	)
	// A later view of s1's call, of the same stream as the first one.
	db.Add(first)
	r := querytest.Reader(db, 1e6)
	for _, tc := range []struct {
		name   string
		filter sessionfilter.Filter
		want   string
	}{
		{"a provider that a span names", sessionfilter.Filter{Providers: []string{"openai"}}, "s1"},
		{"a provider that usage names", sessionfilter.Filter{Providers: []string{"anthropic"}}, "s2"},
		{"either provider", sessionfilter.Filter{Providers: []string{"openai", "anthropic"}}, "s1 s2"},
		{"a run", sessionfilter.Filter{Runs: []string{"run-3"}}, "s3"},
		{"a node by its name", sessionfilter.Filter{Nodes: []string{"plan"}}, "s1"},
		{"a node by its id", sessionfilter.Filter{Nodes: []string{"n2"}}, "s2"},
		{"a tier", sessionfilter.Filter{ServiceTiers: []string{"flex"}}, "s1"},
		{"calls that succeeded", sessionfilter.Filter{CallStatuses: []string{"ok"}}, "s1"},
		{"calls with usage that failed", sessionfilter.Filter{CallStatuses: []string{"error"}}, "s2"},
		{"any of these", sessionfilter.Filter{CallStatuses: []string{"error", "ok"}}, "s1 s2"},
		{"calls that are open", sessionfilter.Filter{CallStatuses: []string{"open"}}, ""},
		{"a provider and another's tier", sessionfilter.Filter{Providers: []string{"anthropic"}, ServiceTiers: []string{"flex"}}, ""},
		{"with a limit of tokens", sessionfilter.Filter{Runs: []string{"run-2"}, MinTokens: 1}, "s2"},
		{"with a limit of time", sessionfilter.Filter{Runs: []string{"run-2"}, MinDuration: time.Nanosecond, From: querytest.When(-1)}, "s2"},
	} {
		ids := querytest.Must[[]string](t)(sessionfilter.Matching(t.Context(), r, db.Tenant, &tc.filter))
		slices.Sort(ids)
		if got := strings.Join(ids, " "); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// Tokens of records that are written once and add up are read straight.
func TestSessionTokensOnceMerged(t *testing.T) {
	db := querytest.New(t)
	var list []querytest.Recording
	for i := range 4 {
		r := querytest.Recording{Session: fmt.Sprintf("s%d", i), Stream: i + 1}
		for n := range i {
			r.Usages = append(r.Usages, querytest.Used(fmt.Sprint("u", n), "", float64(n), schema.Tokens{Input: 5, Output: 2, CacheWrite1h: 3}))
		}
		list = append(list, r)
	}
	db.Add(list...)
	db.Merge()
	db.Exec("OPTIMIZE TABLE usage FINAL")
	page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), query.NewReader(db.Conn), sessionlist.Query{
		Tenant: querytest.Tenant, Limit: 10, Sort: "-tokens",
		Filter: sessionfilter.Filter{MinTokens: 10, MaxTokens: querytest.Ptr[int64](29)},
	}))
	var got []string
	for _, s := range page.Items {
		got = append(got, fmt.Sprint(s.ID, " ", s.Tokens.Total))
	}
	querytest.Equal(t, "the sessions of 10 to 29 tokens", "s2 20, s1 10", strings.Join(got, ", "))
}

func TestSessionCursorOfAnotherOrder(t *testing.T) {
	db := querytest.Open(t)
	db.Add(catalogue()...)
	r := query.NewReader(db.Conn)
	page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, sessionlist.Query{Tenant: db.Tenant, Limit: 2}))
	for _, cursor := range []string{*page.Next, "nonsense", "e30"} {
		_, err := sessionlist.Read(t.Context(), r, sessionlist.Query{Tenant: db.Tenant, Limit: 2, Sort: "duration", Cursor: cursor})
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
	r := querytest.Reader(db, 1e6)
	q := sessionlist.Query{Tenant: db.Tenant, Limit: 4}
	first := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, q))
	db.Add(querytest.Recording{Session: "new", Stream: 50, State: schema.StreamState{FirstAt: querytest.AtSecond(9999)}})
	db.Add(querytest.Recording{Session: "s5", Stream: 51, State: schema.StreamState{FirstAt: querytest.AtSecond(9999), LastAt: querytest.AtSecond(10000)}})
	q.Cursor = *first.Next
	second := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, q))
	var got []string
	for _, s := range append(first.Items, second.Items...) {
		got = append(got, s.ID)
	}
	querytest.Equal(t, "two pages", "s9 s8 s7 s6 s5 s4 s3 s2", strings.Join(got, " "))
	if d := time.Duration(second.Items[0].DurationMS) * time.Millisecond; d != 9700*time.Second {
		t.Errorf("s5 goes on for %s", d)
	}
}
