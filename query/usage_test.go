package query_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/schema"
	"tapedeck/schema/problem"
)

// total makes a running total of a scope.
func total(id, scope string, seconds float64, t schema.Tokens) schema.Usage {
	u := used(id, "codex", seconds, t)
	u.Mode, u.Scope = schema.UsageRunning, scope
	return u
}

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
	db := querytest.Open(t)
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

func TestUsagePeriods(t *testing.T) {
	db := querytest.Open(t)
	// One call of 1 token each at these moments, UTC.
	moments := []string{
		"2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z", // Berlin: the 28th, the 29th
		"2026-03-29T00:59:59.999999999Z", "2026-03-29T01:00:00Z", // the hour that is left out: 01:59 to 03:00
		"2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z", // the 29th, of 23 hours, and the 30th
		"2026-10-24T22:30:00Z",                                                 // 25 October begins
		"2026-10-25T00:10:00Z", "2026-10-25T00:50:00Z", "2026-10-25T01:10:00Z", // 02:10, 02:50, and 02:10 once more
		"2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z", // a day of 25 hours
		"2026-10-31T23:30:00Z", // November in Berlin
	}
	rec := querytest.Recording{Session: "s", Stream: 1}
	for i, m := range moments {
		when := must[time.Time](t)(time.Parse(time.RFC3339Nano, m))
		u := used(fmt.Sprint("u", i), "m", 0, schema.Tokens{Input: 1})
		u.At = when.UnixNano()
		rec.Usages = append(rec.Usages, u)
	}
	db.Add(rec)
	r := reader(db, 0)
	for _, tc := range []struct {
		name string
		q    query.UsageQuery
		want string
	}{
		{"days in Berlin", query.UsageQuery{Zone: zone(t, "Europe/Berlin"), Granularity: query.Daily},
			"2026-03-28:1 2026-03-29:4 2026-03-30:1 2026-10-25:5 2026-10-26:1 2026-11-01:1"},
		{"days in UTC", query.UsageQuery{Granularity: query.Daily},
			"2026-03-28:2 2026-03-29:4 2026-10-24:1 2026-10-25:5 2026-10-31:1"},
		{"months in Berlin", query.UsageQuery{Zone: zone(t, "Europe/Berlin"), Granularity: query.Monthly},
			"2026-03:6 2026-10:6 2026-11:1"},
		{"months in Kiritimati", query.UsageQuery{Zone: zone(t, "Pacific/Kiritimati"), Granularity: query.Monthly},
			"2026-03:6 2026-10:6 2026-11:1"},
		{"days in Kathmandu", query.UsageQuery{Zone: zone(t, "Asia/Kathmandu"), Granularity: query.Daily},
			"2026-03-29:4 2026-03-30:2 2026-10-25:4 2026-10-26:2 2026-11-01:1"},
		{"hours in Berlin when the clock goes forward", query.UsageQuery{
			Zone: zone(t, "Europe/Berlin"), Granularity: query.Hourly, From: berlin(t, 2026, 3, 29), To: berlin(t, 2026, 3, 30),
		}, "2026-03-29T00:00:00+01:00:1 2026-03-29T01:00:00+01:00:1 2026-03-29T03:00:00+02:00:1 2026-03-29T23:00:00+02:00:1"},
		{"hours in Berlin when the clock goes back", query.UsageQuery{
			Zone: zone(t, "Europe/Berlin"), Granularity: query.Hourly, From: berlin(t, 2026, 10, 25), To: berlin(t, 2026, 10, 26),
		}, "2026-10-25T00:00:00+02:00:1 2026-10-25T02:00:00+02:00:2 2026-10-25T02:00:00+01:00:1 2026-10-25T23:00:00+01:00:1"},
		{"hours in Kathmandu, a quarter off", query.UsageQuery{
			Zone: zone(t, "Asia/Kathmandu"), Granularity: query.Hourly, To: berlin(t, 2026, 3, 30),
		}, "2026-03-29T04:00:00+05:45:2 2026-03-29T06:00:00+05:45:2 2026-03-30T03:00:00+05:45:1"},
		{"half open", query.UsageQuery{From: berlin(t, 2026, 3, 29), To: berlin(t, 2026, 3, 30)}, "4"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.q.Tenant = querytest.Tenant
			report := must[*query.UsageReport](t)(r.Usage(t.Context(), tc.q))
			var got []string
			for _, row := range report.Items {
				name := ""
				if row.Name != nil {
					name = *row.Name + ":"
					if !row.Start.Before(*row.End) {
						t.Errorf("period %s goes from %s to %s", *row.Name, row.Start, row.End)
					}
				}
				got = append(got, fmt.Sprint(name, row.Tokens.Total))
			}
			equal(t, "periods", tc.want, strings.Join(got, " "))
		})
	}
	t.Run("a day of 25 hours", func(t *testing.T) {
		report := must[*query.UsageReport](t)(r.Usage(t.Context(), query.UsageQuery{
			Tenant: querytest.Tenant, Zone: zone(t, "Europe/Berlin"), Granularity: query.Daily, From: berlin(t, 2026, 10, 25), To: berlin(t, 2026, 10, 26),
		}))
		row := report.Items[0]
		equal(t, "start", "2026-10-24T22:00:00Z", row.Start.Format(time.RFC3339))
		equal(t, "end", "2026-10-25T23:00:00Z", row.End.Format(time.RFC3339))
	})
}

func zone(t *testing.T, name string) *time.Location {
	return must[*time.Location](t)(time.LoadLocation(name))
}

func berlin(t *testing.T, year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, zone(t, "Europe/Berlin"))
}

const day = 24 * 3600

func TestUsageRunningTotals(t *testing.T) {
	db := querytest.Open(t)
	db.Add(
		// A thread whose totals go on across two streams, begin anew, and stand still.
		querytest.Recording{Session: "codex", Stream: 1, Usages: []schema.Usage{
			total("t1", "thread", 0, schema.Tokens{Input: 100, CacheRead: 10, Output: 5}),
			total("t2", "thread", 1*day, schema.Tokens{Input: 150, CacheRead: 10, Output: 9}),
		}},
		querytest.Recording{Session: "codex", Stream: 2, Usages: []schema.Usage{
			total("t3", "thread", 2*day, schema.Tokens{Input: 180, CacheRead: 40, Output: 9}),
			total("t4", "thread", 3*day, schema.Tokens{Input: 7, Output: 1}), // began anew
			total("t5", "thread", 3*day+1, schema.Tokens{Input: 7, Output: 1}),
			total("t6", "thread", 4*day, schema.Tokens{Input: 5, CacheRead: 4, Output: 2}), // moved from one bucket to another
			total("x1", "other thread", 4*day, schema.Tokens{Output: 1000}),
		}},
		// The same scope in another session is another scope.
		querytest.Recording{Session: "codex-2", Stream: 3, Usages: []schema.Usage{
			total("t1", "thread", 5*day, schema.Tokens{Input: 1}),
		}},
	)
	r := reader(db, 1e6)
	for _, tc := range []struct {
		name     string
		from, to float64 // days
		want     string
	}{
		{"all", -1, 9, lines(
			"2026-03-02: 1 calls, 100+10+0+0+5+0=115",
			"2026-03-03: 1 calls, 50+0+0+0+4+0=54",
			"2026-03-04: 1 calls, 30+30+0+0+0+0=60",
			"2026-03-05: 2 calls, 7+0+0+0+1+0=8",
			"2026-03-06: 2 calls, -2+4+0+0+1001+0=1003",
			"2026-03-07: 1 calls, 1+0+0+0+0+0=1",
			"total: 8 calls, 186+44+0+0+1011+0=1241")},
		{"the record before lies before the range", 1.5, 2.5, lines("2026-03-04: 1 calls, 30+30+0+0+0+0=60", "total: 1 calls, 30+30+0+0+0+0=60")},
		{"from a record on", 2, 3, lines("2026-03-04: 1 calls, 30+30+0+0+0+0=60", "total: 1 calls, 30+30+0+0+0+0=60")},
		{"up to a record, which is not in it", 0, 1, lines("2026-03-02: 1 calls, 100+10+0+0+5+0=115", "total: 1 calls, 100+10+0+0+5+0=115")},
		{"nothing", 6, 9, "total: 0 calls, 0+0+0+0+0+0=0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			report := must[*query.UsageReport](t)(r.Usage(t.Context(), query.UsageQuery{
				Tenant: querytest.Tenant, Granularity: query.Daily, From: when(tc.from * day), To: when(tc.to * day),
			}))
			equal(t, "report", tc.want, table(report))
		})
	}
	t.Run("the session's own sum", func(t *testing.T) {
		d := must[*query.SessionDetail](t)(r.Session(t.Context(), querytest.Tenant, "codex"))
		equal(t, "tokens", query.Tokens{Input: 185, CacheRead: 44, Output: 1011, Total: 1240}, d.Tokens)
	})
}

// A record that several streams tell, that is told anew, or that changes after
// midnight counts once, as it was told last; in whatever way the range cuts.
func TestUsageToldAgain(t *testing.T) {
	db := querytest.Open(t)
	late := used("late", "m", 1*day+5, schema.Tokens{Input: 300})
	late.SeenAt, late.SeenSeq, late.Version = at(1*day-5), 3, 9
	early := late
	early.At, early.Version, early.Tokens = at(1*day-5), 4, schema.Tokens{Input: 1}
	db.Add(
		querytest.Recording{Session: "s", Stream: 1, Usages: []schema.Usage{
			used("twice", "m", 10, schema.Tokens{Input: 10}), // its first part
			early,
		}},
		querytest.Recording{Session: "s", Stream: 1, State: schema.StreamState{Version: 2}, Usages: []schema.Usage{late}},
		querytest.Recording{Session: "s", Stream: 2, Usages: []schema.Usage{
			used("twice", "m", 12, schema.Tokens{Input: 20}), // all of it
		}},
		// Another session may use the same ids.
		querytest.Recording{Session: "t", Stream: 3, Usages: []schema.Usage{used("twice", "m", 11, schema.Tokens{Input: 1000})}},
	)
	r := reader(db, 1e6)
	for _, tc := range []struct {
		from, to float64 // seconds
		want     string
	}{
		{0, 9 * day, "total: 3 calls, 1320+0+0+0+0+0=1320"},
		{0, 11.5, "total: 1 calls, 1000+0+0+0+0+0=1000"}, // "twice" is told last after that
		{11, 13, "total: 2 calls, 1020+0+0+0+0+0=1020"},
		{0, 1*day + 1, "total: 2 calls, 1020+0+0+0+0+0=1020"}, // "late" changed after that
		{1 * day, 2 * day, "total: 1 calls, 300+0+0+0+0+0=300"},
	} {
		report := must[*query.UsageReport](t)(r.Usage(t.Context(), query.UsageQuery{
			Tenant: querytest.Tenant, From: when(tc.from), To: when(tc.to),
		}))
		report.Items = nil
		equal(t, fmt.Sprintf("from %g to %g", tc.from, tc.to), tc.want, table(report))
	}
}

func TestUsageTooLong(t *testing.T) {
	db := querytest.Open(t)
	db.Exec(`INSERT INTO usage (tenant, session_id, stream_id, usage_id, seen_at, mode, at, input)
		SELECT 'acme', 's' || toString(number), 'x', 'u', now64(9), 'add', now64(9), 1 FROM numbers(200001)`)
	_, err := query.NewReader(db.Conn).Usage(t.Context(), query.UsageQuery{Tenant: querytest.Tenant, GroupBy: []string{"session"}})
	if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Status != 400 {
		t.Errorf("error %v, want a problem with status 400", err)
	}
}
