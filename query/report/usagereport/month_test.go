package usagereport_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
)

// monthCalls is how many calls the month has; "make test-month" asks for 500,000.
var monthCalls = flag.Int("month-calls", 3000, "calls of the generated month of TestMonth")

// monthReport is a report that the month is compared in.
type monthReport struct {
	Zone        string               `json:"zone"`
	Granularity grouping.Granularity `json:"granularity"`
	GroupBy     []string             `json:"group_by"`
}

var (
	monthZones     = []string{"UTC", "Asia/Kolkata", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia", "Europe/London"}
	monthGroupings = [][]string{
		{}, {"tenant"}, {"session"}, {"run"}, {"agent"}, {"node"}, {"model"}, {"provider"}, {"dialect"}, {"service_tier"}, {"status"},
		{"tag:customer"}, {"provider", "tag:customer"}, {"tag:team", "tag:environment", "model"},
		{"run", "dialect", "status", "service_tier", "agent", "node"},
	}
)

// monthReports are the reports of all groupings by day, and of all granularities, in all
// zones. A small month is compared in a sixth of them, each grouping in some zones.
func monthReports() []monthReport {
	var list []monthReport
	add := func(i int, r monthReport) {
		if *monthCalls > 50_000 || i%6 == 0 {
			list = append(list, r)
		}
	}
	for z, zone := range monthZones {
		for g, by := range monthGroupings {
			add(z+g, monthReport{zone, grouping.Daily, by})
		}
		for i, granularity := range grouping.Granularities {
			add(z+i, monthReport{zone, granularity, []string{"provider"}})
		}
	}
	return list
}

// TestMonth compares costs and tokens of a generated month with those that a script in
// another language computes call by call. The flag -month-calls sets its size.
func TestMonth(t *testing.T) {
	fulltest.Long(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	calls, recordings := month(*monthCalls)
	db := querytest.New(t)
	began := time.Now()
	for part := range slices.Chunk(recordings, 500) {
		db.Add(part...)
	}
	t.Logf("%d calls in %d recordings, inserted in %s", len(calls), len(recordings), time.Since(began).Round(time.Second))
	began = time.Now()
	want := strings.Split(bill(t, node, calls), "\n")
	t.Logf("%d rows computed by the script in %s", len(want), time.Since(began).Round(time.Second))
	slices.Sort(want)
	r := query.NewReader(db.Conn)
	if err := rollup.NewSettler(r, slog.New(slog.DiscardHandler)).Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	compareMonth(t, "of settled usage", r, want)
	db.Exec("TRUNCATE TABLE settlements")
	compareMonth(t, "of the tables", r, want)
}

// compareMonth compares the reports of the month to the script's lines.
func compareMonth(t *testing.T, what string, r *query.Reader, want []string) {
	t.Helper()
	began := time.Now()
	var got []string
	for _, of := range monthReports() {
		zone := querytest.Zone(t, of.Zone)
		report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{
			Tenant: querytest.Tenant, Zone: zone, Granularity: of.Granularity, GroupBy: of.GroupBy,
			From: time.Date(2026, time.August, 1, 0, 0, 0, 0, zone), To: time.Date(2026, time.September, 1, 0, 0, 0, 0, zone),
		}))
		got = append(got, billLines(report, of)...)
	}
	slices.Sort(got)
	t.Logf("%d reports %s in %s", len(monthReports()), what, time.Since(began).Round(time.Second))
	if !slices.Equal(want, got) {
		for i := range min(len(want), len(got)) {
			if want[i] != got[i] {
				t.Fatalf("%s: row %d of %d and %d:\nwant %s\ngot  %s", what, i, len(want), len(got), want[i], got[i])
			}
		}
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
}

// bill runs the script.
func bill(t *testing.T, node string, calls []monthCall) string {
	t.Helper()
	var in bytes.Buffer
	e := json.NewEncoder(&in)
	if err := e.Encode(monthReports()); err != nil {
		t.Fatal(err)
	}
	for i := range calls {
		if err := e.Encode(&calls[i]); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), node, "--max-old-space-size=4096", "testdata/bill.mjs", "../../pricing/prices/table.json")
	cmd.Stdin = &in
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, said.String())
	}
	return strings.TrimSpace(string(out))
}

// billLines writes a report as the script does: a line for each row, and one for the
// totals.
func billLines(r *usagereport.Report, of monthReport) []string {
	name := fmt.Sprintf("%s|%s|%s|", of.Zone, of.Granularity, strings.Join(of.GroupBy, ","))
	figures := func(f *usagereport.Figures) string {
		stated := ""
		for i := range f.Stated {
			stated += fmt.Sprintf(" %s of %d", f.Stated[i].Text(), f.Stated[i].Calls)
		}
		t := &f.Tokens
		return fmt.Sprintf(": %d calls, %d %d %d %d %d %d tokens, cost %s without %d, stated%s",
			f.Calls, t.Input, t.CacheRead, t.CacheWrite5m, t.CacheWrite1h, t.Output, t.Reasoning, f.Cost.Text(), f.UnpricedCalls, stated)
	}
	lines := []string{name + "totals" + figures(&r.Totals)}
	for i := range r.Items {
		row := &r.Items[i]
		key := []string{""}
		if row.Name != nil {
			key[0] = *row.Name
		}
		for _, by := range r.GroupBy {
			value := ""
			if v := row.Group[by]; v != nil {
				value = *v
			}
			key = append(key, value)
		}
		lines = append(lines, name+strings.Join(key, "|")+figures(&row.Figures))
	}
	return lines
}
