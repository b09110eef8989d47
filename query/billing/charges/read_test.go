package charges_test

import (
	"bytes"
	"encoding/csv"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/sessionfilter"
	"tapedeck/query/tabular"
	"tapedeck/schema"
)

// testPrices are list prices for a million tokens and a thousand uses; big's depend on the
// length of the input.
const testPrices = `{"source": {}, "providers": [{"id": "p", "model_match": {"or": [{"equals": "speaker"}, {"equals": "big"}]}, "models": [
	{"id": "speaker", "match": {"equals": "speaker"}, "prices": [{"prices": {
		"input_mtok": 1, "cache_read_mtok": 0.1, "input_audio_mtok": 10, "output_mtok": 4, "web_searches_kcount": 25}}]},
	{"id": "big", "match": {"equals": "big"}, "prices": [{"prices": {
		"input_mtok": {"base": 1, "tiers": [{"start": 1000, "price": 2}]}, "output_mtok": {"base": 3, "tiers": [{"start": 1000, "price": 6}]}}}]}]}]}`

// operatorPrices are a discount, and margins of which one is by a tag.
const operatorPrices = `
discounts: [{name: contract, provider: p, factor: 0.5}]
margins: [{name: everyone, factor: 1.2}, {name: customer c1, tag: {customer: c1}, factor: 2, units: [output_mtok]}]
`

// pricesWith returns a source of a table of testPrices with a price file.
func pricesWith(t *testing.T, file string) prices.Fixed {
	t.Helper()
	table := querytest.Must[*prices.Table](t)(prices.Load([]byte(testPrices)))
	var operator *prices.Operator
	if file != "" {
		operator = querytest.Must[*prices.Operator](t)(prices.ReadFile("prices.yaml", []byte(file)))
	}
	return prices.Fixed{Table: querytest.Must[*prices.Effective](t)(prices.Combine(table, nil, operator))}
}

// used is a call of provider p.
func used(id, model string, seconds float64, tokens schema.Tokens) schema.Usage {
	u := querytest.Used(id, model, seconds, tokens)
	u.Provider = "p"
	return u
}

// TestCharge lists a call with everything that a record may state.
func TestCharge(t *testing.T) {
	u := used("u1", "speaker", 5, schema.Tokens{Input: 1000, CacheRead: 500, Output: 200, Reasoning: 50})
	u.Run, u.Node, u.Span, u.Agent, u.Total = "r", "n", "s", "a", 1751
	u.SeenSeq, u.Version = 7, 10
	u.RequestedModel, u.Region, u.RequestID, u.MessageID = "speaker-latest", "us", "req_1", "msg_1"
	u.Billing.Cost, u.Billing.Currency = "0.0125e0", "USD"
	u.Parts.Input.Audio, u.Tools = 300, schema.ToolUses{WebSearches: 3, WebFetches: 2}
	db := querytest.New(t)
	db.Add(
		querytest.Recording{Session: "one", Stream: 1, State: schema.StreamState{Tags: map[string]string{"customer": "c1", "env": "prod"}}, Usages: []schema.Usage{u}},
		querytest.Recording{Session: "one", Stream: 2, State: schema.StreamState{Tags: map[string]string{"customer": "c2", "late": "y"}}, Frames: []schema.Frame{querytest.Frame(1, 60, "x", "{}")}},
	)
	r := querytest.Reader(db, 1e6, query.WithPrices(pricesWith(t, operatorPrices)))
	all := sameAsReport(t, r, charges.Query{})
	if len(all) != 1 {
		t.Fatalf("%d charges, want 1", len(all))
	}
	c := all[0]
	if want := (schema.Position{At: querytest.AtSecond(5), StreamID: querytest.StreamID(1), Seq: 9}).String(); c.Position != want {
		t.Errorf("position %s, want %s", c.Position, want)
	}
	if want := map[string]string{"customer": "c1", "env": "prod", "late": "y"}; !maps.Equal(c.Tags, want) {
		t.Errorf("tags %v, want %v", c.Tags, want)
	}
	for _, f := range []struct{ name, want, got string }{
		{"time", "2026-03-02T10:00:05Z", c.At.Format(time.RFC3339Nano)},
		{"model", "speaker", *c.Model},
		{"requested model", "speaker-latest", *c.RequestedModel},
		{"entry", "p/speaker", *c.PriceProvider + "/" + *c.PriceModel},
		{"region", "us", c.Region},
		{"ids", "req_1 msg_1 r n s a", c.RequestID + " " + c.MessageID + " " + c.RunID + " " + c.NodeID + " " + c.SpanID + " " + c.Agent},
		{"stated cost", "0.0125", c.Stated.Text()},
		// 700 * 1 + 300 * 10 + 500 * 0.1 + 250 * 4 = 4750 millionths, and 3 * 25 thousandths.
		{"list cost", "0.07975", c.ListCost.Text()},
		{"contracted cost", "0.039875", c.ContractedCost.Text()},
		// 1.2 times all but the output, and 2 times the output: 0.5 * (1.2 * 78750 + 2 * 1000).
		{"cost", "0.04825", c.Cost.Text()},
	} {
		if f.got != f.want {
			t.Errorf("%s %q, want %q", f.name, f.got, f.want)
		}
	}
	if *c.StatedTotal != 1751 || c.Tokens.Total != 1750 || c.WebFetches != 2 || c.Parts.WebSearches != 3 || c.Quantities.InputAudio != 300 || !c.IsCall {
		t.Errorf("%+v", c)
	}
	units := map[string]string{}
	for _, l := range c.Lines {
		units[l.Unit] = l.Quantity.String() + "*" + l.Price.String() + " list " + l.ListPrice.Decimal.String() + " contracted " + l.ContractedPrice.Decimal.String()
	}
	if got := units["output_tokens"]; got != "250*4 list 4 contracted 2" || len(units) != 5 {
		t.Errorf("lines %v", units)
	}
	if !slices.Equal(c.Rules, []string{"contract", "everyone", "customer c1"}) {
		t.Errorf("rules %q", c.Rules)
	}
}

// TestPricedAs says of charges whose price is of another model which one it is, in every format.
func TestPricedAs(t *testing.T) {
	db := querytest.New(t)
	exact, other := querytest.Used("a", "gemini-3.8-flash", 0, schema.Tokens{Input: 10}), querytest.Used("b", "gemini-3.8-flash-lite", 1, schema.Tokens{Input: 10})
	exact.Provider, other.Provider = "google", "google"
	db.Add(querytest.Recording{Session: "one", Stream: 1, Usages: []schema.Usage{exact, other}})
	r := querytest.Reader(db, 1e6)
	var text bytes.Buffer
	if err := charges.Write(t.Context(), r, charges.Query{Tenant: db.Tenant}, charges.CSV, &text); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&text).ReadAll()
	if err != nil || len(records) != 3 {
		t.Fatalf("%v, %d records", err, len(records))
	}
	at := slices.Index(records[0], "priced_as")
	if at < 0 || records[1][at] != "" || records[2][at] != "gemini-3.8-flash" {
		t.Errorf("priced as: %q", records)
	}
	text.Reset()
	if err := charges.Write(t.Context(), r, charges.Query{Tenant: db.Tenant}, charges.NDJSON, &text); err != nil {
		t.Fatal(err)
	}
	if first, second, _ := strings.Cut(text.String(), "\n"); !strings.Contains(first, `"priced_as":null`) || !strings.Contains(second, `"priced_as":"gemini-3.8-flash"`) {
		t.Errorf("NDJSON: %s", text.String())
	}
	text.Reset()
	if err := usagereport.Write(t.Context(), r, usagereport.Query{Tenant: db.Tenant}, tabular.CSV, &text); err != nil || !strings.Contains(text.String(), `""price_model"":""gemini-3.8-flash"",""calls"":1`) {
		t.Errorf("%v, the report has %s", err, text.String())
	}
}

// fill records sessions with tiers, running totals, rests, records of several streams, and
// calls without prices.
func fill(db *querytest.DB) {
	const day = 24 * 3600
	running := func(id string, seconds float64, tokens schema.Tokens) schema.Usage {
		u := used(id, "speaker", seconds, tokens)
		u.Mode, u.Scope = schema.UsageRunning, "thread"
		return u
	}
	rest, none := used("rest", "speaker", 20, schema.Tokens{Input: 77}), used("none", "", 21, schema.Tokens{})
	rest.Scope, none.Scope = schema.RestScope+"run", schema.RestScope+"other"
	impossible := used("impossible", "speaker", 22, schema.Tokens{Output: 1})
	impossible.Parts.Output.Audio = 2
	db.Add(
		querytest.Recording{Session: "a", Stream: 1, State: schema.StreamState{Tags: map[string]string{"customer": "c1"}}, Usages: []schema.Usage{
			used("u1", "big", 0, schema.Tokens{Input: 1000, Output: 10}), used("u2", "big", 1, schema.Tokens{Input: 900, CacheRead: 101, Output: 10}), rest, none, impossible,
		}},
		// The same records once more, one with other figures.
		querytest.Recording{Session: "a", Stream: 2, Usages: []schema.Usage{
			used("u1", "big", 100, schema.Tokens{Input: 1000, Output: 10}), used("u2", "big", 101, schema.Tokens{Input: 900, CacheRead: 101, Output: 12}),
		}},
		querytest.Recording{Session: "b", Stream: 3, Usages: []schema.Usage{
			running("t1", 5, schema.Tokens{Input: 100, Output: 5}), running("t2", 1*day, schema.Tokens{Input: 150, Output: 9}),
			running("t3", 2*day, schema.Tokens{Input: 7}), used("unknown", "nobody's", 3, schema.Tokens{Input: 5}), used("same time", "big", 5, schema.Tokens{Input: 3}),
		}},
	)
}

// The sum of charges is the usage report, in any range and for any sessions.
func TestSumIsReport(t *testing.T) {
	const day = 24 * time.Hour
	db := querytest.New(t)
	fill(db)
	r := querytest.Reader(db, 1e6, query.WithPrices(pricesWith(t, operatorPrices)))
	for name, tc := range map[string]struct {
		charges.Query
		charges int
	}{
		"all":       {charges.Query{}, 10},
		"first day": {charges.Query{From: querytest.Start, To: querytest.Start.Add(day)}, 8},
		"later":     {charges.Query{From: querytest.Start.Add(50 * time.Second)}, 2}, // records of two streams are of the first
		"a session": {charges.Query{Sessions: &sessionfilter.Filter{Text: "a"}}, 5},
		"what if":   {charges.Query{Pricing: grouping.Pricing{WhatIfModel: "speaker", AsOf: querytest.Start.Add(-day)}}, 10},
		"nothing":   {charges.Query{From: querytest.Start.Add(9 * day)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if all := sameAsReport(t, r, tc.Query); len(all) != tc.charges {
				t.Errorf("%d charges, want %d", len(all), tc.charges)
			}
		})
	}
	t.Run("sessions by id", func(t *testing.T) {
		all, none := list(t, r, charges.Query{SessionIDs: []string{"b", "x"}}), list(t, r, charges.Query{SessionIDs: []string{}})
		if len(all) != 5 || len(none) != 0 {
			t.Errorf("%d and %d charges, want 5 and 0", len(all), len(none))
		}
	})
}

// A charge keeps its id, and is one, when a stream is recorded again and when it is decoded
// anew.
func TestChargeIDs(t *testing.T) {
	db := querytest.New(t)
	fill(db)
	r := querytest.Reader(db, 1e6, query.WithPrices(pricesWith(t, "")))
	before := ids(list(t, r, charges.Query{}))
	if first := slices.Index(before, charges.ID(querytest.Tenant, "a", "u1")); first < 0 {
		t.Errorf("the id of a record is not among %q", before)
	}
	sorted := slices.Sorted(slices.Values(before))
	if len(slices.Compact(slices.Clone(sorted))) != len(before) {
		t.Errorf("an id stands twice in %q", before)
	}
	again := querytest.Recording{Session: "b", Stream: 4, Usages: []schema.Usage{used("unknown", "nobody's", 300, schema.Tokens{Input: 5}), used("same time", "big", 301, schema.Tokens{Input: 3})}}
	db.Add(again)
	if after := slices.Sorted(slices.Values(ids(list(t, r, charges.Query{})))); !slices.Equal(sorted, after) {
		t.Errorf("recorded again:\n%q, before\n%q", after, sorted)
	}
	again.Usages[0].Model, again.Usages[1].At = "big", querytest.AtSecond(302)
	db.AddGeneration(5, again)
	db.Commit(5, again, 0)
	all := sameAsReport(t, r, charges.Query{})
	if after := slices.Sorted(slices.Values(ids(all))); !slices.Equal(sorted, after) {
		t.Errorf("decoded anew:\n%q, before\n%q", after, sorted)
	}
	at := slices.IndexFunc(all, func(c *charges.Charge) bool { return c.ChargeID == charges.ID(querytest.Tenant, "b", "unknown") })
	if at < 0 || *all[at].Model != "big" || all[at].StreamID != querytest.StreamID(4) {
		t.Errorf("the charge is not that of the decoding: %+v", all[at])
	}
}
