package bills

import (
	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
)

// rowsOf appends the rows of a charge: one for each unit that was used. A charge without a price
// has at least one row: one without prices for each bucket of tokens and each tool. A charge that
// costs nothing and counts nothing has no row.
func rowsOf(rows []Row, c *charges.Charge, p *Period) []Row {
	r := Row{
		Period: p.Month, ChargeID: c.ChargeID, At: c.At, SessionID: c.SessionID,
		StreamID: c.StreamID, Position: c.Position,
		Model: query.Text(c.Model), ServiceTier: c.ServiceTier, Speed: c.Speed, Region: c.Region, Tags: c.Tags,
		PricesHash: c.PricesHash, Rules: c.Rules,
	}
	if r.Provider = query.Text(c.Provider); r.Provider == "" {
		r.Provider = query.Text(c.PriceProvider)
	}
	r.Start, r.End = p.day(c.At)
	if c.Unpriced != nil {
		return unpricedRows(rows, r, string(*c.Unpriced), &c.Quantities)
	}
	for i := range c.Lines {
		l := &c.Lines[i]
		r.Unit, r.Quantity, r.Per = l.Unit, l.Quantity, l.Per
		r.Price, r.ListPrice, r.ContractedPrice = decimal.NewNullDecimal(l.Price), l.ListPrice, l.ContractedPrice
		r.costs()
		rows = append(rows, r)
	}
	return rows
}

// costs sets the costs of a row from its quantity and prices.
func (r *Row) costs() {
	unit, _ := prices.UnitNamed(r.Unit)
	of := func(price decimal.NullDecimal) decimal.NullDecimal {
		if !price.Valid {
			return price
		}
		return decimal.NewNullDecimal(unit.Of(r.Quantity.Mul(price.Decimal)))
	}
	r.ListCost, r.ContractedCost, r.BilledCost = of(r.ListPrice), of(r.ContractedPrice), of(r.Price)
}

func unpricedRows(rows []Row, r Row, reason string, q *cost.Quantities) []Row {
	r.Reason = reason
	before := len(rows)
	for _, used := range []struct {
		unit string
		n    int64
	}{
		{prices.InputTokens, q.Input}, {prices.CacheReadTokens, q.CacheRead},
		{prices.CacheWrite5mTokens, q.CacheWrite5m}, {prices.CacheWrite1hTokens, q.CacheWrite1h},
		{prices.OutputTokens, q.Output}, {prices.ReasoningTokens, q.Reasoning},
		{prices.WebSearches, q.WebSearches}, {prices.CodeExecutions, q.CodeExecutions},
	} {
		if used.n != 0 {
			unit, _ := prices.UnitNamed(used.unit)
			r.Unit, r.Quantity, r.Per = unit.Name, decimal.NewFromInt(used.n), unit.Per
			rows = append(rows, r)
		}
	}
	if len(rows) == before {
		unit, _ := prices.UnitNamed(prices.Requests)
		r.Unit, r.Quantity, r.Per = unit.Name, decimal.NewFromUint64(max(q.Calls, 1)), unit.Per
		rows = append(rows, r)
	}
	return rows
}
