package dialect_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

func TestBill(t *testing.T) {
	bill := &dialect.Bill{
		ServiceTier: "tier|traffic", Speed: "speed", Region: "geo", Cost: "cost.total|cost", Currency: "USD", NoCostIf: "own",
		Input: dialect.Modalities{Text: "in.text", Audio: "in.audio"}, InputHoldsCache: true,
		CacheRead: dialect.Modalities{Audio: "in.cached.audio"}, Output: dialect.Modalities{Image: "out.image"},
		WebSearches: "tools.search",
	}
	for _, test := range []struct {
		usage  string
		tokens schema.Tokens
		want   schema.Billing
	}{
		{`null`, schema.Tokens{}, schema.Billing{}},
		{`{"tier":null,"traffic":"ON_DEMAND_PRIORITY","speed":7,"geo":"not_available"}`, schema.Tokens{}, schema.Billing{}},
		{`{"traffic":"ON_DEMAND_PRIORITY","speed":"fast","geo":"us"}`, schema.Tokens{}, schema.Billing{ServiceTier: "priority", Speed: "fast", Region: "us"}},
		{`{"tier":"default"}`, schema.Tokens{}, schema.Billing{ServiceTier: "standard"}},
		{`{"cost":1.50}`, schema.Tokens{Input: 1}, schema.Billing{Cost: "1.50", Currency: "USD"}},
		{`{"cost":{"total":"0.2","request":1}}`, schema.Tokens{Input: 1}, schema.Billing{Cost: "0.2", Currency: "USD"}},
		{`{"cost":{"request":1}}`, schema.Tokens{Input: 1}, schema.Billing{}},
		{`{"cost":0}`, schema.Tokens{Input: 1}, schema.Billing{}},
		{`{"cost":1,"own":true}`, schema.Tokens{Input: 1}, schema.Billing{}},
		{`{"cost":1,"own":false}`, schema.Tokens{Input: 1}, schema.Billing{Cost: "1", Currency: "USD"}},
		{`{"tools":{"search":3}}`, schema.Tokens{}, schema.Billing{Tools: schema.ToolUses{WebSearches: 3}}},
		// 40 of 100 tokens came from a cache. 10 of the 30 audio tokens did, so 50 text tokens
		// did not.
		{`{"in":{"text":70,"audio":30,"cached":{"audio":10}},"out":{"image":5}}`, schema.Tokens{Input: 60, CacheRead: 40},
			schema.Billing{Parts: schema.TokenParts{
				Input: schema.Modalities{Text: 40, Audio: 20}, CacheRead: schema.Modalities{Audio: 10}, Output: schema.Modalities{Image: 5},
			}}},
		{`{"in":{"text":70,"audio":30}}`, schema.Tokens{Input: 60, CacheRead: 40},
			schema.Billing{Parts: schema.TokenParts{Input: schema.Modalities{Text: 30, Audio: 30}}}},
	} {
		u := schema.Usage{Tokens: test.tokens}
		bill.Read([]byte(test.usage), &u)
		if diff := cmp.Diff(test.want, u.Billing); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.usage, diff)
		}
	}
	var none *dialect.Bill
	none.Read([]byte(`{"tier":"flex"}`), &schema.Usage{})
}
