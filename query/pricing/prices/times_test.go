package prices_test

import (
	"errors"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/prices"
)

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestPricesByTime compares prices of a million tokens with those that the pages of providers
// state for the time: which of them hold was worked out by hand from a calendar.
func TestPricesByTime(t *testing.T) {
	fast := func(model string) prices.Call { return prices.Call{Provider: "anthropic", Model: model, Speed: "fast"} }
	model := func(provider, name string) prices.Call { return prices.Call{Provider: provider, Model: name} }
	for _, tc := range []struct {
		name, at  string
		call      prices.Call
		in, out   string // "" if there is no price
		inputSize int64  // of each call, for tiers; 1000 if 0
	}{
		// DeepSeek: one price until 16 August 2026; peaks from 17 August, 01:00 to 04:00 and 06:00
		// to 10:00 UTC, Monday to Friday.
		{"a peak's hour before there were peaks", "2026-07-10T02:00:00Z", model("deepseek", "deepseek-v4-pro"), "0.435", "0.87", 0},
		{"the last second before", "2026-08-16T23:59:59Z", model("deepseek", "deepseek-v4-pro"), "0.435", "0.87", 0},
		{"the first hour", "2026-08-17T00:59:59Z", model("deepseek", "deepseek-v4-pro"), "0.66", "1.98", 0},
		{"the first peak, a Monday", "2026-08-17T01:00:00Z", model("deepseek", "deepseek-v4-pro"), "1.32", "3.96", 0},
		{"its end", "2026-08-17T04:00:00Z", model("deepseek", "deepseek-v4-pro"), "0.66", "1.98", 0},
		{"the second peak", "2026-08-17T09:59:59Z", model("deepseek", "deepseek-v4-pro"), "1.32", "3.96", 0},
		{"a Friday", "2026-09-11T02:00:00Z", model("deepseek", "deepseek-v4-pro"), "1.32", "3.96", 0},
		{"a Saturday", "2026-09-12T02:00:00Z", model("deepseek", "deepseek-v4-pro"), "0.66", "1.98", 0},
		{"a Sunday", "2026-09-13T06:30:00Z", model("deepseek", "deepseek-v4-pro"), "0.66", "1.98", 0},
		{"a zone in which it is Monday already", "2026-09-14T01:00:00+08:00", model("deepseek", "deepseek-v4-pro"), "0.66", "1.98", 0},
		{"flash, Friday", "2026-08-21T02:00:00Z", model("deepseek", "deepseek-v4-flash"), "0.44", "1.32", 0},
		{"flash, before", "2026-08-10T02:00:00Z", model("deepseek", "deepseek-v4-flash"), "0.14", "0.28", 0},
		{"V4.1 flash, peak", "2026-10-01T07:00:00Z", model("deepseek", "deepseek-flash"), "0.3", "1.2", 0},
		{"V4.1 flash, Saturday", "2026-10-03T07:00:00Z", model("deepseek", "deepseek-flash"), "0.15", "0.6", 0},
		// OpenAI: "more than 272K input tokens", for all models.
		{"272,000 of 5.4", "2026-10-01T12:00:00Z", model("openai", "gpt-5.4"), "2.5", "15", 272_000},
		{"272,001 of 5.4", "2026-10-01T12:00:00Z", model("openai", "gpt-5.4"), "5", "22.5", 272_001},
		{"272,000 of 5.6 sol", "2026-10-01T12:00:00Z", model("openai", "gpt-5.6-sol"), "4", "20", 272_000},
		{"272,001 of 5.6 sol", "2026-10-01T12:00:00Z", model("openai", "gpt-5.6-sol"), "8", "30", 272_001},
		{"272,000 of 6 sol", "2026-10-01T12:00:00Z", model("openai", "gpt-6-sol"), "2", "10", 272_000},
		{"272,001 of 6 sol", "2026-10-01T12:00:00Z", model("openai", "gpt-6-sol"), "4", "15", 272_001},
		{"272,000 at Bedrock", "2026-10-01T12:00:00Z", model("aws", "us.openai.gpt-5.6-sol"), "4.4", "22", 272_000},
		{"272,001 at Bedrock", "2026-10-01T12:00:00Z", model("aws", "us.openai.gpt-5.6-sol"), "8.8", "33", 272_001},
		// Fast mode: ended for Opus 4.6 on 29 June (standard from then on), for 4.7 on 24 July.
		{"fast 4.6, last day", "2026-06-28T23:59:59Z", fast("claude-opus-4-6"), "30", "150", 0},
		{"fast 4.6, ended", "2026-06-29T00:00:00Z", fast("claude-opus-4-6"), "5", "25", 0},
		{"fast 4.7, last day", "2026-07-24T12:00:00Z", fast("claude-opus-4-7"), "30", "150", 0},
		{"fast 4.7, ended", "2026-07-25T00:00:00Z", fast("claude-opus-4-7"), "", "", 0},
		{"fast 5.5", "2026-10-15T00:00:00Z", fast("claude-opus-5-5"), "8", "40", 0},
		// Models that the published table of 23 September lacks.
		{"Haiku 5.5", "2026-10-08T00:00:00Z", model("anthropic", "claude-haiku-5-5"), "0.1", "0.5", 100_000},
		{"Haiku 5.5, long", "2026-10-08T00:00:00Z", model("anthropic", "claude-haiku-5-5"), "0.5", "2.5", 100_001},
		{"Fable 5.2", "2026-11-09T00:00:00Z", model("anthropic", "claude-fable-5-2"), "8", "40", 0},
		{"6.1 Sol, a snapshot", "2026-10-01T00:00:00Z", model("openai", "gpt-6.1-sol-2026-09-29"), "2", "10", 0},
		{"Grok 4.7", "2026-11-09T00:00:00Z", model("xai", "grok-4.7"), "4", "12", 200_001},
	} {
		t.Run(tc.name, func(t *testing.T) {
			call, size := tc.call, tc.inputSize
			call.At = instant(t, tc.at)
			if size == 0 {
				size = 1000
			}
			for unit, want := range map[string]string{prices.InputTokens: tc.in, prices.OutputTokens: tc.out} {
				cell := prices.Cell{Call: call, InputTokens: size, Calls: 1}
				cost, err := prices.Standard().PriceCell(cell, prices.Usage{unit: decimal.NewFromInt(1_000_000)})
				if want == "" {
					if _, ok := errors.AsType[*prices.Unpriced](err); !ok {
						t.Errorf("%s costs %v, expected no price", unit, cost)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s: %v, expected %s", unit, err, want)
				} else if !cost.Total.Equal(decimal.RequireFromString(want)) {
					t.Errorf("%s costs %s, expected %s", unit, cost.Total, want)
				}
			}
		})
	}
}

// TestWindowsAfterTheirDates looks at the built-in table: no prices by time of day that follow
// dated ones in a model's list hold before that date.
func TestWindowsAfterTheirDates(t *testing.T) {
	windows := 0
	for _, p := range prices.Builtin().Providers {
		for _, m := range p.Models {
			dated := ""
			for _, period := range m.Prices {
				c := period.Constraint
				if c.StartTime != "" && dated != "" {
					windows++
					if c.StartDate < dated {
						t.Errorf("%s/%s: prices from %s hold from the date %q, expected %s", p.ID, m.ID, c.StartTime, c.StartDate, dated)
					}
				}
				if c.StartDate != "" {
					dated = c.StartDate
				}
			}
			for _, period := range m.Prices {
				for unit, price := range period.Prices {
					for _, tier := range price.Tiers {
						if tier.Start == 271_999 {
							t.Errorf("%s/%s: a tier of %s starts at 271999", p.ID, m.ID, unit)
						}
					}
				}
			}
		}
	}
	if windows == 0 {
		t.Error("the table has no prices by time of day after a date")
	}
}

// TestRefusals prices a refusal before any output by its date and category, by the provider's
// release notes of 2 June and 24 September 2026.
func TestRefusals(t *testing.T) {
	const million = "10" // a million input tokens of claude-fable-5
	for _, tc := range []struct{ at, tier, provider, want string }{
		{"2026-06-01T23:59:59Z", "refused:cyber", "anthropic", million},
		{"2026-06-02T00:00:00Z", "refused:cyber", "anthropic", "0"},
		{"2026-06-02T00:00:00Z", "refused:none", "anthropic", "0"},
		{"2026-09-23T23:59:59Z", "refused:bio", "anthropic", "0"},
		{"2026-09-24T00:00:00Z", "refused:bio", "anthropic", million},
		{"2026-09-24T00:00:00Z", "refused:frontier_llm", "anthropic", million},
		{"2026-09-24T00:00:00Z", "refused:reasoning_extraction", "anthropic", million},
		{"2026-09-24T00:00:00Z", "refused:cyber", "anthropic", "0"},
		{"2026-09-24T00:00:00Z", "refused:none", "anthropic", "0"},
		{"2026-09-24T00:00:00Z", "batch refused:bio", "anthropic", "5"},
		{"2026-09-24T00:00:00Z", "batch refused:cyber", "anthropic", "0"},
		{"2026-09-24T00:00:00Z", "", "anthropic", million},
	} {
		call := prices.Call{Provider: tc.provider, Model: "claude-fable-5", ServiceTier: tc.tier, At: instant(t, tc.at)}
		cost, err := prices.Standard().Price(call, prices.Usage{prices.InputTokens: decimal.NewFromInt(1_000_000)})
		if err != nil {
			t.Errorf("%q at %s: %v", tc.tier, tc.at, err)
		} else if !cost.Total.Equal(decimal.RequireFromString(tc.want)) || !cost.List.Valid {
			t.Errorf("%q at %s costs %s (list %v), expected %s", tc.tier, tc.at, cost.Total, cost.List, tc.want)
		}
	}
}
