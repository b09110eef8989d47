package focus_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/billing/bills"
	"tapedeck/query/billing/focus"
	"tapedeck/query/pricing/pricetables"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// lastBill keeps the bill that was closed last.
type lastBill struct {
	bill     *bills.Bill
	revision uint64
}

func (l *lastBill) Head(context.Context, string) (*bills.Bill, uint64, error) {
	return l.bill, l.revision, nil
}

func (l *lastBill) Commit(_ context.Context, _ string, b *bills.Bill, revision uint64) error {
	if revision != l.revision {
		return bills.ErrOvertaken
	}
	l.bill, l.revision = b, revision+1
	return nil
}

const priceFile = `currency: EUR
rates:
  - {from: 2026-01-01, usd: 0.92}
prices:
  - {name: own model, provider: own, model: "house-*", prices: {input_mtok: 3, output_mtok: 12.5}}
discounts:
  - {name: contract, provider: anthropic, factor: 0.85}
margins:
  - {name: everyone, factor: 1.2}
accounts:
  - {tag: customer, name: Customer *, zone: Asia/Kathmandu, prefix: C-, issuer: ACME GmbH, payment_terms: Net 30}
  - {tenant: true, zone: Europe/London}
`

// Bills as they are closed, with a late session, a mended price and a deleted session, meet
// the requirements.
func TestClosedBills(t *testing.T) {
	fulltest.Long(t)
	db := querytest.New(t)
	now := time.Date(2026, time.November, 2, 12, 0, 0, 0, time.UTC)
	heads, number := &lastBill{}, 0
	var reader *query.Reader
	var store *bills.Store
	importPrices := func(file string) {
		tables := pricetables.NewStore(db.Conn, nil)
		if _, _, err := tables.Import(t.Context(), "p.yaml", []byte(file)); err != nil {
			t.Fatal(err)
		}
		reader = query.NewReader(db.Conn, query.WithClock(func() time.Time { return now }), query.WithPrices(pricetables.NewStore(db.Conn, nil)))
		store = bills.NewStore(reader, db.Conn, heads, nil)
	}
	input := func(i int) uint64 { return uint64(1000*i + 17) }
	session := func(id, customer, provider, model string, times ...string) {
		number++
		r := querytest.Recording{Session: id, Stream: number, State: schema.StreamState{Tags: map[string]string{"team": "red"}}}
		if customer != "" {
			r.State.Tags["customer"] = customer
		}
		for i, text := range times {
			u := querytest.Used(id+text, model, 0, schema.Tokens{Input: input(i), Output: 33, CacheRead: 5})
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				t.Fatal(err)
			}
			u.Provider, u.At = provider, at.UnixNano()
			r.Usages = append(r.Usages, u)
		}
		db.Add(r)
	}
	closeBills := func(period string, accounts ...string) {
		for _, a := range accounts {
			if _, err := store.Close(t.Context(), bills.Closing{Tenant: querytest.Tenant, Account: a, Period: period}); err != nil {
				t.Fatalf("close %s of %s: %v", period, a, err)
			}
		}
	}

	importPrices(priceFile)
	session("a", "c1", "anthropic", "claude-opus-5", "2026-10-03T10:00:00Z", "2026-10-03T18:14:59Z", "2026-10-03T18:15:00Z", "2026-10-31T18:14:59Z", "2026-11-01T00:00:00Z")
	session("b", "", "openai", "gpt-5", "2026-10-25T00:30:00Z", "2026-10-25T23:59:59Z", "2026-10-26T00:00:00Z")
	session("c", "", "own", "house-7", "2026-10-04T00:00:00Z", "2026-10-05T00:00:00Z")
	session("d", "c1", "own", "unheard-of", "2026-10-06T00:00:00Z", "2026-10-06T01:00:00Z")
	input = func(i int) uint64 { return []uint64{100_000, 199_995, 199_996}[i] } // 5 more are from a cache
	session("tiers", "c1", "anthropic", "claude-sonnet-4-5", "2026-10-07T00:00:00Z", "2026-10-07T01:00:00Z", "2026-10-07T02:00:00Z")
	input = func(int) uint64 { return 1 }
	accounts := []string{"customer=c1", bills.TenantID}
	closeBills("2026-10", accounts...)

	session("late", "c1", "anthropic", "claude-opus-5", "2026-10-09T10:00:00Z", "2026-11-09T10:00:00Z")
	importPrices(strings.Replace(priceFile, "input_mtok: 3,", "input_mtok: 2.5,", 1))
	now = now.AddDate(0, 1, 0)
	closeBills("2026-11", accounts...)

	var list []*fixture
	for _, period := range []string{"2026-10", "2026-11"} {
		source, err := focus.Read(t.Context(), store, querytest.Tenant, focus.Scope{Period: period})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range source.Bills {
			list = append(list, &fixture{Bill: b, numbers: source.Numbers[b.Account]})
		}
	}
	if len(list) != 4 {
		t.Fatalf("%d bills, want those of two accounts in two months", len(list))
	}
	for version, in := range map[focus.Version]versions{focus.V12: only12, focus.V14: only14} {
		m := export(t, reader, focus.Options{Version: version}, list...)
		report(t, checkExport(t, m, list, in))
		report(t, checkMetadata(t, m, version))
		seen := map[string]int{}
		for _, r := range m.read(t, focus.CostAndUsageFile).records {
			if r["ChargeCategory"] == "Usage" {
				seen[r["InvoiceIssuerName"]+" "+r["x_ModelId"]+" "+r["x_CorrectionReason"]]++
			}
		}
		for _, want := range []string{"ACME GmbH claude-opus-5 ", "ACME GmbH claude-opus-5 late", "tapedeck gpt-5 ", "tapedeck house-7 ", "tapedeck house-7 repriced"} {
			if seen[want] == 0 {
				t.Errorf("FOCUS %s has no rows of %q: %v", version, want, seen)
			}
		}
		checkTiers(t, m.read(t, focus.CostAndUsageFile).records)
		checkConversion(t, m.read(t, focus.CostAndUsageFile).records)
		checkForCustomer(t, reader, version, list)
		unpriced := m.read(t, focus.UnpricedFile).records
		if len(unpriced) == 0 || unpriced[0]["x_ModelId"] != "unheard-of" || unpriced[0]["x_UnpricedReason"] == "" {
			t.Errorf("usage without a price: %v", unpriced)
		}
	}
}

// checkConversion fails unless each row leads from euros back to the dollars of the list: by hand,
// gpt-5 is 1.25, 0.125 and 10 dollars for a million tokens. Prices of own models are in euros.
func checkConversion(t *testing.T, records []record) {
	t.Helper()
	dollars := map[string]string{"input_tokens": "1.25", "cache_read_tokens": "0.125", "output_tokens": "10"}
	seen := 0
	for _, r := range records {
		switch {
		case r["ChargeCategory"] == "Usage" && r["x_ModelId"] == "gpt-5":
			seen++
			euros, err := decimal.NewFromString(r["EffectiveCost"])
			back, err2 := decimal.NewFromString(r["PricingCurrencyEffectiveCost"])
			if err != nil || err2 != nil || !back.Mul(decimal.RequireFromString("0.92")).Round(15).Equal(euros) {
				t.Errorf("%s EUR are %s USD at 0.92", r["EffectiveCost"], r["PricingCurrencyEffectiveCost"])
			}
			if r["PricingCurrency"] != "USD" || r["x_ExchangeRate"] != "0.92" || r["PricingCurrencyListUnitPrice"] != dollars[r["x_UnitName"]] {
				t.Errorf("%s of gpt-5: %s at %s in %s, expected %s USD at 0.92", r["x_UnitName"], r["PricingCurrencyListUnitPrice"], r["x_ExchangeRate"], r["PricingCurrency"], dollars[r["x_UnitName"]])
			}
		case r["x_ModelId"] == "house-7" && (r["PricingCurrency"] != "EUR" || r["x_ExchangeRate"] != ""):
			t.Errorf("a price in euros: %s at %q", r["PricingCurrency"], r["x_ExchangeRate"])
		}
	}
	if seen == 0 {
		t.Error("there are no rows of gpt-5")
	}
}

// checkForCustomer fails if an export for the customer shows what the operator pays or adds, or
// leads to the operator's server. The figures of the columns that are left are the same.
func checkForCustomer(t *testing.T, reader *query.Reader, version focus.Version, list []*fixture) {
	t.Helper()
	m := export(t, reader, focus.Options{Version: version, For: focus.Customer}, list...)
	whole := export(t, reader, focus.Options{Version: version}, list...).read(t, focus.CostAndUsageFile).records
	for i, r := range m.read(t, focus.CostAndUsageFile).records {
		for name, value := range r {
			if strings.Contains(name, "Contracted") || strings.HasPrefix(name, "x_Price") || strings.Contains(name, "Link") {
				t.Fatalf("a customer reads %s: %s", name, value)
			}
			if strings.Contains(value, "contract") || strings.Contains(value, "everyone") {
				t.Fatalf("a customer reads the rule in %s: %s", name, value)
			}
			if whole[i][name] != value {
				t.Fatalf("%s is %q for the customer and %q else", name, value, whole[i][name])
			}
		}
	}
	if text := m[focus.MetadataFile].String(); strings.Contains(text, "Contracted") || strings.Contains(text, "x_PriceRules") {
		t.Error("the metadata has a column that is left out")
	}
	linked := export(t, reader, focus.Options{Version: version, For: focus.Customer, Link: "https://bills.example"}, list...).read(t, focus.CostAndUsageFile).records
	if !strings.HasPrefix(linked[0]["x_FirstFrameLink"], "https://bills.example/sessions/") {
		t.Errorf("with a public address the link is %q", linked[0]["x_FirstFrameLink"])
	}
}

// checkTiers fails unless calls above 200,000 input tokens have prices with ids of their own:
// 3, 0.3 and 15 dollars for a million tokens of Claude Sonnet 4.5 become 6, 0.6 and 22.5, each
// times 0.92 for euros and 0.85 of the contract, and times 1.2.
func checkTiers(t *testing.T, records []record) {
	t.Helper()
	got := map[string]string{}
	for _, r := range records {
		if r["x_ModelId"] == "claude-sonnet-4-5" && r["ChargeCategory"] == "Usage" {
			got[r["SkuPriceId"]] = r["ContractedUnitPrice"] + " " + r["ConsumedQuantity"]
		}
	}
	const sku = "anthropic/claude-sonnet-4-5/"
	want := map[string]string{
		sku + "input_tokens": "2.346 299995", sku + "cache_read_tokens": "0.2346 10", sku + "output_tokens": "11.73 66",
		sku + "input_tokens?InputTokensAbove=200000": "4.692 199996", sku + "cache_read_tokens?InputTokensAbove=200000": "0.4692 5",
		sku + "output_tokens?InputTokensAbove=200000": "17.595 33",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("prices by tier: %s", d)
	}
}
