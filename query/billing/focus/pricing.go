package focus

import (
	"context"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/billing/bills"
)

// listCurrency is the currency of list prices.
const listCurrency = "USD"

// quotientDigits is how many decimal places a price has that is converted back into the currency of
// the list. A price that was converted from it comes out exactly as the list has it.
const quotientDigits = 28

// rateOf returns the price of a unit of the list's currency in that of the invoice by which the
// prices of a row were converted; null where the list has no price of the row, so that its price
// was stated in the invoice's currency, and where the two currencies are the same.
func (b *invoice) rateOf(ctx context.Context, r *query.Reader, row *bills.Row) (rate decimal.NullDecimal, err error) {
	if b.Currency == listCurrency || !row.ListPrice.Valid {
		return rate, nil
	}
	table, err := r.Prices(ctx, row.PricesHash)
	if err != nil {
		return rate, fmt.Errorf("read the price table of row %d of bill %s: %w", row.Ordinal, b.Number, err)
	}
	if of, ok := table.Rate(row.At); ok && table.Currency() == b.Currency && of.IsPositive() {
		rate = decimal.NewNullDecimal(of)
	}
	return rate, nil
}

// pricingCurrency is the currency in which the provider states the charge's price.
func (c *charge) pricingCurrency() string {
	if c.rate.Valid {
		return listCurrency
	}
	return c.bill.Currency
}

// inPricingCurrency converts an amount of the invoice's currency; "" for null.
func (c *charge) inPricingCurrency(d decimal.NullDecimal) string {
	if d.Valid && c.rate.Valid {
		d.Decimal = d.Decimal.DivRound(c.rate.Decimal, quotientDigits)
	}
	return amountOrNull(d)
}

// subAccountType says what kind of sub account it is.
func (c *charge) subAccountType() string {
	if c.subAccount() == "" {
		return ""
	}
	return "Tag " + name(c.bill.options.SubAccount)
}

// hidden lists the columns of Cost and Usage that show what the operator pays, or lead to the
// operator's server: an export for the customer has none of them.
var hidden = []string{
	"ContractedCost", "ContractedUnitPrice", "PricingCurrencyContractedUnitPrice", "x_PriceRules", "x_PriceTableHash",
}

// shows reports whether an export with these options may have a column.
func (o *Options) shows(column string) bool {
	if o.For != Customer {
		return true
	}
	for _, h := range hidden {
		if column == h {
			return false
		}
	}
	return column != "x_FirstFrameLink" || strings.TrimSpace(o.Link) != ""
}
