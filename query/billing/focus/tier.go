package focus

import (
	"context"
	"fmt"

	"tapedeck/query"
	"tapedeck/query/billing/bills"
	"tapedeck/query/pricing/prices"
)

// tierKey identifies a price within an invoice, for the cache of tiers.
type tierKey struct {
	provider, model, serviceTier, speed, region, unit, price, hash string
}

// tierOf returns the number of input tokens above which the price of a row applies, by the price
// table of the row; 0 if the price has no tier.
func (b *invoice) tierOf(ctx context.Context, r *query.Reader, row *bills.Row) (int64, error) {
	if !row.Price.Valid {
		return 0, nil
	}
	key := tierKey{row.Provider, row.Model, row.ServiceTier, row.Speed, row.Region, row.Unit,
		row.Price.Decimal.String(), row.PricesHash}
	if above, ok := b.tiers[key]; ok {
		return above, nil
	}
	table, err := r.Prices(ctx, row.PricesHash)
	if err != nil {
		return 0, fmt.Errorf("read the price table of row %d of bill %s: %w", row.Ordinal, b.Number, err)
	}
	above, _ := table.TierOf(prices.Call{
		Provider: row.Provider, Model: row.Model, At: row.At, Tenant: b.options.Tenant, Tags: row.Tags,
		ServiceTier: row.ServiceTier, Speed: row.Speed, Region: row.Region,
	}, row.Unit, row.Price.Decimal)
	if len(b.tiers) < maxServed {
		b.tiers[key] = above
	}
	return above, nil
}
