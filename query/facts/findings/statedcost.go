package findings

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/pricing/cost"
)

// StatedCost compares the costs in one currency that a session's source states with the computed
// costs, call by call. In JSON amounts are decimal strings.
type StatedCost struct {
	Currency string          `json:"currency"` // ISO 4217
	Calls    uint64          `json:"calls"`    // calls that state a cost
	Stated   decimal.Decimal `json:"stated"`   // sum over all of them
	// UnpricedCalls counts the calls that state a cost and have no known price in the currency.
	// Priced and Difference (stated minus priced) leave these calls out; they are null if no call
	// remains.
	UnpricedCalls  uint64           `json:"unpriced_calls"`
	Priced         *decimal.Decimal `json:"priced"`
	Difference     *decimal.Decimal `json:"difference"`
	DifferingCalls uint64           `json:"differing_calls"` // calls whose two costs differ
}

// add adds a call. priced is nil if the price of the call is unknown.
func (c *StatedCost) add(stated decimal.Decimal, priced *decimal.Decimal) {
	c.Calls++
	c.Stated = c.Stated.Add(stated)
	if priced == nil {
		c.UnpricedCalls++
		return
	}
	if c.Priced == nil {
		c.Priced, c.Difference = &decimal.Decimal{}, &decimal.Decimal{}
	}
	sum, difference := c.Priced.Add(*priced), c.Difference.Add(stated).Sub(*priced)
	c.Priced, c.Difference = &sum, &difference
	if !stated.Equal(*priced) {
		c.DifferingCalls++
	}
}

// cellShape selects the optional parts of the statement of stated costs.
type cellShape struct {
	tags     []string // tags on which prices depend
	CellTags []string // SQL expressions of their values
}

// TagJoins returns the parameters of the template "tag_joins".
func (s cellShape) TagJoins(of string) query.TagJoins { return query.TagJoins{Tags: s.tags, Of: of} }

type statedCostRow struct {
	Session  string `ch:"session_id"`
	Amount   string `ch:"amount"`
	Currency string `ch:"currency"`
	cost.TotalsRow
}

// addStatedCosts adds the comparison of stated costs to their sessions.
func addStatedCosts(ctx context.Context, r *query.Reader, tenant string, at map[string]*Usage, a query.Args) error {
	pricer, err := cost.PricerFor(ctx, r, tenant)
	if err != nil {
		return err
	}
	tags := pricer.Split.Tags
	shape := cellShape{tags, query.TagValues(len(tags))}
	a = a.And(query.TagArgs(tags)).And(pricer.Split.Parameters())
	err = query.Each(ctx, r, statements, "stated_costs", shape, a, func(row *statedCostRow) error {
		stated, err := decimal.NewFromString(row.Amount)
		if err != nil {
			return err
		}
		var priced *decimal.Decimal
		if f := pricer.Of(&row.Cell); f.Cost != nil && f.Cost.Currency == row.Currency {
			priced = &f.Cost.Amount
		}
		at[row.Session].statedIn(row.Currency).add(stated, priced)
		return nil
	})
	for _, s := range at {
		slices.SortFunc(s.StatedCosts, func(a, b StatedCost) int { return cmp.Compare(a.Currency, b.Currency) })
	}
	return err
}

// statedIn returns the costs that are stated in a currency.
func (s *Usage) statedIn(currency string) *StatedCost {
	i := slices.IndexFunc(s.StatedCosts, func(c StatedCost) bool { return c.Currency == currency })
	if i < 0 {
		i = len(s.StatedCosts)
		s.StatedCosts = append(s.StatedCosts, StatedCost{Currency: currency})
	}
	return &s.StatedCosts[i]
}
