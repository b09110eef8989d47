package prices_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/prices"
)

// TestBuiltin prices a call by the table of the program, by hand: claude-opus-4-6 costs 5
// dollars for a million input tokens and 25 for output; a tenth of it for reading from
// the cache (the provider's price list).
func TestBuiltin(t *testing.T) {
	table := prices.Builtin()
	if s := table.Source; s.Version == "" || s.Date == "" || len(s.SHA256) != 64 {
		t.Errorf("source %+v", s)
	}
	cost, err := table.Price(prices.Call{Model: "claude-opus-4-6-20260205", At: time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)}, prices.Usage{
		prices.InputTokens: decimal.NewFromInt(1100), prices.CacheReadTokens: decimal.NewFromInt(1000), prices.OutputTokens: decimal.NewFromInt(10),
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := decimal.RequireFromString("0.00125"); !cost.Total.Equal(want) {
		t.Errorf("cost %s, expected %s", cost.Total, want)
	}
}
