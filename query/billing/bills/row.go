package bills

import (
	"time"

	"github.com/shopspring/decimal"
)

// Class distinguishes charges of the bill's own period from corrections.
type Class string

const (
	Regular    Class = ""           // a charge of the bill's period
	Correction Class = "correction" // a correction of a period that was closed before
)

// Row is one unit of one charge, as it was billed. Rows never change once their bill is
// closed. Amounts are not rounded.
type Row struct {
	Number  string `json:"number"`  // of the bill
	Ordinal uint64 `json:"ordinal"` // index in the bill, from 0
	Class   Class  `json:"class"`
	// Period is the month of the charge, such as "2026-10". For a correction it is before the
	// bill's own period.
	Period string `json:"charge_period"`
	// Start and End delimit the day of the charge in the account's zone; End is exclusive. They are
	// clipped to the period of the bill that has the charge.
	Start time.Time `json:"charge_period_start"`
	End   time.Time `json:"charge_period_end"`

	ChargeID    string            `json:"charge_id"`
	At          time.Time         `json:"at"`
	SessionID   string            `json:"session_id"`
	StreamID    string            `json:"stream_id"` // of the frame that stated the usage
	Position    string            `json:"position"`  // position of that frame, see schema.Position
	Provider    string            `json:"provider"`
	Model       string            `json:"model"`
	ServiceTier string            `json:"service_tier"`
	Speed       string            `json:"speed"`
	Region      string            `json:"region"`
	Tags        map[string]string `json:"tags"`

	// Unit is the name of a prices.Unit. Quantity is how much of the unit the charge used, without
	// the share that other rows of the charge count. It is negative in a correction that takes back
	// usage.
	Unit     string          `json:"unit"`
	Quantity decimal.Decimal `json:"quantity"`
	// Per is the number of units that the prices are for. Prices are null in a row without a price,
	// whose Reason says why. List prices are also null if the price list has no price for the unit.
	Per             int64               `json:"per"`
	ListPrice       decimal.NullDecimal `json:"list_price"`
	ContractedPrice decimal.NullDecimal `json:"contracted_price"` // with own prices and discounts
	Price           decimal.NullDecimal `json:"price"`            // with margins
	ListCost        decimal.NullDecimal `json:"list_cost"`
	ContractedCost  decimal.NullDecimal `json:"contracted_cost"`
	BilledCost      decimal.NullDecimal `json:"billed_cost"`
	PricesHash      string              `json:"prices_hash"` // hash of the effective price table
	Rules           []string            `json:"rules"`       // names of the rules that determined the prices

	Reason string `json:"unpriced_reason"` // why there is no price; "" if there is one
	Note   Why    `json:"note"`            // cause of a correction
}

// Why is the cause of a difference between a closed bill and the stored charges.
type Why string

const (
	Late      Why = "late"      // the charge was not stored when the bill was closed
	Redecoded Why = "redecoded" // the session was decoded anew
	Changed   Why = "changed"   // other frames of the session were stored later
	Repriced  Why = "repriced"  // the price table has changed
	MovedIn   Why = "moved_in"  // the charge belonged to another account
	MovedOut  Why = "moved_out" // the charge belongs to another account
	Deleted   Why = "deleted"   // the session was deleted; the charge remains billed
)

// key identifies what a row bills: the model, the unit, the prices and the fields that determine
// the prices. If the key of a charge changes, a correction takes back the quantity under the old
// key and bills it under the new one.
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
