package bills

import (
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/prices"
)

// Bill is the head of a closed bill or of a preview. The head of a closed bill never changes.
type Bill struct {
	Number      string     `json:"number"` // "" for a preview
	Prefix      string     `json:"prefix"`
	Sequence    uint64     `json:"sequence"` // among the tenant's bills with this prefix, from 1
	Attempt     string     `json:"attempt"`  // under which the rows are stored; "" for a preview
	Account     string     `json:"account"`  // "tenant", or a tag and its value: "customer=c1"
	AccountName string     `json:"account_name"`
	Period      string     `json:"period"` // the month, as "2026-10"
	Start       time.Time  `json:"period_start"`
	End         time.Time  `json:"period_end"` // exclusive
	Timezone    string     `json:"timezone"`
	Currency    string     `json:"currency"`
	MinorUnits  int32      `json:"minor_units"` // decimal places of rounded amounts
	ClosedAt    *time.Time `json:"closed_at"`   // null for a preview
	PricesHash  string     `json:"prices_hash"`
	// List identifies the list prices and their date; null for a bill that an older version of the
	// program closed.
	List *prices.Release `json:"list_prices"`
	// RowsHash is the SHA-256 of the canonical text of the rows, in hexadecimal: see Hash.
	RowsHash string `json:"rows_hash"`

	Rows        uint64 `json:"rows"`
	Charges     uint64 `json:"charges"`     // of the period, including unpriced charges
	Unpriced    uint64 `json:"unpriced"`    // charges of the period that have no price
	Corrections uint64 `json:"corrections"` // number of rows that correct earlier bills

	ListCost       decimal.Decimal `json:"list_cost"`       // sum over the rows that have a list cost
	ContractedCost decimal.Decimal `json:"contracted_cost"` // sum over the rows that have a contracted cost
	BilledCost     decimal.Decimal `json:"billed_cost"`     // exact
	Total          decimal.Decimal `json:"total"`           // the sum of the lines' amounts
	Residual       decimal.Decimal `json:"residual"`        // Total - BilledCost
	Lines          []Line          `json:"lines"`
	// By is the tag by whose values the lines are apart, as a reader asked; "" for none. It is never
	// stored.
	By string `json:"by,omitempty"`

	// Since is the start of the first period that is compared with earlier bills: the start of the
	// tenant's first bill at the time when the account received its own first bill.
	Since time.Time `json:"billing_since"`
	// Checked maps each closed period to a fingerprint of its charges and prices at the last
	// comparison with the bills. A period whose fingerprint is unchanged needs no comparison.
	Checked map[string]string `json:"checked"`
}

// Line is a line of an invoice: the sum of the rows of one model and unit. Amount is Cost rounded
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
	// PricedAs is the model in the price table whose price was used, if it differs from Model.
	PricedAs string `json:"priced_as,omitempty"`
	// TagValue is the value of the bill's tag By; "" for charges without the tag.
	TagValue string `json:"tag_value,omitempty"`
}
