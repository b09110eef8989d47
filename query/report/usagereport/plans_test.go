package usagereport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/sessionfilter"
	"tapedeck/query/tabular"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/tombstone"
)

// planFile has two plans by a tag, of which one has its months in Tokyo. The margin changes costs, and no
// share of a plan.
const planFile = `
margins: [{factor: 2, tag: {account: max}}]
plans:
  - {name: Max, price: 100, tag: {account: max}}
  - {name: Team, price: 60, zone: Asia/Tokyo, tag: {account: team}, from: 2026-03-01}
`

// planRecordings are sessions with calls of gpt-5, of which a million tokens are 1.25 dollars, by their days
// after 2 March 2026, 10:00 UTC:
//
//	                         2 March  12 March  22 March  31 March  1 April  2 April
//	a, of Max                      1         3                            1
//	b, of Max                                          4                           1
//	c, of no plan                  7
//	d, of Max, in-house            9
//	e, of Team                               1                   3
//	gone, of Max, deleted          8
//
// The call of e on 31 March is at 16:00 UTC, when it is April in Tokyo.
func planRecordings() []querytest.Recording {
	stream := 0
	recording := func(session, account, model string, calls map[float64]uint64) querytest.Recording {
		stream++
		r := querytest.Recording{Session: session, Stream: stream}
		if account != "" {
			r.State.Tags = map[string]string{"account": account}
		}
		for at, millions := range calls {
			r.Usages = append(r.Usages, querytest.Used(fmt.Sprint(session, at), model, at*day, schema.Tokens{Input: millions * 1e6}))
		}
		return r
	}
	other := recording("a", "max", "gpt-5", map[float64]uint64{0: 50})
	other.Tenant = "other"
	return []querytest.Recording{
		recording("a", "max", "gpt-5", map[float64]uint64{0: 1, 10: 3, 30: 1}), recording("b", "max", "gpt-5", map[float64]uint64{20: 4, 31: 1}),
		recording("c", "", "gpt-5", map[float64]uint64{0: 7}), recording("d", "max", "in-house", map[float64]uint64{0: 9}),
		recording("e", "team", "gpt-5", map[float64]uint64{10: 1, 29.25: 3}), recording("gone", "max", "gpt-5", map[float64]uint64{0: 8}), other,
	}
}

func planTable(t *testing.T) *prices.Effective {
	t.Helper()
	o, err := prices.ReadFile("p.yaml", []byte(planFile))
	if err != nil {
		t.Fatal(err)
	}
	return prices.With(o)
}

// In March Max is divided over 1.25 and 3.75 dollars of a and 5 of b, in April over 1.25 of each. Team
// is of one call in each of its months.
func TestPlans(t *testing.T) {
	db := querytest.New(t)
	db.Add(planRecordings()...)
	key := tombstone.Key{Tenant: db.Tenant, Session: "gone"}
	db.Merge() // deleting needs it
	if err := tombstone.NewDeleter(tombstone.NewStore(db.Conn), nil, nil).Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	source := query.WithPrices(prices.Fixed{Table: planTable(t)})
	r := querytest.Reader(db, 40*day, source) // 11 April
	comparePlans(t, "of the tables", db, r)
	if err := rollup.NewSettler(r, slog.New(slog.DiscardHandler)).Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	comparePlans(t, settled, db, r)
}

const settled = "of settled usage"

func comparePlans(t *testing.T, of string, db *querytest.DB, r *query.Reader) {
	t.Helper()
	date := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC) }
	all := "Max 2 months, 200 = 200 + 0 + 0, Team 2 months, 120 = 120 + 0 + 0"
	for i, tc := range []struct {
		name   string
		tenant string
		q      usagereport.Query
		want   string // rows
		total  string
		plans  string
	}{
		{"by session and month", "", usagereport.Query{GroupBy: []string{"session"}, Granularity: grouping.Monthly},
			"2026-03 a 50, 2026-03 b 50, 2026-03 c none, 2026-03 d 0, 2026-03 e 120, 2026-04 a 50, 2026-04 b 50", "320", all},
		{"alone", "", usagereport.Query{}, " 320", "320", all},
		{"by model", "", usagereport.Query{GroupBy: []string{"model"}}, " gpt-5 320,  in-house 0", "320", all},
		{"by the tag", "", usagereport.Query{GroupBy: []string{"tag:account"}}, " null none,  max 200,  team 120", "320", all},
		{"by day of Max", "", usagereport.Query{Granularity: grouping.Daily, Sessions: &sessionfilter.Filter{Tags: []sessionfilter.TagFilter{{Key: "account", Value: "max"}}}},
			"2026-03-02 12.5, 2026-03-12 37.5, 2026-03-22 50, 2026-04-01 50, 2026-04-02 50", "200",
			"Max 2 months, 200 = 200 + 0 + 0, Team 2 months, 120 = 0 + 120 + 0"},
		{"of a session", "", usagereport.Query{SessionIDs: []string{"a"}, Granularity: grouping.Monthly}, "2026-03 50, 2026-04 50", "100",
			"Max 2 months, 200 = 100 + 100 + 0, Team 2 months, 120 = 0 + 120 + 0"},
		{"of a part of March", "", usagereport.Query{From: date(3, 10), To: date(3, 20), GroupBy: []string{"session"}}, " a 37.5,  e 60", "97.5",
			"Max 1 months, 100 = 37.5 + 62.5 + 0, Team 1 months, 60 = 60 + 0 + 0"},
		{"of the end of March, which is April in Tokyo", "", usagereport.Query{From: date(3, 31), To: date(4, 1), GroupBy: []string{"session"}}, " e 60", "60",
			"Max 1 months, 100 = 0 + 100 + 0, Team 2 months, 120 = 60 + 60 + 0"},
		{"the first group and the others", "", usagereport.Query{GroupBy: []string{"session"}, Order: "-tokens", Top: 1}, " d 0,  4 others 320", "320", all},
		{"of a time without calls", "", usagereport.Query{From: date(1, 1), To: date(3, 1)}, "", "none",
			"Max 2 months, 200 = 0 + 0 + 200, Team 1 months, 60 = 0 + 60 + 0"}, // Team begins on 1 March in Tokyo
		{"of April, which is not over", "", usagereport.Query{From: date(4, 1)}, " 100", "100",
			"Max 1 months, 100 = 100 + 0 + 0 open 2026-04, Team 1 months, 60 = 0 + 60 + 0 open 2026-04"},
		{"of another tenant", "other", usagereport.Query{}, " 100", "100", "Max 2 months, 200 = 100 + 0 + 100, Team 2 months, 120 = 0 + 0 + 120"},
		{"of nobody", "nobody", usagereport.Query{From: date(4, 1)}, "", "none",
			"Max 1 months, 100 = 0 + 0 + 100 open 2026-04, Team 1 months, 60 = 0 + 0 + 60 open 2026-04"},
	} {
		if of != settled && i%4 != 0 {
			continue // reading the tables takes longer
		}
		if tc.q.Tenant = tc.tenant; tc.tenant == "" {
			tc.q.Tenant = db.Tenant
		}
		tc.q.Plans = true
		report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, tc.q))
		var rows []string
		for i := range report.Items {
			rows = append(rows, planRow(report, &report.Items[i]))
		}
		if got := strings.Join(rows, ", "); got != tc.want {
			t.Errorf("%s %s: %s\nexpected %s", tc.name, of, got, tc.want)
		}
		if got := amountOf(&report.Totals); got != tc.total {
			t.Errorf("%s %s: total %s, expected %s", tc.name, of, got, tc.total)
		}
		open := !strings.Contains(tc.plans, "open") // stated where it matters
		if got := planUses(report, open); got != tc.plans {
			t.Errorf("%s %s: plans %s\nexpected %s", tc.name, of, got, tc.plans)
		}
		if of != settled {
			continue
		}
		plain := tc.q
		plain.Plans = false
		without := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, plain))
		if without.Plans != nil || without.Totals.PlanCost != nil || without.Totals.Cost.Text() != report.Totals.Cost.Text() ||
			without.Totals.Tokens != report.Totals.Tokens || len(without.Items) != len(report.Items) {
			t.Errorf("%s %s: without plans %+v, with them %+v", tc.name, of, without.Totals, report.Totals)
		}
	}
}

func planRow(report *usagereport.Report, row *usagereport.Row) string {
	name := ""
	if row.Name != nil {
		name = *row.Name
	}
	cells := []string{name}
	for _, by := range report.GroupBy {
		value := "null"
		if v := row.Group[by]; v != nil {
			value = *v
		}
		if row.OtherGroups > 0 {
			value = fmt.Sprint(row.OtherGroups, " others")
		}
		cells = append(cells, value)
	}
	return strings.Join(append(cells, amountOf(&row.Figures)), " ")
}

func amountOf(f *usagereport.Figures) string {
	if f.PlanCost == nil {
		return "none"
	}
	return f.PlanCost.Text()
}

func planUses(report *usagereport.Report, closed bool) string {
	var list []string
	for i := range report.Plans {
		u := &report.Plans[i]
		text := fmt.Sprintf("%s %d months, %s = %s + %s + %s", u.Name, u.Months, u.Cost.Text(), u.Share.Text(), u.Others.Text(), u.Unallocated.Text())
		if u.OpenMonth != nil && !closed {
			text += " open " + *u.OpenMonth
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// The shares are in all formats, and in none unless they are asked for.
func TestPlansInFormats(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	db.Add(planRecordings()...)
	r := querytest.Reader(db, 40*day, query.WithPrices(prices.Fixed{Table: planTable(t)}))
	q := usagereport.Query{Tenant: db.Tenant, GroupBy: []string{"session"}, SessionIDs: []string{"c", "e"}, Plans: true}
	write := func(q usagereport.Query, f tabular.Format) string {
		var out bytes.Buffer
		if err := usagereport.Write(t.Context(), r, q, f, &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	without := q
	without.Plans = false
	for _, f := range []tabular.Format{tabular.JSON, tabular.NDJSON, tabular.CSV, tabular.Parquet} {
		if text := write(without, f); strings.Contains(text, "plan") {
			t.Errorf("%s without plans: %s", f, text)
		}
	}
	var report usagereport.Report
	if err := json.Unmarshal([]byte(write(q, tabular.JSON)), &report); err != nil {
		t.Fatal(err)
	}
	if got := planRow(&report, &report.Items[0]) + "," + planRow(&report, &report.Items[1]) + ", " + amountOf(&report.Totals); got != " c none, e 120, 120" ||
		planUses(&report, true) != "Max 2 months, 200 = 0 + 200 + 0, Team 2 months, 120 = 120 + 0 + 0" {
		t.Errorf("JSON: %s; %s", got, planUses(&report, true))
	}
	if lines := strings.Split(write(q, tabular.NDJSON), "\n"); strings.Contains(lines[0], "plan_cost") ||
		!strings.Contains(lines[1], `"plan_cost":{"amount":"120","currency":"USD"}`) {
		t.Errorf("NDJSON: %s", lines)
	}
	var got []string
	for _, row := range fromCSV(t, bytes.NewBufferString(write(q, tabular.CSV)), "session") {
		got = append(got, row["session"]+" "+row["plan_cost"])
	}
	if text := strings.Join(got, ", "); text != "c , e 120" {
		t.Errorf("CSV: %s", text)
	}
	got = nil
	for _, row := range fromParquet(t, []byte(write(q, tabular.Parquet))) {
		got = append(got, row["session"]+" "+row["plan_cost"])
	}
	if text := strings.Join(got, ", "); text != "c , e 120" {
		t.Errorf("Parquet: %s", text)
	}
	none := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), querytest.Reader(db, 40*day), q))
	if none.Plans == nil || len(none.Plans) != 0 || none.Totals.PlanCost != nil {
		t.Errorf("without plans in the file: %+v", none.Plans)
	}
}

// countingConn counts statements.
type countingConn struct {
	driver.Conn
	n int
}

func (c *countingConn) Query(ctx context.Context, statement string, args ...any) (driver.Rows, error) {
	c.n++
	return c.Conn.Query(ctx, statement, args...)
}

func (c *countingConn) QueryRow(ctx context.Context, statement string, args ...any) driver.Row {
	c.n++
	return c.Conn.QueryRow(ctx, statement, args...)
}

func (c *countingConn) Select(ctx context.Context, dest any, statement string, args ...any) error {
	c.n++
	return c.Conn.Select(ctx, dest, statement, args...)
}

// A report asks no further statement unless the price file has plans and they are asked for.
func TestPlansAskNothingMore(t *testing.T) {
	db := querytest.Open(t)
	db.Add(planRecordings()[0])
	count := func(table *prices.Effective, plans bool) int {
		conn := &countingConn{Conn: db.Conn}
		r := query.NewReader(conn, query.WithPrices(prices.Fixed{Table: table}))
		querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{Tenant: db.Tenant, Plans: plans}))
		return conn.n
	}
	usual := count(prices.Standard(), false)
	if with := count(planTable(t), false); with != usual || usual == 0 {
		t.Errorf("plans that are not asked for: %d statements, expected %d", with, usual)
	}
	if without := count(prices.Standard(), true); without != usual {
		t.Errorf("no plans in the file: %d statements, expected %d", without, usual)
	}
	if with := count(planTable(t), true); with <= usual {
		t.Errorf("plans: %d statements, expected more than %d", with, usual)
	}
}
