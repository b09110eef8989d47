package providerexport

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/pricing/cost"
)

// differences writes a comparison as lines of "<day> <model> <bucket>: <recorded> to
// <exported>, <difference>, <state>".
func differences(c *Comparison) string {
	figure := func(d *decimal.Decimal) string {
		if d == nil {
			return "unknown"
		}
		return d.String()
	}
	var lines []string
	for _, i := range c.Items {
		line := fmt.Sprintf("%s %s %s: %s to %s, %s, %s", i.Day, query.Text(i.Model), i.Bucket, figure(i.Recorded), i.Exported, figure(i.Difference), i.State)
		if i.UnpricedCalls > 0 {
			line += fmt.Sprintf(", %d unpriced", i.UnpricedCalls)
		}
		lines = append(lines, line)
	}
	for _, s := range c.Sums {
		lines = append(lines, fmt.Sprintf("sum %s: %s to %s, %s", s.Bucket, figure(s.Recorded), s.Exported, figure(s.Difference)))
	}
	for _, u := range c.Unattributed {
		lines = append(lines, fmt.Sprintf("unattributed %s: %d calls, %d tokens", query.Text(u.Model), u.Calls, u.Tokens))
	}
	return strings.Join(lines, "\n")
}

func money(text string) *decimal.Decimal {
	d := decimal.RequireFromString(text)
	return &d
}

func TestCompare(t *testing.T) {
	for name, x := range map[string]struct {
		export   string
		recorded []Recorded
		want     string
	}{
		// Reasoning is output, and writes to a cache are input where the export does not
		// separate them.
		"OpenAI": {exports["OpenAI usage, minutes and keys of a day"].text, []Recorded{
			{"2026-03-01", "openai", "gpt-5-2025-08-07", 3, cost.TokensOf(400, 600, 17, 0, 8, 50), nil, 3},
			{"2026-03-02", "openai", "gpt-5-2025-08-07", 1, cost.TokensOf(5, 0, 0, 0, 0, 0), nil, 1},
			{"2026-03-02", "", "mystery", 2, cost.TokensOf(5, 0, 0, 0, 1, 0), nil, 2},
			{"2026-03-02", "", "gpt-4o", 1, cost.TokensOf(0, 0, 0, 0, 1, 0), nil, 1},
			{"2026-03-02", "anthropic", "gpt-4o", 1, cost.TokensOf(1000, 0, 0, 0, 1, 0), nil, 1},
			{"2026-03-04", "openai", "gpt-4o", 1, cost.TokensOf(1000, 0, 0, 0, 1, 0), nil, 1},
		}, `2026-03-01 gpt-5-2025-08-07 calls: 3 to 4, -1, differs
2026-03-01 gpt-5-2025-08-07 input: 417 to 417, 0, equal
2026-03-01 gpt-5-2025-08-07 cache_read: 600 to 600, 0, equal
2026-03-01 gpt-5-2025-08-07 output: 58 to 58, 0, equal
2026-03-02 gpt-4o calls: 1 to 0, 1, only_recorded
2026-03-02 gpt-4o output: 1 to 0, 1, only_recorded
2026-03-02 gpt-5-2025-08-07 calls: 1 to 0, 1, only_recorded
2026-03-02 gpt-5-2025-08-07 input: 5 to 0, 5, only_recorded
2026-03-03 gpt-4o calls: 0 to 1, -1, only_exported
2026-03-03 gpt-4o input: 0 to 7, -7, only_exported
2026-03-03 gpt-4o cache_read: 0 to 2, -2, only_exported
2026-03-03 gpt-4o output: 0 to 1, -1, only_exported
sum calls: 5 to 5, 0
sum input: 422 to 424, -2
sum cache_read: 600 to 602, -2
sum output: 59 to 59, 0
unattributed mystery: 2 calls, 6 tokens`},
		"Anthropic": {exports["Anthropic usage report"].text, []Recorded{
			{"2026-03-01", "anthropic", "claude-opus-4-20250514", 1, cost.TokensOf(1500, 200, 1500, 0, 70, 0), nil, 1},
		}, `2026-03-01 claude-opus-4-20250514 input: 1500 to 1500, 0, equal
2026-03-01 claude-opus-4-20250514 cache_read: 200 to 200, 0, equal
2026-03-01 claude-opus-4-20250514 cache_write_5m: 1500 to 500, 1000, differs
2026-03-01 claude-opus-4-20250514 cache_write_1h: 0 to 1000, -1000, only_exported
2026-03-01 claude-opus-4-20250514 output: 70 to 70, 0, equal
sum input: 1500 to 1500, 0
sum cache_read: 200 to 200, 0
sum cache_write_5m: 1500 to 500, 1000
sum cache_write_1h: 0 to 1000, -1000
sum output: 70 to 70, 0`},
		"costs by names for people": {exports["Claude Console cost"].text, []Recorded{
			{"2026-03-01", "anthropic", "claude-haiku-4-5-20251001", 2, cost.TokensOf(1, 0, 0, 0, 1, 0), money("0.1"), 0},
			{"2026-03-01", "anthropic", "claude-haiku-4-5", 1, cost.TokensOf(1, 0, 0, 0, 1, 0), money("0.12"), 1},
		}, `2026-03-01 claude-haiku-4-5 cost: 0.22 to 0.22, 0, equal, 1 unpriced
sum cost: 0.22 to 0.22, 0`},
		"costs that are not known": {exports["Anthropic cost report, in cents"].text, []Recorded{
			{"2026-03-01", "anthropic", "claude-sonnet-4-20250514", 2, cost.TokensOf(1, 0, 0, 0, 1, 0), nil, 2},
		}, `2026-03-01  cost: 0 to 1, -1, only_exported
2026-03-01 claude-sonnet-4-20250514 cost: unknown to 1.2378912, unknown, differs, 2 unpriced
sum cost: unknown to 2.2378912, unknown`},
		"whole days": {exports["OpenAI costs as CSV, of the whole organization"].text, []Recorded{
			{"2026-03-01", "openai", "gpt-4o", 2, cost.TokensOf(1, 0, 0, 0, 1, 0), money("0.5"), 0},
			{"2026-03-01", "openai", "gpt-5", 2, cost.TokensOf(1, 0, 0, 0, 1, 0), money("0.0455665"), 0},
		}, `2026-03-01  cost: 0.5455665 to 0.5455665, 0, equal
sum cost: 0.5455665 to 0.5455665, 0`},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := Read(strings.NewReader(x.export), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(x.want, differences(Compare(e, x.recorded))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
