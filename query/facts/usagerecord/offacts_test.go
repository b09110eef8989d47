package usagerecord_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/querytest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// TestOfFacts compares the records of facts in memory with those of the same facts in the database: with
// every field, running totals, and one record that two streams report.
func TestOfFacts(t *testing.T) {
	db := querytest.Open(t)
	full := querytest.Used("full", "gpt-5", 2, schema.Tokens{Input: 1000, CacheRead: 200, CacheWrite5m: 30, CacheWrite1h: 4, Output: 500, Reasoning: 60})
	full.Span, full.Total, full.Raw = "llm", 1795, `{"total":1795}`
	full.Billing = schema.Billing{
		RequestedModel: "gpt-5-latest", ServiceTier: "standard", Speed: "fast", Region: "us", Cost: "0.25", Currency: "EUR",
		RequestID: "req-1", MessageID: "msg-1",
		Parts: schema.TokenParts{Input: schema.Modalities{Text: 1, Audio: 2, Image: 3, Video: 4},
			CacheRead: schema.Modalities{Text: 5, Audio: 6, Image: 7, Video: 8}, Output: schema.Modalities{Text: 9, Audio: 10, Image: 11, Video: 12}},
		Tools: schema.ToolUses{WebSearches: 13, WebFetches: 14, CodeExecutions: 15},
	}
	running := func(id string, at float64, n uint64) schema.Usage {
		u := querytest.Used(id, "gpt-5", at, schema.Tokens{Input: n})
		u.Mode, u.Scope = schema.UsageRunning, "thread"
		return u
	}
	unpriced := querytest.Used("unpriced", "a model without a price", 5, schema.Tokens{Output: 7})
	recordings := []querytest.Recording{
		{Session: "s", Stream: 1, Usages: []schema.Usage{full, running("r1", 3, 100), running("r2", 4, 250), unpriced}},
		{Session: "s", Stream: 2, Usages: []schema.Usage{querytest.Used("full", "", 6, schema.Tokens{Input: 1001})}},
	}
	db.Add(recordings...)
	want := querytest.Must[[]usagerecord.Record](t)(usagerecord.OfSession(t.Context(), query.NewReader(db.Conn), db.Tenant,
		querytest.Must[*sessionstreams.Row](t)(sessionstreams.Find(t.Context(), query.NewReader(db.Conn), db.Tenant, "s"))))
	facts, states := map[string]*block.Facts{}, []schema.StreamState{}
	for i := range recordings {
		b := recordings[i].Block()
		facts[b.State.StreamID], states = &b.Facts, append(states, b.State)
	}
	_, streams := sessionstreams.OfStates("s", states)
	pricer := &cost.Pricer{Table: prices.Standard(), Tenant: db.Tenant, Split: cost.SplitOf(prices.Standard())}
	got := querytest.Must[[]usagerecord.Record](t)(usagerecord.OfFacts(pricer, streams, facts))
	if len(want) != 4 {
		t.Errorf("%d records, want 4", len(want))
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(usagerecord.Record{}), cmp.Comparer(decimal.Decimal.Equal)); d != "" {
		t.Errorf("in memory (- in the database, + in memory):\n%s", d)
	}
	if d := cmp.Diff(usagerecord.TotalsOf(want), usagerecord.TotalsOf(got), cmp.Comparer(decimal.Decimal.Equal)); d != "" {
		t.Errorf("totals (- in the database, + in memory):\n%s", d)
	}
}
