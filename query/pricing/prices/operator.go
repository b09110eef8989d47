package prices

import (
	"time"

	"github.com/shopspring/decimal"
)

// Operator is the contents of an operator's price file. Rules are in the order of the file.
type Operator struct {
	Currency  string `json:"currency"` // ISO 4217; of own prices and of all costs
	Rates     []Rate `json:"rates,omitempty"`
	Prices    []Rule `json:"prices,omitempty"`    // all rules that match a call apply, one after another
	Discounts []Rule `json:"discounts,omitempty"` // the last rule that matches a call and unit applies
	Margins   []Rule `json:"margins,omitempty"`   // the last rule that matches a call and unit applies, after discounts
	// Accounts are the billing accounts; if empty, the tenant is the only account.
	Accounts []Account `json:"accounts,omitempty"`
	Plans    []Plan    `json:"plans,omitempty"` // the last plan that matches a call covers it
}

// Rate is the price of one US dollar in the currency of a price file, from its time until the next
// rate.
type Rate struct {
	From   time.Time       `json:"from"`
	Dollar decimal.Decimal `json:"usd"`
}

// empty reports whether the operator's prices change nothing.
func (o *Operator) empty() bool {
	return o == nil || o.Currency == dollar && len(o.Prices)+len(o.Discounts)+len(o.Margins)+len(o.Accounts)+len(o.Plans) == 0
}

// Rate returns the price of one US dollar, the currency of list prices, in the table's currency at
// a time. It returns false if the price file has no rate for that time.
func (e *Effective) Rate(at time.Time) (decimal.Decimal, bool) { return e.content.Operator.rate(at) }

// rate returns the price of a US dollar at a time.
func (o *Operator) rate(at time.Time) (decimal.Decimal, bool) {
	if o == nil || o.Currency == dollar {
		return decimal.NewFromInt(1), true
	}
	for i := len(o.Rates) - 1; i >= 0; i-- {
		if !at.Before(o.Rates[i].From) {
			return o.Rates[i].Dollar, true
		}
	}
	return decimal.Decimal{}, false
}
