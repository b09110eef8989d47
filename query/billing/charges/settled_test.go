package charges_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/tombstone"
)

// TestSettled compares charges that are read from settled rows with those of the same queries from
// the tables, while recordings change: all settled, some changed since, which another price table
// prices too, and again settled. Two tenants have sessions of the same ids.
func TestSettled(t *testing.T) {
	fulltest.Long(t)
	db := querytest.New(t)
	fill(db)
	hostile(db)
	other := used("u1", "big", 3, schema.Tokens{Input: 1})
	db.Add(querytest.Recording{Tenant: "other", Session: "a", Stream: 90, Usages: []schema.Usage{other}})
	total := func(id string, seconds float64, input uint64) schema.Usage {
		u := used(id, "speaker", seconds, schema.Tokens{Input: input})
		u.Mode, u.Scope, u.Total = schema.UsageRunning, "thread", input+1
		return u
	}
	tagged := func(customer string) schema.StreamState {
		return schema.StreamState{Tags: map[string]string{"customer": customer, "env": "prod"}}
	}
	db.Add(
		querytest.Recording{Session: "totals", Stream: 91, State: tagged("c1"), Usages: []schema.Usage{total("t1", 100, 500), total("t2", 101, 800), total("t3", 102, 100)}},
		querytest.Recording{Session: "twice", Stream: 92, State: tagged("c1"), Usages: []schema.Usage{used("w", "speaker", 103, schema.Tokens{Input: 10})}},
		querytest.Recording{Session: "twice", Stream: 93, State: tagged("c2"), Usages: []schema.Usage{used("w", "speaker", 104, schema.Tokens{Input: 20})}},
		querytest.Recording{Session: "months", Stream: 94, State: tagged("c2"), Usages: []schema.Usage{
			used("m1", "big", 0, schema.Tokens{Input: 5000}), used("m2", "big", 40*86400, schema.Tokens{Input: 7}),
		}},
	)
	settler := rollup.NewSettler(querytest.Reader(db, 1e7), slog.New(slog.DiscardHandler))
	same := func(what string) {
		t.Helper()
		files := []string{operatorPrices, strings.ReplaceAll(operatorPrices, "factor: 2", "factor: 3, from: 2026-03-03")}
		if what != "changed" {
			files = files[:1]
		}
		for i, file := range files {
			prices := query.WithPrices(pricesWith(t, file))
			fast, slow := querytest.Reader(db, 1e7, prices), querytest.Reader(db, 1e7, prices, query.WithoutSettled())
			view := querytest.Must[*rollup.View](t)(rollup.Read(t.Context(), fast, querytest.Tenant, nil, nil))
			if !view.HasCharges() || len(view.Batches) == 0 {
				t.Fatalf("%s: charges are not settled", what)
			}
			for name, q := range map[string]charges.Query{
				"all": {}, "a range": {From: querytest.When(2), To: querytest.When(102)},
				"other prices": {Pricing: grouping.Pricing{WhatIfModel: "speaker", AsOf: querytest.When(0)}},
				"a session":    {Sessions: &sessionfilter.Filter{Text: "a"}}, "two sessions": {SessionIDs: []string{"twice", "b"}},
				"no session": {SessionIDs: []string{}}, "without a price": {Unpriced: true},
			} {
				formats, tenants := []charges.Format{charges.NDJSON}, []string{querytest.Tenant}
				if name == "all" {
					formats, tenants = charges.Formats[1:], append(tenants, "other")
				}
				for _, q.Tenant = range tenants {
					for _, f := range formats {
						if want, got := export(t, slow, q, f), export(t, fast, q, f); got != want {
							t.Fatalf("%s, prices %d, %s of %s as %s: from settled rows\n%s\nfrom the tables\n%s", what, i, name, q.Tenant, f, got, want)
						}
					}
				}
			}
			q := charges.Query{Tenant: querytest.Tenant}
			all := list(t, slow, q)
			var walked, paged []*charges.Charge
			err := charges.WalkInChunks(t.Context(), fast, q, 25, func(c *charges.Charge) error { walked = append(walked, c); return nil })
			if d := cmp.Diff(all, walked); d != "" || err != nil {
				t.Errorf("%s: chunks differ: %v\n%s", what, err, d)
			}
			for cursor := ""; ; {
				page := querytest.Must[*charges.Page](t)(charges.ReadPage(t.Context(), fast, q, cursor, 31))
				if paged = append(paged, page.Items...); page.Next == nil {
					break
				}
				cursor = *page.Next
			}
			if d := cmp.Diff(all, paged); d != "" {
				t.Errorf("%s: pages differ:\n%s", what, d)
			}
		}
	}
	settle := func() {
		t.Helper()
		if err := settler.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	same("settled")
	db.Add(
		querytest.Recording{Session: "a", Stream: 95, State: tagged("c9"), Usages: []schema.Usage{used("late", "speaker", 2, schema.Tokens{Output: 9})}},
		querytest.Recording{Session: "new", Stream: 96, Live: true, State: tagged("c1"), Usages: []schema.Usage{used("n", "big", 105, schema.Tokens{Input: 2000})}},
		querytest.Recording{Session: "totals", Stream: 97, State: tagged("c2"), Usages: []schema.Usage{total("t4", 106, 150)}},
	)
	if _, err := tombstone.NewStore(db.Conn).Put(t.Context(), tombstone.Key{Tenant: querytest.Tenant, Session: "twice"}); err != nil {
		t.Fatal(err)
	}
	same("changed")
	settle()
	same("settled again")
}

// export returns the charges of a query in a format.
func export(t *testing.T, r *query.Reader, q charges.Query, f charges.Format) string {
	t.Helper()
	var b bytes.Buffer
	if err := charges.Write(t.Context(), r, q, f, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
