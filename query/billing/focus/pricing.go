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

// quotientDigits is the number of decimal places of a price that is converted back into the
// currency of the list. With this precision a price that was converted from a list price equals the
// list price again.
const quotientDigits = 28

// rateOf returns the exchange rate by which the prices of a row were converted: the price of one
// unit of listCurrency in the currency of the invoice. It is null if both currencies are the same,
// and if the list has no price for the row, since then the price was stated in the invoice's
// currency.
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

// pricingCurrency returns the currency in which the provider states the charge's price.
func (c *charge) pricingCurrency() string {
	if c.rate.Valid {
		return listCurrency
	}
	return c.bill.Currency
}

// inPricingCurrency converts an amount from the invoice's currency to the pricing currency; "" for
// null.
func (c *charge) inPricingCurrency(d decimal.NullDecimal) string {
	if d.Valid && c.rate.Valid {
		d.Decimal = d.Decimal.DivRound(c.rate.Decimal, quotientDigits)
	}
	return amountOrNull(d)
}

// subAccountType returns the kind of the charge's sub account, "" if it has none.
func (c *charge) subAccountType() string {
	if c.subAccount() == "" {
		return ""
	}
	return "Tag " + name(c.bill.options.SubAccount)
}

// hidden lists the columns of Cost and Usage that show what the operator pays. An export for the
// customer omits them.
var hidden = []string{
	"ContractedCost", "ContractedUnitPrice", "PricingCurrencyContractedUnitPrice", "x_PriceRules", "x_PriceTableHash",
}

// shows reports whether an export with these options may contain a column.
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
