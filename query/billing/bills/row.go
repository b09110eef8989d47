package bills

import (
	"time"

	"github.com/shopspring/decimal"
)

// Class says whether a row is a charge of the bill's own period.
type Class string

const (
	Regular    Class = ""           // of the bill's period
	Correction Class = "correction" // of a period that was closed before
)

// Row is one unit of one charge, as it was billed. Rows never change once their bill is
// closed. Amounts are not rounded.
type Row struct {
	Number  string `json:"number"`  // of the bill
	Ordinal uint64 `json:"ordinal"` // in the bill, from 0
	Class   Class  `json:"class"`
	// Period is the month in which the charge was made, as "2026-10". That of a correction is
	// before the bill's own.
	Period string `json:"charge_period"`
	// Start and End are the day of the charge in the account's zone; End is not in it. They
	// are cut to the period that the bill of the charge has.
	Start time.Time `json:"charge_period_start"`
	End   time.Time `json:"charge_period_end"`

	ChargeID    string            `json:"charge_id"`
	At          time.Time         `json:"at"`
	SessionID   string            `json:"session_id"`
	StreamID    string            `json:"stream_id"` // of the frame that stated the usage
	Position    string            `json:"position"`  // of that frame, as schema.Position
	Provider    string            `json:"provider"`
	Model       string            `json:"model"`
	ServiceTier string            `json:"service_tier"`
	Speed       string            `json:"speed"`
	Region      string            `json:"region"`
	Tags        map[string]string `json:"tags"`

	// Unit is the name of a prices.Unit. Quantity is how much of it the charge used, without
	// what other rows of the charge count. It is negative where a correction takes back.
	Unit     string          `json:"unit"`
	Quantity decimal.Decimal `json:"quantity"`
	// Prices are for Per of the unit. They are null in a row without a price, whose Reason
	// says why; list prices also where the list has none for the unit.
	Per             int64               `json:"per"`
	ListPrice       decimal.NullDecimal `json:"list_price"`
	ContractedPrice decimal.NullDecimal `json:"contracted_price"` // by own prices and discounts
	Price           decimal.NullDecimal `json:"price"`            // with margins
	ListCost        decimal.NullDecimal `json:"list_cost"`
	ContractedCost  decimal.NullDecimal `json:"contracted_cost"`
	BilledCost      decimal.NullDecimal `json:"billed_cost"`
	PricesHash      string              `json:"prices_hash"` // of the effective table of the prices
	Rules           []string            `json:"rules"`       // that made the prices

	Reason string `json:"unpriced_reason"` // why there is no price; "" where there is one
	Note   Why    `json:"note"`            // why a correction was made
}

// Why is the cause of a difference from a closed bill.
type Why string

const (
	Late      Why = "late"      // the charge was not stored when the bill was closed
	Redecoded Why = "redecoded" // the session was decoded anew
	Changed   Why = "changed"   // other frames of the session were stored later
	Repriced  Why = "repriced"  // the price table is another one
	MovedIn   Why = "moved_in"  // the charge belonged to another account
	MovedOut  Why = "moved_out" // the charge belongs to another account
	Deleted   Why = "deleted"   // the session was deleted; it stays billed
)

// key identifies what a row bills: model, unit and prices, with what they depend on. If the
// key of a charge changes, a correction takes back its quantity under the old key and bills it
// under the new one.
type key struct {
	provider, model, serviceTier, speed, region, unit string
	listPrice, contractedPrice, price, reason         string
}

func (r *Row) key() key {
	return key{
		r.Provider, r.Model, r.ServiceTier, r.Speed, r.Region, r.Unit,
		text(r.ListPrice), text(r.ContractedPrice), text(r.Price), r.Reason,
	}
}

// text returns a decimal, "" for null.
func text(d decimal.NullDecimal) string {
	if !d.Valid {
		return ""
	}
	return d.Decimal.String()
}
