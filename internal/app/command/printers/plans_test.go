package printers

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/planshare"
)

// The plans are a table, and a month that is not over and a file without plans are notes.
func TestShowPlans(t *testing.T) {
	amount := func(text, currency string) cost.Money {
		return cost.Money{Amount: decimal.RequireFromString(text), Currency: currency}
	}
	open := "2026-04"
	used := []planshare.Use{{Name: "Max", Price: amount("200", "USD"), Months: 2, Cost: amount("360", "EUR"),
		Share: amount("33.333333333333", "EUR"), Others: amount("146.666666666667", "EUR"), Unallocated: amount("180", "EUR"), OpenMonth: &open}}
	for _, tc := range []struct {
		name        string
		list        []planshare.Use
		want, notes string
	}{
		{"not asked for", nil, "", ""},
		{"none", []planshare.Use{}, "", `the price file states no plans; "tapedeck prices import" takes a file that does`},
		{"open", used, "Plans: what their prices are for PLAN A MONTH MONTHS PRICE THESE CALLS OTHER CALLS UNALLOCATED " +
			"Max $200.00 2 360.00 EUR 33.3333 EUR 146.6667 EUR 180.0000 EUR",
			"2026-04 is not over: the price of the month is divided over the calls so far"},
	} {
		var out, notes strings.Builder
		if err := showPlans(&out, &notes, tc.list); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(out.String()), " "); got != tc.want {
			t.Errorf("%s: %s\nexpected %s", tc.name, got, tc.want)
		}
		if got := strings.TrimSpace(notes.String()); got != tc.notes {
			t.Errorf("%s: notes %s\nexpected %s", tc.name, got, tc.notes)
		}
	}
}
