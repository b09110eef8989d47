package usagereport_test

import (
	"fmt"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
	"tapedeck/schema"
)

// groupedCalls are calls of gpt-5, each of a thousand times its number of input tokens, of
// different runs, dialects, ends, tiers, agents and nodes.
func groupedCalls() []querytest.Recording {
	call := func(n uint64, run, tier, agent, node, status string) (schema.Usage, schema.Span) {
		u := querytest.Used(fmt.Sprint("u", n), "gpt-5", float64(n)*day, schema.Tokens{Input: n * 1000})
		u.Run, u.ServiceTier, u.Agent, u.Node, u.Span = run, tier, agent, node, fmt.Sprint("call ", n)
		span := querytest.Span(schema.SpanLLM, u.Span, "", "gpt-5", schema.Status(status), float64(n)*day, float64(n)*day+1)
		return u, span
	}
	one, spanOne := call(1, "r1", "standard", "main", "think", "ok")
	two, spanTwo := call(2, "r1", "flex", "main", "act", "error")
	three, spanThree := call(3, "r2", "", "helper", "think", "ok")
	four, _ := call(4, "", "flex", "", "", "") // its span is not known
	return []querytest.Recording{
		{Session: "a", Stream: 1, State: schema.StreamState{Dialect: "loom"}, Usages: []schema.Usage{one, two}, Spans: []schema.Span{spanOne, spanTwo}},
		{Session: "b", Stream: 2, State: schema.StreamState{Dialect: "codex"}, Usages: []schema.Usage{three, four}, Spans: []schema.Span{spanThree}},
	}
}

// A call of 1000 tokens costs 0.00125, and half of it as flex. Rows come in the order that
// is asked for, and all but the first groups are one row of each period.
func TestGroupingsAndOrders(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	db.Add(groupedCalls()...)
	r := querytest.Reader(db, 1e6)
	for _, tc := range []struct {
		name string
		q    usagereport.Query
		want string
	}{
		{"run", usagereport.Query{GroupBy: []string{"run"}}, "null 4000 0.0025, r1 3000 0.0025, r2 3000 0.00375"},
		{"dialect", usagereport.Query{GroupBy: []string{"dialect"}}, "codex 7000 0.00625, loom 3000 0.0025"},
		{"status", usagereport.Query{GroupBy: []string{"status"}}, "null 4000 0.0025, error 2000 0.00125, ok 4000 0.005"},
		{"service tier", usagereport.Query{GroupBy: []string{"service_tier"}}, "null 3000 0.00375, flex 6000 0.00375, standard 1000 0.00125"},
		{"agent", usagereport.Query{GroupBy: []string{"agent"}}, "null 4000 0.0025, helper 3000 0.00375, main 3000 0.0025"},
		{"node", usagereport.Query{GroupBy: []string{"node"}}, "null 4000 0.0025, act 2000 0.00125, think 4000 0.005"},
		{"all of them", usagereport.Query{GroupBy: []string{"run", "dialect", "status", "service_tier", "agent", "node"}},
			"null codex null flex null null 4000 0.0025, r1 loom error flex main act 2000 0.00125, r1 loom ok standard main think 1000 0.00125, r2 codex ok null helper think 3000 0.00375"},
		{"two of them", usagereport.Query{GroupBy: []string{"status", "dialect"}}, "null codex 4000 0.0025, error loom 2000 0.00125, ok codex 3000 0.00375, ok loom 1000 0.00125"},
		{"the dearest first", usagereport.Query{GroupBy: []string{"node"}, Order: "-cost"}, "think 4000 0.005, null 4000 0.0025, act 2000 0.00125"},
		{"the fewest tokens first", usagereport.Query{GroupBy: []string{"dialect"}, Order: "tokens"}, "loom 3000 0.0025, codex 7000 0.00625"},
		{"the most calls first", usagereport.Query{GroupBy: []string{"run"}, Order: "-calls"}, "r1 3000 0.0025, null 4000 0.0025, r2 3000 0.00375"},
		{"the first and the others", usagereport.Query{GroupBy: []string{"run"}, Top: 1}, "r2 3000 0.00375, 2 others 7000 0.005"},
		{"the first and the others by week", usagereport.Query{GroupBy: []string{"dialect"}, Top: 1, Granularity: grouping.Weekly, Order: "-tokens"},
			"2026-W10 codex 7000 0.00625, 2026-W10 1 others 3000 0.0025"},
		{"the others last", usagereport.Query{GroupBy: []string{"run"}, Top: 1, Order: "-cost"}, "r2 3000 0.00375, 2 others 7000 0.005"},
		{"quarters of an hour", usagereport.Query{GroupBy: []string{"run"}, Granularity: grouping.Quarterly},
			"2026-03-03T10:00:00Z r1 1000 0.00125, 2026-03-04T10:00:00Z r1 2000 0.00125, 2026-03-05T10:00:00Z r2 3000 0.00375, 2026-03-06T10:00:00Z null 4000 0.0025"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.q.Tenant = db.Tenant
			report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, tc.q))
			var rows []string
			for i := range report.Items {
				row := &report.Items[i]
				var cells []string
				if row.Name != nil {
					cells = append(cells, *row.Name)
				}
				if row.OtherGroups > 0 {
					cells = append(cells, fmt.Sprint(row.OtherGroups), "others")
				} else {
					for _, by := range report.GroupBy {
						value := "null"
						if v := row.Group[by]; v != nil {
							value = *v
						}
						cells = append(cells, value)
					}
				}
				rows = append(rows, strings.Join(append(cells, fmt.Sprint(row.Tokens.Total), row.Cost.Text()), " "))
			}
			querytest.Equal(t, "rows", strings.Split(tc.want, ", "), rows)
			if report.Totals.Calls != 4 || report.Totals.Tokens.Total != 10_000 || report.Totals.Cost.Text() != "0.00875" {
				t.Errorf("totals %+v, want 4 calls, 10000 tokens and 0.00875", report.Totals)
			}
		})
	}
}
