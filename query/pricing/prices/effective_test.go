package prices_test

import (
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/prices"
)

// TestStandard prices two calls of 300,000 input tokens as a cell: gemini-2.5-pro costs 2.5
// dollars for a million input tokens and 15 for output in prompts over 200,000 tokens.
func TestStandard(t *testing.T) {
	e := prices.Standard()
	if len(e.Hash()) != 64 || e.Currency() != "USD" {
		t.Errorf("hash %s, currency %s", e.Hash(), e.Currency())
	}
	s := e.Splits()
	if !slices.Contains(s.TierStarts, 200_000) || !slices.IsSorted(s.TierStarts) {
		t.Errorf("tiers start at %v", s.TierStarts)
	}
	cell := prices.Cell{Call: prices.Call{Provider: "google", Model: "gemini-2.5-pro", At: time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)}, InputTokens: 300_000, Calls: 2}
	cost, err := e.PriceCell(cell, prices.Usage{prices.InputTokens: decimal.NewFromInt(600_000), prices.OutputTokens: decimal.NewFromInt(1000)})
	if err != nil {
		t.Fatal(err)
	}
	if want := decimal.RequireFromString("1.515"); !cost.Total.Equal(want) {
		t.Errorf("cost %s, expected %s", cost.Total, want)
	}
}
