package bills

import (
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/prices"
)

// Bill is the head of a closed bill, or of a preview of one. It never changes once the bill is
// closed.
type Bill struct {
	Number      string     `json:"number"` // "" of a preview
	Prefix      string     `json:"prefix"`
	Sequence    uint64     `json:"sequence"` // of the bill among those of the tenant with this prefix, from 1
	Attempt     string     `json:"attempt"`  // under which the rows are stored; "" of a preview
	Account     string     `json:"account"`  // "tenant", or a tag and its value: "customer=c1"
	AccountName string     `json:"account_name"`
	Period      string     `json:"period"` // the month, as "2026-10"
	Start       time.Time  `json:"period_start"`
	End         time.Time  `json:"period_end"` // not in it
	Timezone    string     `json:"timezone"`
	Currency    string     `json:"currency"`
	MinorUnits  int32      `json:"minor_units"` // decimal places of rounded amounts
	ClosedAt    *time.Time `json:"closed_at"`   // null of a preview
	PricesHash  string     `json:"prices_hash"`
	// List is where the list prices are from, with their date; null of a bill that an older version
	// of the program closed.
	List *prices.Release `json:"list_prices"`
	// RowsHash is the SHA-256 of the canonical text of the rows, in hexadecimal: see Hash.
	RowsHash string `json:"rows_hash"`

	Rows        uint64 `json:"rows"`
	Charges     uint64 `json:"charges"`     // of the period, with those that have no price
	Unpriced    uint64 `json:"unpriced"`    // charges of the period that have no price
	Corrections uint64 `json:"corrections"` // rows that correct earlier bills

	ListCost       decimal.Decimal `json:"list_cost"`       // of the rows that have one
	ContractedCost decimal.Decimal `json:"contracted_cost"` // likewise
	BilledCost     decimal.Decimal `json:"billed_cost"`     // exact
	Total          decimal.Decimal `json:"total"`           // the sum of the lines' amounts
	Residual       decimal.Decimal `json:"residual"`        // Total less BilledCost
	Lines          []Line          `json:"lines"`

	// Since is when the first period begins that is compared with what was billed: that of the
	// tenant's first bill when the account got its own.
	Since time.Time `json:"billing_since"`
	// Checked is what the charges of closed periods looked like when they were compared with
	// what was billed for them and how they were priced, by period. A period that looks the same
	// needs no comparison.
	Checked map[string]string `json:"checked"`
}

// Line is a line of an invoice: the rows of one model and unit. Amount is their cost, rounded
// half to even to the minor unit of the currency.
type Line struct {
	Class    Class           `json:"class"`
	Period   string          `json:"charge_period"` // the period of the bill, or the corrected period
	Provider string          `json:"provider"`
	Model    string          `json:"model"`
	Unit     string          `json:"unit"`
	Quantity decimal.Decimal `json:"quantity"`
	Rows     uint64          `json:"rows"`
	Cost     decimal.Decimal `json:"cost"`   // exact
	Amount   decimal.Decimal `json:"amount"` // rounded
	Unpriced bool            `json:"unpriced"`
	// PricedAs is the model of the price table whose price was taken, if it is another one.
	PricedAs string `json:"priced_as,omitempty"`
}
