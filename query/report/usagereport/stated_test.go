package usagereport_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tapedeck/query/querytest"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/tabular"
	"tapedeck/schema"
)

// stating is a call of one million input tokens of gpt-5, which cost 1.25, for which the
// source states a cost.
func stating(id, amount, currency string) schema.Usage {
	u := querytest.Used(id, "gpt-5", 0, schema.Tokens{Input: 1e6})
	u.Cost, u.Currency = amount, currency
	return u
}

// Costs that sources state are summed exactly, by currency, and are no part of the computed
// cost. How a source writes a number makes no difference.
func TestStatedCosts(t *testing.T) {
	db := querytest.Open(t)
	rest := stating("rest", "0.5", "USD")
	rest.Scope = schema.RestScope + "run"
	running := stating("running", "7", "USD")
	running.Mode, running.Scope = schema.UsageRunning, "thread"
	again := stating("twice", "0.03", "USD")
	again.At++
	db.Add(
		querytest.Recording{Session: "plain", Stream: 1, Usages: []schema.Usage{
			stating("a", "0.1", "USD"), stating("b", "0.2", "USD"), stating("c", "", ""), stating("d", "3", "EUR"),
		}},
		querytest.Recording{Session: "digits", Stream: 2, Usages: []schema.Usage{
			stating("a", "1.2e-05", "USD"), stating("b", "2.5E+2", "USD"), stating("c", "1e-40", "USD"),
			stating("d", "0.00000000000000000000000000000000000000000000000000000000000001", "USD"),
			stating("e", "123456789012345678901234567890.123456789012345678901234567891", "USD"),
		}},
		querytest.Recording{Session: "rest", Stream: 3, Usages: []schema.Usage{rest, stating("a", "0.25", "USD")}},
		querytest.Recording{Session: "running", Stream: 4, Usages: []schema.Usage{running}},
		querytest.Recording{Session: "twice", Stream: 5, Usages: []schema.Usage{stating("twice", "0.02", "USD")}},
		querytest.Recording{Session: "twice", Stream: 6, Usages: []schema.Usage{again}},
		querytest.Recording{Session: "none", Stream: 7, Usages: []schema.Usage{stating("a", "", "")}},
	)
	r := querytest.Reader(db, 1e6)
	report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{Tenant: db.Tenant, GroupBy: []string{"session"}}))
	text := func(f *usagereport.Figures) string {
		s := fmt.Sprintf("%d calls, %s", f.Calls, f.Cost.Text())
		for _, c := range f.Stated {
			s += fmt.Sprintf(", %s %s of %d", c.Text(), c.Currency, c.Calls)
		}
		return s
	}
	var got []string
	for i := range report.Items {
		row := &report.Items[i]
		got = append(got, *row.Group["session"]+": "+text(&row.Figures))
	}
	got = append(got, "total: "+text(&report.Totals))
	const digits = "123456789012345678901234568140.12346878901234567890123456789100000000010000000000000000000001"
	querytest.Equal(t, "stated costs", querytest.Lines(
		"digits: 5 calls, 6.25, "+digits+" USD of 5",
		"none: 1 calls, 1.25",
		"plain: 4 calls, 5, 3 EUR of 1, 0.3 USD of 2",
		"rest: 1 calls, 2.5, 0.75 USD of 1",
		"running: 1 calls, 1.25",
		"twice: 1 calls, 1.25, 0.03 USD of 1",
		"total: 13 calls, 17.5, 3 EUR of 1, "+strings.Replace(digits, "140.12346", "141.20346", 1)+" USD of 9",
	), strings.Join(got, "\n"))

	var out bytes.Buffer
	if err := report.WriteCSV(&out, tabular.SafeCells); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\r\n")
	column := func(line int, name string) string {
		cells := strings.Split(lines[line], ",")
		for i, head := range strings.Split(lines[0], ",") {
			if head == name {
				return cells[i]
			}
		}
		t.Fatalf("no column %s in %s", name, lines[0])
		return ""
	}
	for name, want := range map[string]string{"stated_cost": "3 0.3", "stated_currency": "EUR USD", "stated_calls": "1 2", "cost": "5"} {
		querytest.Equal(t, name+" in CSV", want, column(3, name))
	}
	querytest.Equal(t, "no stated cost in CSV", "", column(2, "stated_cost"))
}
