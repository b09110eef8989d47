package charges_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/local/localtest"
	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/querytest"
	"tapedeck/query/report/usagereport"
)

func TestMain(m *testing.M) { localtest.Main(m) }

// list returns the charges of a query.
func list(t *testing.T, r *query.Reader, q charges.Query) []*charges.Charge {
	t.Helper()
	q.Tenant = querytest.Tenant
	var all []*charges.Charge
	if err := charges.Each(t.Context(), r, q, func(c *charges.Charge) error { all = append(all, c); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// ids returns the ids of charges.
func ids(all []*charges.Charge) []string {
	var list []string
	for _, c := range all {
		list = append(list, c.ChargeID)
	}
	return list
}

// figures are what a usage report and a list of charges have in common.
type figures struct {
	Calls, Unpriced        uint64
	Tokens                 cost.Tokens
	Cost, Repriced, WhatIf string
}

func sum(all []*charges.Charge) figures {
	var f figures
	var cost0, repriced, whatIf *cost.Money
	for _, c := range all {
		if c.IsCall {
			f.Calls++
			if c.Cost == nil {
				f.Unpriced++
			}
		}
		f.Tokens.Add(c.Tokens)
		cost0, repriced, whatIf = cost.Sum(cost0, c.Cost), cost.Sum(repriced, c.Repriced), cost.Sum(whatIf, c.WhatIf)
	}
	f.Cost, f.Repriced, f.WhatIf = cost0.Text(), repriced.Text(), whatIf.Text()
	return f
}

// sameAsReport compares the sum of charges with the usage report of the same query.
func sameAsReport(t *testing.T, r *query.Reader, q charges.Query) []*charges.Charge {
	t.Helper()
	all := list(t, r, q)
	report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{
		Tenant: querytest.Tenant, From: q.From, To: q.To, Sessions: q.Sessions, AsOf: q.AsOf, Prices: q.Prices, WhatIfModel: q.WhatIfModel,
	}))
	u := &report.Totals
	want := figures{Calls: u.Calls, Unpriced: u.UnpricedCalls, Tokens: u.Tokens, Cost: u.Cost.Text(), Repriced: u.Repriced.Text(), WhatIf: u.WhatIf.Text()}
	if d := cmp.Diff(want, sum(all)); d != "" {
		t.Errorf("the report and the sum of its charges:\n%s", d)
	}
	return all
}
