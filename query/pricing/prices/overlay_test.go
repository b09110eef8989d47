package prices_test

import (
	"errors"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/prices"
)

// TestOverlay prices a million input tokens by the table of the program, by hand from the
// pages that overlay.yaml names: 10,000 calls of 100 tokens, which no tier is for.
func TestOverlay(t *testing.T) {
	for _, rule := range prices.Overlay() {
		if rule.Origin == nil || rule.Name == "" {
			t.Errorf("rule %+v has no name or source", rule)
		}
	}
	at := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name   string
		call   prices.Call
		want   string // "" if there is none
		reason prices.Reason
	}{
		{"standard", prices.Call{Provider: "anthropic", Model: "claude-opus-5", ServiceTier: "standard"}, "5", ""},
		{"batch", prices.Call{Provider: "anthropic", Model: "claude-opus-5", ServiceTier: "batch"}, "2.5", ""},
		{"fast", prices.Call{Provider: "anthropic", Model: "claude-opus-5", Speed: "fast"}, "10", ""},
		{"fast 4.8", prices.Call{Provider: "anthropic", Model: "claude-opus-4-8", Speed: "fast"}, "10", ""},
		{"fast 5.5", prices.Call{Provider: "anthropic", Model: "claude-opus-5-5", Speed: "fast"}, "8", ""},
		{"fast without a figure", prices.Call{Provider: "anthropic", Model: "claude-fable-5-2", Speed: "fast"}, "", prices.UnknownTier},
		{"fast in the US", prices.Call{Provider: "anthropic", Model: "claude-opus-5", Speed: "fast", Region: "us"}, "11", ""},
		{"US", prices.Call{Provider: "anthropic", Model: "claude-opus-5", Region: "us"}, "5.5", ""},
		{"global", prices.Call{Provider: "anthropic", Model: "claude-opus-5", Region: "global"}, "5", ""},
		{"fast of a model without fast mode", prices.Call{Provider: "anthropic", Model: "claude-haiku-4-5", Speed: "fast"}, "", prices.UnknownTier},
		{"commitment", prices.Call{Provider: "anthropic", Model: "claude-opus-5", ServiceTier: "priority"}, "", prices.UnknownTier},
		{"default", prices.Call{Provider: "openai", Model: "gpt-5", ServiceTier: "default"}, "1.25", ""},
		{"flex", prices.Call{Provider: "openai", Model: "gpt-5-2025-08-07", ServiceTier: "flex"}, "0.625", ""},
		{"priority", prices.Call{Provider: "openai", Model: "gpt-5", ServiceTier: "priority"}, "2.5", ""},
		{"priority of a model without it", prices.Call{Provider: "openai", Model: "gpt-5-nano", ServiceTier: "priority"}, "", prices.UnknownTier},
		{"Gemini flex", prices.Call{Provider: "google", Model: "gemini-2.5-pro", ServiceTier: "flex"}, "0.625", ""},
		{"Gemini priority", prices.Call{Provider: "google", Model: "gemini-2.5-pro", ServiceTier: "priority"}, "", prices.UnknownTier},
		{"free", prices.Call{Provider: "openrouter", Model: "google/gemini-2.0-flash-exp:free"}, "0", ""},
		{"free, not in the table", prices.Call{Provider: "openrouter", Model: "someone/new-model:free"}, "0", ""},
		{"not free", prices.Call{Provider: "openrouter", Model: "someone/new-model"}, "", prices.UnknownModel},
	} {
		tc.call.At = at
		cost, err := prices.Standard().PriceCell(prices.Cell{Call: tc.call, InputTokens: 100, Calls: 10_000}, prices.Usage{prices.InputTokens: decimal.NewFromInt(1_000_000)})
		if why, ok := errors.AsType[*prices.Unpriced](err); ok {
			if why.Reason != tc.reason {
				t.Errorf("%s: %v, expected %q or the reason %q", tc.name, err, tc.want, tc.reason)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
		} else if tc.want == "" || !cost.Total.Equal(decimal.RequireFromString(tc.want)) || !cost.List.Decimal.Equal(cost.Total) {
			t.Errorf("%s: %s, list %v, expected %q or the reason %q", tc.name, cost.Total, cost.List, tc.want, tc.reason)
		}
	}
	// Long contexts are excluded from priority processing.
	long := prices.Call{Provider: "openai", Model: "gpt-5.4", ServiceTier: "priority", At: at}
	_, err := prices.Standard().Price(long, prices.Usage{prices.InputTokens: decimal.NewFromInt(300_000)})
	if why, ok := errors.AsType[*prices.Unpriced](err); !ok || why.Reason != prices.UnknownTier {
		t.Errorf("a long context in the priority tier: %v", err)
	}
}
