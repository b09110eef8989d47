package usagereport_test

import (
	"fmt"
	"testing"

	"tapedeck/query/pricing/cost"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/schema"
)

const day = 24 * 3600

// total makes a running total of a scope.
func total(id, scope string, seconds float64, t schema.Tokens) schema.Usage {
	u := querytest.Used(id, "codex", seconds, t)
	u.Mode, u.Scope = schema.UsageRunning, scope
	return u
}

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
	r := querytest.Reader(db, 1e6)
	for _, tc := range []struct {
		name     string
		from, to float64 // days
		want     string
	}{
		{"all", -1, 9, querytest.Lines(
			"2026-03-02: 1 calls, 100+10+0+0+5+0=115",
			"2026-03-03: 1 calls, 50+0+0+0+4+0=54",
			"2026-03-04: 1 calls, 30+30+0+0+0+0=60",
			"2026-03-05: 2 calls, 7+0+0+0+1+0=8",
			"2026-03-06: 2 calls, -2+4+0+0+1001+0=1003",
			"2026-03-07: 1 calls, 1+0+0+0+0+0=1",
			"total: 8 calls, 186+44+0+0+1011+0=1241")},
		{"the record before lies before the range", 1.5, 2.5, querytest.Lines("2026-03-04: 1 calls, 30+30+0+0+0+0=60", "total: 1 calls, 30+30+0+0+0+0=60")},
		{"from a record on", 2, 3, querytest.Lines("2026-03-04: 1 calls, 30+30+0+0+0+0=60", "total: 1 calls, 30+30+0+0+0+0=60")},
		{"up to a record, which is not in it", 0, 1, querytest.Lines("2026-03-02: 1 calls, 100+10+0+0+5+0=115", "total: 1 calls, 100+10+0+0+5+0=115")},
		{"nothing", 6, 9, "total: 0 calls, 0+0+0+0+0+0=0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{
				Tenant: db.Tenant, Granularity: grouping.Daily, From: querytest.When(tc.from * day), To: querytest.When(tc.to * day),
			}))
			querytest.Equal(t, "report", tc.want, table(report))
		})
	}
	t.Run("the session's own sum", func(t *testing.T) {
		d := querytest.Must[*sessiondetail.Detail](t)(sessiondetail.Read(t.Context(), r, db.Tenant, "codex"))
		querytest.Equal(t, "tokens", cost.Tokens{Input: 185, CacheRead: 44, Output: 1011, Total: 1240}, d.Tokens)
	})
}

// A record that several streams write, that is written anew, or that changes after
// midnight counts once, as it was written last, at the time of the stream that wrote it first; in whatever
// way the range cuts.
func TestUsageWrittenAgain(t *testing.T) {
	db := querytest.Open(t)
	late := querytest.Used("late", "m", 1*day+5, schema.Tokens{Input: 300})
	late.SeenAt, late.SeenSeq, late.Version = querytest.AtSecond(1*day-5), 3, 9
	early := late
	early.At, early.Version, early.Tokens = querytest.AtSecond(1*day-5), 4, schema.Tokens{Input: 1}
	db.Add(
		querytest.Recording{Session: "s", Stream: 1, Usages: []schema.Usage{
			querytest.Used("twice", "m", 10, schema.Tokens{Input: 10}), // its first part
			early,
		}},
		querytest.Recording{Session: "s", Stream: 1, State: schema.StreamState{Version: 2}, Usages: []schema.Usage{late}},
		querytest.Recording{Session: "s", Stream: 2, Usages: []schema.Usage{
			querytest.Used("twice", "m", 12, schema.Tokens{Input: 20}), // all of it
		}},
		// Another session may use the same ids.
		querytest.Recording{Session: "t", Stream: 3, Usages: []schema.Usage{querytest.Used("twice", "m", 11, schema.Tokens{Input: 1000})}},
	)
	r := querytest.Reader(db, 1e6)
	for _, tc := range []struct {
		from, to float64 // seconds
		want     string
	}{
		{0, 9 * day, "total: 3 calls, 1320+0+0+0+0+0=1320"},
		{0, 10.5, "total: 1 calls, 20+0+0+0+0+0=20"}, // "twice" is of the time of its first stream
		{0, 11.5, "total: 2 calls, 1020+0+0+0+0+0=1020"},
		{11, 13, "total: 1 calls, 1000+0+0+0+0+0=1000"},
		{0, 1*day + 1, "total: 2 calls, 1020+0+0+0+0+0=1020"}, // "late" changed after that
		{1 * day, 2 * day, "total: 1 calls, 300+0+0+0+0+0=300"},
	} {
		report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{
			Tenant: db.Tenant, From: querytest.When(tc.from), To: querytest.When(tc.to),
		}))
		report.Items = nil
		querytest.Equal(t, fmt.Sprintf("from %g to %g", tc.from, tc.to), tc.want, table(report))
	}
}
