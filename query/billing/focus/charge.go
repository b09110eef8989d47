package focus

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/billing/bills"
)

// charge is a row of Cost and Usage, or of the file of unpriced usage.
type charge struct {
	bill *invoice
	// row is the first of the rows of the bill that the charge adds up. The fields that distinguish
	// charges are equal in all of them.
	row bills.Row
	// tags are the tags that have the same value in all rows.
	tags map[string]string
	// above is the number of input tokens above which the price applies; 0 if the price has no
	// tier.
	above int64

	rows                             int
	quantity, list, contracted, cost decimal.Decimal

	// rate is the exchange rate by which the price was converted; null if it was not converted.
	rate decimal.NullDecimal

	// rounding marks a row that holds the rounding difference of an invoice line.
	rounding bool
}

// group holds the values that the rows of a charge share.
type group struct {
	start, end                                                         time.Time
	class                                                              bills.Class
	period, provider, model, serviceTier, speed, region, unit          string
	listPrice, contractedPrice, price, pricesHash, rules, reason, note string
	tags                                                               string
}

func groupOf(r *bills.Row, tags []string) group {
	values := make([]string, len(tags))
	for i, key := range tags {
		values[i] = r.Tags[key]
	}
	return group{
		r.Start.UTC(), r.End.UTC(), r.Class, r.Period, r.Provider, r.Model, r.ServiceTier, r.Speed, r.Region, r.Unit,
		amountOrNull(r.ListPrice), amountOrNull(r.ContractedPrice), amountOrNull(r.Price),
		r.PricesHash, strings.Join(r.Rules, "\x00"), r.Reason, string(r.Note), strings.Join(values, "\x00"),
	}
}

// newCharge returns a charge of one row.
func newCharge(bill *invoice, r *bills.Row) *charge {
	c := &charge{bill: bill, row: *r, tags: maps.Clone(r.Tags)}
	c.row.Rules = slices.Clone(r.Rules)
	c.sum(r)
	return c
}

// add adds another row of the same group.
func (c *charge) add(r *bills.Row) {
	maps.DeleteFunc(c.tags, func(key, value string) bool {
		other, ok := r.Tags[key]
		return !ok || other != value
	})
	c.sum(r)
}

// sum adds a row's quantity and costs. If the row has no list cost, its contracted cost is used; if
// it has no contracted cost either, its billed cost is used for both.
func (c *charge) sum(r *bills.Row) {
	c.rows++
	c.quantity = c.quantity.Add(r.Quantity)
	contracted := or(r.ContractedCost, r.BilledCost)
	list := or(r.ListCost, contracted)
	c.list = c.list.Add(list.Decimal)
	c.contracted = c.contracted.Add(contracted.Decimal)
	c.cost = c.cost.Add(r.BilledCost.Decimal)
}

func or(d, instead decimal.NullDecimal) decimal.NullDecimal {
	if d.Valid {
		return d
	}
	return instead
}

// contractedPrice and listPrice return the unit prices, with the same substitutes as sum.
func (c *charge) contractedPrice() decimal.NullDecimal { return or(c.row.ContractedPrice, c.row.Price) }
func (c *charge) listPrice() decimal.NullDecimal       { return or(c.row.ListPrice, c.contractedPrice()) }

// hasPrice reports whether the cost is a quantity multiplied by a price.
func (c *charge) hasPrice() bool { return !c.rounding && c.row.Price.Valid }

// pricingQuantity returns the quantity in units of the price.
func (c *charge) pricingQuantity() decimal.Decimal {
	switch c.row.Per {
	case 0, 1: // rows without a quantity at a price have no pricing quantity
		return c.quantity
	case 1e3:
		return c.quantity.Shift(-3)
	case 1e6:
		return c.quantity.Shift(-6)
	case 1e9:
		return c.quantity.Shift(-9)
	}
	return c.quantity.DivRound(decimal.NewFromInt(c.row.Per), 28)
}

// correction reports whether the charge corrects a closed bill.
func (c *charge) correction() bool { return !c.rounding && c.row.Class == bills.Correction }
