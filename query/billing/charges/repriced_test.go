package charges_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/pricing/pricetables"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
	"tapedeck/schema"
)

// Costs at other prices that are not known have their reasons: the price file has no rate in
// May 2020, and the table has no model in-house-9 of openai. Charges and reports state the same.
func TestReasonsOfOtherPrices(t *testing.T) {
	db := querytest.New(t)
	db.Add(querytest.Recording{Session: "a", Stream: 1, Usages: []schema.Usage{
		querytest.Used("a", "gpt-5", 0, schema.Tokens{Input: 1000}),
		querytest.Used("b", "in-house-9", 1, schema.Tokens{Input: 500}),
	}})
	store := pricetables.NewStore(db.Conn, nil)
	file := "currency: EUR\nrates: [{from: 2020-06-01, usd: 0.5}]\n"
	if _, _, err := store.Import(t.Context(), "p.yaml", []byte(file)); err != nil {
		t.Fatal(err)
	}
	r := query.NewReader(db.Conn, query.WithPrices(store))
	early := time.Date(2020, 5, 1, 0, 0, 0, 0, time.UTC)
	gpt5, house := "gpt-5", "in-house-9"
	for _, tc := range []struct {
		name            string
		pricing         grouping.Pricing
		repriced, other []cost.Unpriced
	}{
		{"not asked for", grouping.Pricing{}, nil, nil},
		{"at a known rate", grouping.Pricing{AsOf: early.AddDate(5, 8, 0)}, []cost.Unpriced{{Reason: "unknown_model", Model: &house, Calls: 1, Tokens: 500}}, nil},
		{"before the first rate", grouping.Pricing{AsOf: early},
			[]cost.Unpriced{{Reason: "no_rate", Model: &gpt5, Calls: 1, Tokens: 1000}, {Reason: "unknown_model", Model: &house, Calls: 1, Tokens: 500}}, nil},
		{"before the first rate, as another model", grouping.Pricing{AsOf: early, WhatIfModel: "gpt-5-mini"},
			[]cost.Unpriced{{Reason: "no_rate", Model: &gpt5, Calls: 1, Tokens: 1000}, {Reason: "unknown_model", Model: &house, Calls: 1, Tokens: 500}},
			[]cost.Unpriced{{Reason: "no_rate", Model: &gpt5, Calls: 1, Tokens: 1000}, {Reason: "no_rate", Model: &house, Calls: 1, Tokens: 500}}},
		{"as another model", grouping.Pricing{WhatIfModel: "gpt-5-mini"}, nil, nil},
	} {
		report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{
			Tenant: querytest.Tenant, AsOf: tc.pricing.AsOf, WhatIfModel: tc.pricing.WhatIfModel,
		}))
		if d := cmp.Diff(tc.repriced, report.Totals.RepricedReasons); d != "" {
			t.Errorf("%s: repriced in the report: %s", tc.name, d)
		}
		if d := cmp.Diff(tc.other, report.Totals.WhatIfReasons); d != "" {
			t.Errorf("%s: what if in the report: %s", tc.name, d)
		}
		var repriced, other []cost.Unpriced
		for _, c := range list(t, r, charges.Query{Pricing: tc.pricing}) {
			repriced = cost.Merge(repriced, without(t, c, c.RepricedUnpriced, c.RepricedDetail))
			other = cost.Merge(other, without(t, c, c.WhatIfUnpriced, c.WhatIfDetail))
		}
		if d := cmp.Diff([][]cost.Unpriced{tc.repriced, tc.other}, [][]cost.Unpriced{repriced, other}); d != "" {
			t.Errorf("%s: charges: %s", tc.name, d)
		}
	}
}

// without returns the reason of a charge as a report has it.
func without(t *testing.T, c *charges.Charge, reason *prices.Reason, detail string) []cost.Unpriced {
	t.Helper()
	if (reason == nil) != (detail == "") {
		t.Errorf("charge of %s: reason %v and detail %q", *c.Model, reason, detail)
	}
	if reason == nil {
		return nil
	}
	return []cost.Unpriced{{Reason: *reason, Model: c.Model, Calls: 1, Tokens: c.Tokens.Total}}
}
