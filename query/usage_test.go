package query_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tapedeck/deploy/local/localtest"
	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// table writes a usage report as lines of "<period> <groups>: <calls> calls,
// <input>+<cache_read>+<cache_write_5m>+<cache_write_1h>+<output>+<reasoning>=<total>".
func table(r *query.UsageReport) string {
	line := func(name string, s query.Spent) string {
		t := s.Tokens
		return fmt.Sprintf("%s: %d calls, %d+%d+%d+%d+%d+%d=%d", name, s.Calls,
			t.Input, t.CacheRead, t.CacheWrite5m, t.CacheWrite1h, t.Output, t.Reasoning, t.Total)
	}
	var lines []string
	for _, row := range r.Items {
		var name []string
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
		lines = append(lines, line(strings.Join(name, " "), row.Spent))
	}
	return strings.Join(append(lines, line("total", r.Totals)), "\n")
}

func lines(s ...string) string { return strings.Join(s, "\n") }

func TestUsageGroups(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	withNode := used("u3", "claude", 7200, schema.Tokens{Input: 1, CacheRead: 2, CacheWrite5m: 3, CacheWrite1h: 4, Output: 5, Reasoning: 6})
	withNode.Node, withNode.Agent, withNode.Provider = "run-think-1", "helper", "anthropic"
	unknown := used("u4", "", 7201, schema.Tokens{Output: 9})
	unknown.Agent, unknown.Provider, unknown.Node = "", "", "run-act-9"
	node := span(schema.SpanNode, "n1", "", "think", schema.StatusOK, 7200, 7201)
	node.Node = "run-think-1"
	wrong := used("u2", "gpt-5", 60, schema.Tokens{Input: 20, Output: 2})
	wrong.Total = 23 // the source says so, but 20+2 is 22
	right := used("u1", "gpt-5", 0, schema.Tokens{Input: 10, Output: 1})
	right.Total = 11
	db.Add(
		querytest.Recording{
			Session: "a", Stream: 1, State: schema.StreamState{Tags: map[string]string{"customer": "c1"}},
			Usages: []schema.Usage{right, wrong},
		},
		querytest.Recording{
			Session: "b", Stream: 2, State: schema.StreamState{Tags: map[string]string{"customer": "c2"}},
			Spans: []schema.Span{node}, Usages: []schema.Usage{withNode},
		},
		// A stream without the tag takes that of its session, one with another has its own.
		querytest.Recording{Session: "b", Stream: 3, Usages: []schema.Usage{unknown}},
		querytest.Recording{
			Session: "b", Stream: 4, State: schema.StreamState{Tags: map[string]string{"customer": "c3"}},
			Usages: []schema.Usage{used("u5", "gpt-5", 7202, schema.Tokens{Input: 1000})},
		},
		querytest.Recording{Session: "a", Stream: 1, Tenant: "other", Usages: []schema.Usage{used("u1", "gpt-5", 0, schema.Tokens{Input: 1e6})}},
	)
	r := reader(db, 1e6)
	all := "total: 5 calls, 1031+2+3+4+17+6=1063"
	for _, tc := range []struct {
		by   []string
		want string
	}{
		{nil, lines(": 5 calls, 1031+2+3+4+17+6=1063", all)},
		{[]string{"tenant"}, lines("acme: 5 calls, 1031+2+3+4+17+6=1063", all)},
		{[]string{"session"}, lines("a: 2 calls, 30+0+0+0+3+0=33", "b: 3 calls, 1001+2+3+4+14+6=1030", all)},
		{[]string{"agent"}, lines("null: 1 calls, 0+0+0+0+9+0=9", "helper: 1 calls, 1+2+3+4+5+6=21", "main: 3 calls, 1030+0+0+0+3+0=1033", all)},
		{[]string{"model"}, lines("null: 1 calls, 0+0+0+0+9+0=9", "claude: 1 calls, 1+2+3+4+5+6=21", "gpt-5: 3 calls, 1030+0+0+0+3+0=1033", all)},
		{[]string{"provider"}, lines("null: 1 calls, 0+0+0+0+9+0=9", "anthropic: 1 calls, 1+2+3+4+5+6=21", "openai: 3 calls, 1030+0+0+0+3+0=1033", all)},
		{[]string{"node"}, lines("null: 3 calls, 1030+0+0+0+3+0=1033", "run-act-9: 1 calls, 0+0+0+0+9+0=9", "think: 1 calls, 1+2+3+4+5+6=21", all)},
		{[]string{"tag:customer"}, lines("c1: 2 calls, 30+0+0+0+3+0=33", "c2: 2 calls, 1+2+3+4+14+6=30", "c3: 1 calls, 1000+0+0+0+0+0=1000", all)},
		{[]string{"tag:region"}, lines("null: 5 calls, 1031+2+3+4+17+6=1063", all)},
		{[]string{"session", "model"}, lines(
			"a gpt-5: 2 calls, 30+0+0+0+3+0=33", "b null: 1 calls, 0+0+0+0+9+0=9", "b claude: 1 calls, 1+2+3+4+5+6=21", "b gpt-5: 1 calls, 1000+0+0+0+0+0=1000", all)},
		{[]string{"tag:customer", "tag:region", "node"}, lines(
			"c1 null null: 2 calls, 30+0+0+0+3+0=33", "c2 null run-act-9: 1 calls, 0+0+0+0+9+0=9", "c2 null think: 1 calls, 1+2+3+4+5+6=21",
			"c3 null null: 1 calls, 1000+0+0+0+0+0=1000", all)},
	} {
		t.Run(strings.Join(tc.by, ","), func(t *testing.T) {
			report := must[*query.UsageReport](t)(r.Usage(t.Context(), query.UsageQuery{Tenant: querytest.Tenant, GroupBy: tc.by}))
			equal(t, "report", tc.want, table(report))
			if report.Totals.Discrepancies != 1 || report.Totals.UnpricedCalls != 5 || report.Totals.Cost != nil {
				t.Errorf("totals %+v: want 1 discrepancy, 5 unpriced calls and no cost", report.Totals)
			}
		})
	}
	t.Run("as JSON and back", func(t *testing.T) {
		report := must[*query.UsageReport](t)(r.Usage(t.Context(), query.UsageQuery{
			Tenant: querytest.Tenant, GroupBy: []string{"model", "tag:customer"}, Granularity: query.Hourly,
		}))
		text := must[[]byte](t)(json.Marshal(report))
		var rows struct{ Items []map[string]any }
		if err := json.Unmarshal(text, &rows); err != nil {
			t.Fatal(err)
		}
		first := rows.Items[0]
		if first["model"] != "gpt-5" || first["tag:customer"] != "c1" || first["period"] != "2026-03-02T10:00:00Z" || first["calls"] != 2.0 {
			t.Errorf("first row is %v", first)
		}
		if v, ok := rows.Items[1]["model"]; !ok || v != nil {
			t.Errorf("a missing model is %v (%v), want null", v, ok)
		}
		var back query.UsageReport
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		equal(t, "decoded", report, &back)
	})
}

func TestUsageTooLong(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	db.Exec(`INSERT INTO usage (tenant, session_id, stream_id, usage_id, seen_at, mode, at, input)
		SELECT 'acme', 's' || toString(number), 'x', 'u', now64(9), 'add', now64(9), 1 FROM numbers(200001)`)
	_, err := query.NewReader(db.Conn).Usage(t.Context(), query.UsageQuery{Tenant: querytest.Tenant, GroupBy: []string{"session"}})
	if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Status != 400 {
		t.Errorf("error %v, want a problem with status 400", err)
	}
}

// Reports in which nearly everything is told twice go another way, and come to
// the same.
func TestReportsWithCareForAll(t *testing.T) {
	defer query.SetRepeatedLimit(0)()
	t.Run("usage told again", TestUsageToldAgain)
	t.Run("usage groups", TestUsageGroups)
	t.Run("running totals", TestUsageRunningTotals)
	t.Run("tools", TestTools)
}
