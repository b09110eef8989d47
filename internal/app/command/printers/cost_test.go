package printers

import (
	"testing"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/cost"
)

// A cost that is not known says so, and one that lacks calls says how many.
func TestCost(t *testing.T) {
	of := func(amount, currency string) *cost.Money {
		return &cost.Money{Amount: decimal.RequireFromString(amount), Currency: currency}
	}
	for name, tc := range map[string]struct {
		spent cost.UsageTotals
		want  string
	}{
		"no usage":           {cost.UsageTotals{}, "–"},
		"no price":           {cost.UsageTotals{Calls: 2, UnpricedCalls: 2}, "unpriced"},
		"all calls":          {cost.UsageTotals{Calls: 2, Cost: of("1.5", "USD")}, "$1.5000"},
		"some calls":         {cost.UsageTotals{Calls: 3, Cost: of("1.5", "USD"), UnpricedCalls: 1}, ">$1.5000 (1 call unpriced)"},
		"another currency":   {cost.UsageTotals{Calls: 1, Cost: of("0.12345", "EUR")}, "0.1234 EUR"}, // half to even
		"rounded up to even": {cost.UsageTotals{Calls: 1, Cost: of("0.12355", "EUR")}, "0.1236 EUR"},
	} {
		if got := costText(tc.spent); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
