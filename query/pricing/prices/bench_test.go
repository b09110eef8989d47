package prices_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/prices"
)

// BenchmarkPrice prices one call of a model near the end of the table's list.
func BenchmarkPrice(b *testing.B) {
	e := prices.Standard()
	used := prices.Usage{
		prices.InputTokens: decimal.NewFromInt(1200), prices.CacheReadTokens: decimal.NewFromInt(1000),
		prices.OutputTokens: decimal.NewFromInt(77), prices.ReasoningTokens: decimal.NewFromInt(7),
	}
	for _, call := range []prices.Call{{Provider: "anthropic", Model: "claude-opus-5"}, {Provider: "openrouter", Model: "z-ai/glm-4.6"}} {
		call.At = time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
		b.Run(call.Provider, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Price(call, used); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
