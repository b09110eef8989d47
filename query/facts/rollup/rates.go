package rollup

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ClickHouse/clickhouse-go/v2/ext"

	"tapedeck/query/pricing/cost"
)

// HashedCell is a cell with the hash by which statements look up its rates.
type HashedCell struct {
	Hash uint64 `ch:"cell_hash"`
	cost.TotalsRow
}

// RatesTable returns the external table cell_rates with the cells whose cost is known, and the
// columns of the parts whose price differs from the price of their bucket in any cell. Statements
// read no other parts.
func RatesTable(cells []HashedCell, pricer *cost.Pricer) (*ext.Table, []string, error) {
	type rates struct {
		hash uint64
		cost.Rates
	}
	known := make([]rates, 0, len(cells))
	for i := range cells {
		if r, ok := pricer.Rates(&cells[i].Cell); ok {
			known = append(known, rates{cells[i].Hash, r})
		}
	}
	const rate = "Decimal(76, 30)"
	columns := []func(*ext.Table) error{ext.Column("cell_hash", "UInt64"), ext.Column("call_rate", rate)}
	for i := range (cost.Rates{}).Tokens {
		columns = append(columns, ext.Column("rate_"+strconv.Itoa(i), rate))
	}
	var parts []int
	var names []string
	for i := range (cost.Rates{}).Parts {
		if slices.ContainsFunc(known, func(k rates) bool { return !k.Parts[i].IsZero() }) {
			columns = append(columns, ext.Column("part_"+strconv.Itoa(len(parts)), rate))
			parts, names = append(parts, i), append(names, cost.PartColumn(i))
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
	if err != nil {
		return nil, nil, fmt.Errorf("table cell_rates for a query: %w", err)
	}
	return t, names, nil
}
