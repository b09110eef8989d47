package cost_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
)

// TestPriceRecord compares the costs of records and of cells by one pricer, which keeps the prices of
// their classes, with those by Price.
func TestPriceRecord(t *testing.T) {
	operator, err := prices.ReadFile("prices.yaml", []byte(`
currency: EUR
rates: [{from: 2026-01-01, usd: 0.9}, {from: 2026-02-01, usd: 0.8}]
discounts: [{name: contract, provider: anthropic, factor: 0.5, from: 2026-02-10}]
margins: [{name: everyone, factor: 1.2}, {name: c1, tag: {customer: c1}, factor: 2, units: [output_mtok]}]
`))
	if err != nil {
		t.Fatal(err)
	}
	table := prices.With(operator)
	known := 0
	rapid.Check(t, func(t *rapid.T) {
		p := &cost.Pricer{Table: table, Tenant: "acme", Split: cost.SplitOf(table)}
		for range rapid.IntRange(1, 40).Draw(t, "records") {
			times := rapid.SampledFrom([]int64{1, 1, 1_000_000_000_000}).Draw(t, "times") // amounts of more than 64 bits
			n := func(name string) int64 { return times * max(0, rapid.Int64Range(-1000, 300_000).Draw(t, name)) }
			c := &cost.Cell{Quantities: cost.Quantities{
				Calls: 1, Input: n("input"), CacheRead: n("read"), CacheWrite5m: n("5m"), CacheWrite1h: n("1h"), Output: n("output"), Reasoning: n("reasoning"),
			}}
			if rapid.IntRange(0, 3).Draw(t, "parts") == 0 {
				c.InputAudio, c.CacheReadAudio, c.OutputAudio, c.WebSearches, c.CodeExecutions = n("ia"), n("ra"), n("oa"), n("searches"), n("executions")
			}
			c.Key = cost.Key{
				Provider:    rapid.SampledFrom([]string{"", "openai", "anthropic", "google"}).Draw(t, "provider"),
				Model:       rapid.SampledFrom([]string{"gpt-5", "gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro", "gemini-2.5-flash", "nobody-1", ""}).Draw(t, "model"),
				ServiceTier: rapid.SampledFrom([]string{"", "", "batch", "priority", "odd"}).Draw(t, "tier"),
				Region:      rapid.SampledFrom([]string{"", "us"}).Draw(t, "region"),
				At:          1767000000e9 + rapid.Int64Range(0, 60*24).Draw(t, "hour")*3600e9, // from three days before the first rate
				InputTokens: c.Prompt(), Valid: c.Possible(), Rest: rapid.IntRange(0, 9).Draw(t, "rest") == 0,
			}
			if c.Rest {
				c.Calls = 0
			}
			for range p.Split.Tags {
				c.Tags = append(c.Tags, rapid.SampledFrom([]string{"", "c1", "c2"}).Draw(t, "tag"))
			}
			want, wantErr := p.Price(c)
			got, err := p.PriceRecord(c)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || cost.ReasonOf(err) != cost.ReasonOf(wantErr) {
				t.Fatalf("%+v: %v, want %v", c, err, wantErr)
			}
			// The rates of the class are kept by the first record.
			for range 2 {
				if sum := p.Of(c).Cost; err == nil && sum.Text() != "" && sum.Text() != want.Total.String() {
					t.Fatalf("%+v: the sum is %s, want %s", c, sum.Text(), want.Total)
				}
			}
			if err == nil {
				known++
				if g, w := texts(got), texts(want); g != w {
					t.Fatalf("%+v:\n%s\nwant %s", c, g, w)
				}
			}
		}
	})
	if known < 100 {
		t.Errorf("%d costs are known", known)
	}
}

func texts(c *prices.Cost) string {
	text := fmt.Sprintf("%p %p %q %s %v %v", c.Provider, c.Model, c.Rules, c.Total, c.List, c.Contracted)
	for _, l := range c.Lines {
		text += fmt.Sprintf("\n%s %s %s %s %v %v", l.Unit.Name, l.Quantity, l.Price, l.Cost, l.List, l.Contracted)
	}
	return text
}
