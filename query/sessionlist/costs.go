package sessionlist

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/ext"
	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/cost"
)

// cellShape is what the templates of cells ask of.
type cellShape struct {
	TagNames []string // by which prices differ
	CellTags []string // the SQL of their values
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

// cellsMost bounds the cells by which sessions are put in an order of costs.
const cellsMost = 1_000_000

// withRates adds to a statement on session ids what it needs to compute costs: parameters,
// and in the context the table cell_rates.
func withRates(ctx context.Context, r *query.Reader, q *Query, shape *sessionIDsShape, a query.Args) (context.Context, error) {
	pricer, err := r.Pricer(ctx, q.Tenant)
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
	cells, err := query.Ask[struct {
		Hash uint64 `ch:"cell_hash"`
		query.SpentRow
	}](ctx, r, statements, "price_cells", *shape, a.With("cells", cellsMost))
	if err != nil {
		return nil, err
	}
	known := make([]knownRates, 0, len(cells))
	for i := range cells {
		if rates, ok := pricer.Rates(&cells[i].Cell); ok {
			known = append(known, knownRates{cells[i].Hash, rates})
		}
	}
	t, err := ratesTable(known, shape)
	if err != nil {
		return nil, fmt.Errorf("table cell_rates for a query: %w", err)
	}
	return clickhouse.Context(ctx, clickhouse.WithExternalTable(t)), nil
}

// knownRates are those of a cell whose cost is known.
type knownRates struct {
	hash uint64
	cost.Rates
}

// ratesTable returns the table cell_rates. The shape gets the parts that cost more than
// their buckets, or less, in any of the cells: the statement reads no others.
func ratesTable(known []knownRates, shape *sessionIDsShape) (*ext.Table, error) {
	const rate = "Decimal(76, 30)"
	columns := []func(*ext.Table) error{ext.Column("cell_hash", "UInt64"), ext.Column("call_rate", rate)}
	for i := range (cost.Rates{}).Tokens {
		columns = append(columns, ext.Column("rate_"+strconv.Itoa(i), rate))
	}
	var parts []int
	for i := range (cost.Rates{}).Parts {
		if slices.ContainsFunc(known, func(k knownRates) bool { return !k.Parts[i].IsZero() }) {
			columns = append(columns, ext.Column("part_"+strconv.Itoa(len(parts)), rate))
			parts, shape.PartRates = append(parts, i), append(shape.PartRates, cost.PartColumn(i))
		}
	}
	t, err := ext.NewTable("cell_rates", columns...)
	for i := 0; err == nil && i < len(known); i++ {
		k := &known[i]
		row := []any{k.hash, k.Call}
		for _, rate := range k.Tokens {
			row = append(row, rate)
		}
		for _, part := range parts {
			row = append(row, k.Parts[part])
		}
		err = t.Append(row...)
	}
	return t, err
}
