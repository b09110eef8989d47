package usagereport_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
	"tapedeck/schema"
)

// table writes a usage report as lines of "<period> <groups>: <calls> calls,
// <input>+<cache_read>+<cache_write_5m>+<cache_write_1h>+<output>+<reasoning>=<total>".
func table(r *usagereport.Report) string {
	line := func(name string, s cost.UsageTotals) string {
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
		lines = append(lines, line(strings.Join(name, " "), row.UsageTotals))
	}
	return strings.Join(append(lines, line("total", r.Totals.UsageTotals)), "\n")
}

func TestUsageGroups(t *testing.T) {
	db := querytest.Open(t)
	withNode := querytest.Used("u3", "claude", 7200, schema.Tokens{Input: 1, CacheRead: 2, CacheWrite5m: 3, CacheWrite1h: 4, Output: 5, Reasoning: 6})
	withNode.Node, withNode.Agent, withNode.Provider = "run-think-1", "helper", "anthropic"
	unknown := querytest.Used("u4", "", 7201, schema.Tokens{Output: 9})
	unknown.Agent, unknown.Provider, unknown.Node = "", "", "run-act-9"
	node := querytest.Span(schema.SpanNode, "n1", "", "think", schema.StatusOK, 7200, 7201)
	node.Node = "run-think-1"
	wrong := querytest.Used("u2", "gpt-5", 60, schema.Tokens{Input: 20, Output: 2})
	wrong.Total = 23 // the source says so, but 20+2 is 22
	right := querytest.Used("u1", "gpt-5", 0, schema.Tokens{Input: 10, Output: 1})
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
			Usages: []schema.Usage{querytest.Used("u5", "gpt-5", 7202, schema.Tokens{Input: 1000})},
		},
		querytest.Recording{Session: "a", Stream: 1, Tenant: "other", Usages: []schema.Usage{querytest.Used("u1", "gpt-5", 0, schema.Tokens{Input: 1e6})}},
	)
	r := querytest.Reader(db, 1e6)
	all := "total: 5 calls, 1031+2+3+4+17+6=1063"
	for _, tc := range []struct {
		by   []string
		want string
	}{
		{nil, querytest.Lines(": 5 calls, 1031+2+3+4+17+6=1063", all)},
		{[]string{"tenant"}, querytest.Lines(db.Tenant+": 5 calls, 1031+2+3+4+17+6=1063", all)},
		{[]string{"session"}, querytest.Lines("a: 2 calls, 30+0+0+0+3+0=33", "b: 3 calls, 1001+2+3+4+14+6=1030", all)},
		{[]string{"agent"}, querytest.Lines("null: 1 calls, 0+0+0+0+9+0=9", "helper: 1 calls, 1+2+3+4+5+6=21", "main: 3 calls, 1030+0+0+0+3+0=1033", all)},
		{[]string{"model"}, querytest.Lines("null: 1 calls, 0+0+0+0+9+0=9", "claude: 1 calls, 1+2+3+4+5+6=21", "gpt-5: 3 calls, 1030+0+0+0+3+0=1033", all)},
		{[]string{"provider"}, querytest.Lines("null: 1 calls, 0+0+0+0+9+0=9", "anthropic: 1 calls, 1+2+3+4+5+6=21", "openai: 3 calls, 1030+0+0+0+3+0=1033", all)},
		{[]string{"node"}, querytest.Lines("null: 3 calls, 1030+0+0+0+3+0=1033", "run-act-9: 1 calls, 0+0+0+0+9+0=9", "think: 1 calls, 1+2+3+4+5+6=21", all)},
		{[]string{"tag:customer"}, querytest.Lines("c1: 2 calls, 30+0+0+0+3+0=33", "c2: 2 calls, 1+2+3+4+14+6=30", "c3: 1 calls, 1000+0+0+0+0+0=1000", all)},
		{[]string{"tag:region"}, querytest.Lines("null: 5 calls, 1031+2+3+4+17+6=1063", all)},
		{[]string{"session", "model"}, querytest.Lines(
			"a gpt-5: 2 calls, 30+0+0+0+3+0=33", "b null: 1 calls, 0+0+0+0+9+0=9", "b claude: 1 calls, 1+2+3+4+5+6=21", "b gpt-5: 1 calls, 1000+0+0+0+0+0=1000", all)},
		{[]string{"tag:customer", "tag:region", "node"}, querytest.Lines(
			"c1 null null: 2 calls, 30+0+0+0+3+0=33", "c2 null run-act-9: 1 calls, 0+0+0+0+9+0=9", "c2 null think: 1 calls, 1+2+3+4+5+6=21",
			"c3 null null: 1 calls, 1000+0+0+0+0+0=1000", all)},
	} {
		t.Run(strings.Join(tc.by, ","), func(t *testing.T) {
			report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{Tenant: db.Tenant, GroupBy: tc.by}))
			querytest.Equal(t, "report", tc.want, table(report))
			// gpt-5: 1030 * 1.25 + 3 * 10 millionths; of one call the model is not known, and
			// no model of the provider is called claude.
			if report.Totals.Discrepancies != 1 || report.Totals.UnpricedCalls != 2 || report.Totals.Cost.Text() != "0.0013175" {
				t.Errorf("totals %+v: want 1 discrepancy, 2 unpriced calls and a cost of 0.0013175", report.Totals)
			}
		})
	}
	t.Run("as JSON and back", func(t *testing.T) {
		report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{
			Tenant: db.Tenant, GroupBy: []string{"model", "tag:customer"}, Granularity: grouping.Hourly,
		}))
		text := querytest.Must[[]byte](t)(json.Marshal(report))
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
		var back usagereport.Report
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		querytest.Equal(t, "decoded", report, &back)
	})
}

func TestUsageTooLong(t *testing.T) {
	fulltest.Long(t)
	db := querytest.New(t)
	db.Exec(`INSERT INTO usage (tenant, session_id, stream_id, usage_id, seen_at, mode, at, input)
		SELECT 'acme', 's' || toString(number), 'x', 'u', now64(9), 'add', now64(9) - toIntervalMinute(15 * number), 1 FROM numbers(200001)`)
	for _, q := range []usagereport.Query{{GroupBy: []string{"session"}}, {Granularity: grouping.Quarterly}} {
		q.Tenant = db.Tenant
		_, err := usagereport.Read(t.Context(), query.NewReader(db.Conn), q)
		p, ok := errors.AsType[*problem.Problem](err)
		if !ok || p.Status != 400 || !strings.Contains(p.Hint, "a coarser granularity") {
			t.Errorf("error %v, want a problem with status 400 and what to do", err)
		}
	}
}
