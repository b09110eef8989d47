package sessionfilter

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/pricing/cost"
)

// cellShape selects the optional parts of the templates of cells.
type cellShape struct {
	TagNames []string // tags on which prices depend
	// PartRates are the columns of the parts that have a rate.
	PartRates []string
	rollup.Source
}

func newCellShape(split cost.Split) cellShape { return cellShape{TagNames: split.Tags} }

func (s cellShape) args(split cost.Split) query.Args {
	return query.TagArgs(s.TagNames).And(split.Parameters())
}

// cellsMost bounds the cells that are priced to sort sessions by cost.
const cellsMost = 1_000_000

// withCosts adds the data from which a statement on session ids computes costs: parameters, and
// external tables in the context. Costs of settled sessions are read as stored; costs of other
// sessions are computed from rates, in the table cell_rates.
func withCosts(
	ctx context.Context, r *query.Reader, q *Selection, shape *sessionIDsShape, a query.Args,
) (context.Context, error) {
	pricer, err := cost.PricerFor(ctx, r, q.Tenant)
	if err != nil {
		return nil, err
	}
	shape.cellShape = newCellShape(pricer.Split)
	shape.MinCost, shape.MaxCost = q.MinCost != nil, q.MaxCost != nil
	shape.KnownCost = shape.MinCost || shape.MaxCost
	for name, value := range shape.args(pricer.Split) {
		a[name] = value
	}
	for name, limit := range map[string]*decimal.Decimal{"min_cost": q.MinCost, "max_cost": q.MaxCost} {
		if limit != nil {
			a[name] = limit.String()
		}
	}
	batches, stored := q.view.Costs(pricer.Table.Hash())
	shape.Source = q.view.Source()
	if shape.StoredCosts = stored; stored {
		a["costs"], a["recent_costs"] = batches, q.view.Recent().Costs
		shape.Settled = false // the records of settled sessions are not needed
	}
	for name, value := range q.view.Args() {
		a[name] = value
	}
	tables, err := q.view.Tables()
	if err != nil {
		return nil, err
	}
	with := clickhouse.Context(ctx, clickhouse.WithExternalTable(tables...))
	if stored && !shape.Unsettled {
		return with, nil
	}
	cells, err := query.Ask[rollup.HashedCell](with, r, statements, "price_cells", *shape, a.With("cells", cellsMost))
	if err != nil {
		return nil, err
	}
	rates, parts, err := rollup.RatesTable(cells, pricer)
	if err != nil {
		return nil, err
	}
	shape.PartRates = parts
	return clickhouse.Context(ctx, clickhouse.WithExternalTable(append(tables, rates)...)), nil
}
