package providerexport

import (
	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/cost"
)

// Recorded is the recorded usage of one day in UTC and one model.
type Recorded struct {
	Day      string // as a date
	Provider string // "" if the source names none
	Model    string // "" if the source names none
	Calls    uint64
	Tokens   cost.Tokens
	Cost     *decimal.Decimal // nil if unknown
	Unpriced uint64           // calls that Cost does not include
}

// State is how two figures compare.
type State string

// The states. A figure of 0 counts as absent.
const (
	Equal        State = "equal"
	Differs      State = "differs"
	OnlyRecorded State = "only_recorded"
	OnlyExported State = "only_exported"
)

// Item is one figure of a day, a model and a bucket. In JSON figures are decimal strings.
type Item struct {
	Day    string  `json:"day"`
	Model  *string `json:"model"` // null if the export, or the record, names none
	Bucket Bucket  `json:"bucket"`
	State  State   `json:"state"`
	// Recorded is null for an unknown cost. UnpricedCalls is the number of calls without a known
	// cost.
	Recorded      *decimal.Decimal `json:"recorded"`
	Exported      decimal.Decimal  `json:"exported"`
	Difference    *decimal.Decimal `json:"difference"` // recorded minus exported
	UnpricedCalls uint64           `json:"unpriced_calls"`
}

// Sum is the sum of a bucket over all days and models.
type Sum struct {
	Bucket     Bucket           `json:"bucket"`
	Recorded   *decimal.Decimal `json:"recorded"`
	Exported   decimal.Decimal  `json:"exported"`
	Difference *decimal.Decimal `json:"difference"`
}

// Unattributed is recorded usage whose provider is unknown and whose model the export does not
// name. No figure of the comparison includes it.
type Unattributed struct {
	Model  *string `json:"model"`
	Calls  uint64  `json:"calls"`
	Tokens int64   `json:"tokens"`
}

// Comparison has every figure of an export beside the recorded figure.
type Comparison struct {
	Provider     string           `json:"provider"`
	Kind         Kind             `json:"kind"`
	Format       string           `json:"format"`
	Currency     *string          `json:"currency"`
	From         string           `json:"from"` // days in UTC, inclusive
	To           string           `json:"to"`
	Rows         uint64           `json:"rows"`
	HasMore      bool             `json:"has_more"`
	ByModel      bool             `json:"by_model"` // false if the export names no models: whole days are compared
	States       map[State]uint64 `json:"states"`
	Sums         []Sum            `json:"sums"`
	Items        []Item           `json:"items"`
	Unattributed []Unattributed   `json:"unattributed"`
}

// Differing returns the number of figures that differ.
func (c *Comparison) Differing() uint64 {
	return c.States[Differs] + c.States[OnlyRecorded] + c.States[OnlyExported]
}
