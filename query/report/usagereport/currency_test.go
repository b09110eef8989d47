package usagereport_test

import (
	"bytes"
	"strings"
	"testing"

	"tapedeck/query"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/pricing/pricetables"
	"tapedeck/query/querytest"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/tabular"
	"tapedeck/schema"
)

// A report in euros that is priced again by a table in dollars has both currencies: a million
// input tokens of gpt-5 cost 1.25 dollars, and half of that in euros at the rate of the file.
func TestCurrenciesOfCSV(t *testing.T) {
	db := querytest.New(t)
	db.Add(querytest.Recording{Session: "a", Stream: 1, Usages: []schema.Usage{querytest.Used("a", "gpt-5", 0, schema.Tokens{Input: 1e6})}})
	store := pricetables.NewStore(db.Conn, nil)
	if _, err := store.Effective(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	file := "currency: EUR\nrates: [{from: 2020-01-01, usd: 0.5}]\n"
	if _, _, err := store.Import(t.Context(), "p.yaml", []byte(file)); err != nil {
		t.Fatal(err)
	}
	r := query.NewReader(db.Conn, query.WithPrices(store))
	for _, tc := range []struct {
		name string
		q    usagereport.Query
		want string // cost, currency, …, repriced_cost, what_if_cost, repriced_currency
	}{
		{"by the table in dollars", usagereport.Query{Prices: prices.Standard().Hash()}, "0.625,EUR,0,0,1.25,,USD,"},
		{"as another model", usagereport.Query{WhatIfModel: "gpt-5-mini"}, "0.625,EUR,0,0,,0.125,EUR,"},
		{"alone", usagereport.Query{}, "0.625,EUR,0,0,,,,"},
	} {
		tc.q.Tenant = querytest.Tenant
		report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, tc.q))
		var out bytes.Buffer
		if err := report.WriteCSV(&out, tabular.SafeCells); err != nil || strings.Count(out.String(), tc.want) != 2 {
			t.Errorf("%s: %v, want %q in the row and the total of\n%s", tc.name, err, tc.want, out.String())
		}
	}
}
