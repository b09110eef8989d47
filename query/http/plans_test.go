package queryhttp_test

import (
	"testing"

	"tapedeck/query"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/querytest"
	"tapedeck/query/report/usagereport"
	"tapedeck/schema"
)

// The parameter plans shows what of the prices of plans falls on a report, of those that may cover calls of the
// tenant: all of March, and what is unallocated of the other months until the clock's.
func TestPlans(t *testing.T) {
	db := querytest.Open(t)
	db.Add(querytest.Recording{Session: "s", Stream: 1, Usages: []schema.Usage{querytest.Used("a", "gpt-5", 0, schema.Tokens{Input: 1e6})}})
	o, err := prices.ReadFile("p.yaml", []byte("plans:\n  - {name: Max, price: 100, from: 2026-02-01, to: 2026-04-01}\n"+
		"  - {name: of others, price: 7, tenant: somebody else}\n"))
	if err != nil {
		t.Fatal(err)
	}
	a := serve(t, db.Tenant, querytest.Reader(db, 60*24*3600, query.WithPrices(prices.Fixed{Table: prices.With(o)})))
	report := get[usagereport.Report](a, "/v1/usage?plans=1&group_by=model")
	if len(report.Items) != 1 || report.Items[0].PlanCost.Text() != "100" || report.Totals.PlanCost.Text() != "100" || report.Totals.Cost.Text() != "1.25" {
		t.Errorf("report: %+v, totals %+v", report.Items, report.Totals)
	}
	if len(report.Plans) != 1 || report.Plans[0].Name != "Max" || report.Plans[0].Months != 2 || report.Plans[0].Share.Text() != "100" ||
		report.Plans[0].Unallocated.Text() != "100" || report.Plans[0].OpenMonth != nil {
		t.Errorf("plans: %+v", report.Plans)
	}
	if report = get[usagereport.Report](a, "/v1/usage?group_by=model"); report.Plans != nil || report.Items[0].PlanCost != nil {
		t.Errorf("without the parameter: %+v", report)
	}
}
