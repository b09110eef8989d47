package bills

import (
	"time"

	"github.com/shopspring/decimal"
)

// Verification is the result of computing a closed bill again.
type Verification struct {
	Number  string `json:"number"`
	Account string `json:"account"`
	Period  string `json:"period"`
	// Equal reports that there is no difference in rows, charges or frames.
	Equal      bool   `json:"equal"`
	Currency   string `json:"currency"`
	MinorUnits int32  `json:"minor_units"` // decimal places of rounded amounts
	// Defects describe faults of the stored rows themselves, which should never change.
	Defects []string `json:"defects"`
	Rows    uint64   `json:"rows"`
	// Hash is the SHA-256 of the rows as they are stored.
	Hash string `json:"rows_hash"`
	// CurrentPrices is the hash of the current price table, or of that of the account's last bill in
	// Currency if the current one has another currency.
	CurrentPrices string         `json:"current_prices_hash"`
	Differences   []Difference   `json:"differences"` // the first ones
	Counts        map[Why]uint64 `json:"counts"`      // of all differences, by cause
	Frames        FrameCheck     `json:"frames"`
}

// Difference is a charge that differs from what was billed.
type Difference struct {
	ChargeID  string    `json:"charge_id"`
	Period    string    `json:"charge_period"`
	SessionID string    `json:"session_id"`
	At        time.Time `json:"at"`
	Position  string    `json:"position"` // of the frame that stated the usage
	Why       Why       `json:"why"`
	Items     []Change  `json:"items"`
	// Corrected lists the bills that correct the charge. Settled reports that nothing is left to
	// correct.
	Corrected []string `json:"corrected_in"`
	Settled   bool     `json:"settled"`
}

// Change is the difference in one unit at one price.
type Change struct {
	Provider string              `json:"provider"`
	Model    string              `json:"model"`
	Unit     string              `json:"unit"`
	Price    decimal.NullDecimal `json:"price"`
	Per      int64               `json:"per"`
	Quantity int64               `json:"quantity"` // now minus billed
	Cost     decimal.NullDecimal `json:"cost"`     // now minus billed
	Reason   string              `json:"unpriced_reason"`
}
