package usagereport

import (
	"context"
	"time"

	"tapedeck/query"
	"tapedeck/query/pricing/planshare"
	"tapedeck/query/report/grouping"
)

// plans counts all calls of the months of the report that plans cover, whatever the filters of the
// report are. p are the pricers of the report.
func (q *Query) plans(ctx context.Context, r *query.Reader, p *grouping.Pricers) (*planshare.Divider, error) {
	d := planshare.New(p.Cost.Table, q.Tenant)
	all := Query{Tenant: q.Tenant}
	all.From, all.To = d.Range(q.From, q.To)
	pricing := grouping.Pricing{Table: p.Cost.Table.Hash(), Plans: true}
	whole, err := pricing.Pricers(ctx, r, all.Tenant, all.From, all.To)
	if err != nil {
		return nil, err
	}
	b, err := all.cells(ctx, r, whole)
	if err != nil {
		return nil, err
	}
	b.Shape.StatedCosts = false
	err = query.EachInPlace(b.Context(ctx), r, statements, "usage_report", b.Shape, b.Args, func(cell *row) error {
		d.Count(whole.List, &cell.Cell)
		return nil
	})
	return d, err
}

// uses returns what the prices of plans are for in the report; an empty list if plans cover no calls.
func (f *folder) uses(now time.Time, q *Query) []planshare.Use {
	if f.plans == nil {
		return []planshare.Use{}
	}
	return f.plans.Uses(q.From, q.To, now)
}
