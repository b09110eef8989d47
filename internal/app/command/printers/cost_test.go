package printers

import (
	"testing"

	"github.com/shopspring/decimal"

	"tapedeck/query"
	costs "tapedeck/query/pricing/cost"
)

// A cost that is not known says so, and one that lacks calls says how many.
func TestCost(t *testing.T) {
	of := func(amount, currency string) *costs.Money {
		return &costs.Money{Amount: decimal.RequireFromString(amount), Currency: currency}
	}
	for name, tc := range map[string]struct {
		spent query.Spent
		want  string
	}{
		"no usage":           {query.Spent{}, "–"},
		"no price":           {query.Spent{Calls: 2, UnpricedCalls: 2}, "unpriced"},
		"all calls":          {query.Spent{Calls: 2, Cost: of("1.5", "USD")}, "$1.5000"},
		"some calls":         {query.Spent{Calls: 3, Cost: of("1.5", "USD"), UnpricedCalls: 1}, "$1.5000 (1 call unpriced)"},
		"another currency":   {query.Spent{Calls: 1, Cost: of("0.12345", "EUR")}, "0.1234 EUR"}, // half to even
		"rounded up to even": {query.Spent{Calls: 1, Cost: of("0.12355", "EUR")}, "0.1236 EUR"},
	} {
		if got := cost(tc.spent); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
