package cost_test

import (
	"encoding/json"
	"testing"
	"time"

	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
)

// The shares of a cost are what its buckets cost, and add up to it. Prices of a million tokens
// of Claude Sonnet 4.5 are 3, 0.30, 3.75, 6 and 15 dollars, 6, 0.60 and 22.50 dollars for
// calls with more than 200,000 tokens of input; a search on the web is a cent. Those of Gemini
// 2.5 Flash are 0.30 and 2.50 dollars, and 1 dollar for input of audio.
func TestShares(t *testing.T) {
	effective := prices.With(nil)
	p := &cost.Pricer{Table: effective, Split: cost.SplitOf(effective)}
	for name, tc := range map[string]struct {
		model string
		used  cost.Quantities
		want  string
	}{
		"each bucket": {
			"claude-sonnet-4-5", cost.Quantities{Calls: 1, Input: 1000, CacheRead: 10_000, CacheWrite5m: 100, CacheWrite1h: 10, Output: 200, Reasoning: 20},
			`{"input":"0.003","cache_read":"0.003","cache_write_5m":"0.000375","cache_write_1h":"0.00006","output":"0.003","reasoning":"0.0003"}`,
		},
		"a higher tier": {
			"claude-sonnet-4-5", cost.Quantities{Calls: 1, Input: 1000, CacheRead: 200_000, Output: 200},
			`{"input":"0.006","cache_read":"0.12","output":"0.0045"}`,
		},
		"searches": {
			"claude-sonnet-4-5", cost.Quantities{Calls: 1, Input: 1000, Parts: cost.Parts{WebSearches: 2}},
			`{"input":"0.003","web_searches":"0.02"}`,
		},
		"audio": {
			"gemini-2.5-flash", cost.Quantities{Calls: 1, Input: 1100, Output: 1010, Parts: cost.Parts{InputAudio: 100}},
			`{"input":"0.0004","output":"0.002525"}`,
		},
		"unknown": {"no-such-model", cost.Quantities{Calls: 1, Input: 1}, "null"},
	} {
		c := &cost.Cell{Key: cost.Key{Model: tc.model, At: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC).UnixNano(), InputTokens: tc.used.Prompt(), Valid: true}, Quantities: tc.used}
		s := p.Shares(c)
		text, err := json.Marshal(s)
		if err != nil || string(text) != tc.want {
			t.Errorf("%s: %s, want %s (%v)", name, text, tc.want, err)
		}
		if total := p.Of(c).Cost; s != nil && !s.Sum().Equal(total.Amount) {
			t.Errorf("%s: the shares sum to %s, the cost is %s", name, s.Sum(), total.Text())
		}
	}
}
