package sessionfilter

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/ext"
	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/pricing/cost"
)

// cellShape selects the optional parts of the templates of cells.
type cellShape struct {
	TagNames []string // tags on which prices depend
	CellTags []string // SQL expressions of their values
	// PartRates are the columns of the parts that have a rate.
	PartRates []string
}

func newCellShape(split cost.Split) cellShape {
	return cellShape{TagNames: split.Tags, CellTags: query.TagValues(len(split.Tags))}
}

// TagJoins returns the parameters of the template "tag_joins".
func (s cellShape) TagJoins(of string) query.TagJoins {
	return query.TagJoins{Tags: s.TagNames, Of: of}
}

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
	var tables []*ext.Table
	if shape.settled != nil {
		batches, stored := shape.settled.Costs(pricer.Table.Hash())
		if shape.Settled = stored; stored {
			a["costs"] = batches
			if shape.Unsettled = len(shape.settled.Unsettled) > 0; !shape.Unsettled {
				return ctx, nil
			}
			t, err := shape.settled.Table()
			if err != nil {
				return nil, fmt.Errorf("table unsettled_sessions for a query: %w", err)
			}
			tables = append(tables, t)
		}
	}
	cells, err := query.Ask[rollup.HashedCell](clickhouse.Context(ctx, clickhouse.WithExternalTable(tables...)), r,
		statements, "price_cells",
		*shape, a.With("cells", cellsMost))
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
