// Package charges lists charges. A charge is a usage record with all values from which its cost was
// computed.
package charges

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
	"tapedeck/schema"
)

// Charge is a usage record with its cost. Unknown values are empty or null.
type Charge struct {
	// ChargeID is stable: it is the same after the session is decoded anew, and when another stream
	// of the session reports the same usage.
	ChargeID  string            `json:"charge_id"`
	At        time.Time         `json:"at"` // when the source stated it last
	Tenant    string            `json:"tenant"`
	SessionID string            `json:"session_id"`
	StreamID  string            `json:"stream_id"` // the stream that stated it last
	RunID     string            `json:"run_id"`
	NodeID    string            `json:"node_id"`
	SpanID    string            `json:"span_id"` // of the call
	Agent     string            `json:"agent"`
	Tags      map[string]string `json:"tags"` // of the stream, plus tags of the session that the stream lacks

	Provider       *string `json:"provider"`
	Model          *string `json:"model"` // the model that served the call
	RequestedModel *string `json:"requested_model"`
	ServiceTier    string  `json:"service_tier"`
	Speed          string  `json:"speed"`
	Region         string  `json:"region"`
	Dialect        string  `json:"dialect"`
	RequestID      string  `json:"request_id"` // the provider's
	MessageID      string  `json:"message_id"` // the provider's
	Scope          string  `json:"scope"`      // what the record counts
	Mode           string  `json:"mode"`       // add: the whole count of its scope; running: a total so far

	// IsCall is false for the part of a total that exceeds the reported calls.
	IsCall bool `json:"is_call"`
	// Tokens and Parts are what the record adds to a sum: for a running total the difference to the
	// previous total. Quantities has the same values. Parts are contained in Tokens.
	Tokens     cost.Tokens     `json:"tokens"`
	Parts      cost.Parts      `json:"parts"`
	WebFetches int64           `json:"web_fetches"`
	Quantities cost.Quantities `json:"-"`
	// StatedTotal is the sum of tokens, and Stated the cost, that the source states.
	StatedTotal *uint64     `json:"stated_total"`
	Stated      *cost.Money `json:"stated_cost"`

	PricesHash string `json:"prices_hash"` // hash of the price table
	// PriceProvider and PriceModel identify the entry of the table whose list prices were used.
	// They are null if all prices come from rules or no price is known.
	PriceProvider *string `json:"price_provider"`
	PriceModel    *string `json:"price_model"`
	// PricedAs is PriceModel where the entry is of another model; null where it is not.
	PricedAs *string  `json:"priced_as"`
	Rules    []string `json:"rules"` // names of the applied rules, in their order
	// Cost is the charged amount. ListCost is the cost at list prices, ContractedCost the cost at
	// own prices and discounts, without margins. Amounts are not rounded.
	Cost           *cost.Money `json:"cost"`
	ListCost       *cost.Money `json:"list_cost"`
	ContractedCost *cost.Money `json:"contracted_cost"`
	Lines          []Line      `json:"lines"` // Cost is their sum
	// Unpriced is the reason for which Cost is null. Both are null for a record that is not a call
	// and counts nothing: it costs nothing.
	Unpriced       *prices.Reason `json:"unpriced_reason"`
	UnpricedDetail string         `json:"unpriced_detail"`
	// Repriced is the cost at the prices that the query selects. WhatIf is the cost as a call of
	// the model that the query selects. Each has the reason for which it is unknown.
	Repriced         *cost.Money    `json:"repriced_cost"`
	RepricedUnpriced *prices.Reason `json:"repriced_unpriced_reason"`
	RepricedDetail   string         `json:"repriced_unpriced_detail"`
	WhatIf           *cost.Money    `json:"what_if_cost"`
	WhatIfUnpriced   *prices.Reason `json:"what_if_unpriced_reason"`
	WhatIfDetail     string         `json:"what_if_unpriced_detail"`

	// Position is the position of the frame that stated the usage last.
	Position string `json:"position"`
}

// Line is the cost of one unit.
type Line struct {
	Unit     string          `json:"unit"`
	Quantity decimal.Decimal `json:"quantity"` // without the quantities of lines of more specific units
	Per      int64           `json:"per"`      // number of units that the prices are for
	Price    decimal.Decimal `json:"price"`
	Cost     decimal.Decimal `json:"cost"`
	// ListPrice and ContractedPrice are null if the unit has no such price of its own. The charge's
	// ListCost and ContractedCost are computed from the units that have one, so they may differ
	// from the sums of their lines.
	ListPrice       decimal.NullDecimal `json:"list_price"`
	ContractedPrice decimal.NullDecimal `json:"contracted_price"`
}

// At returns the cost of the line at another price of its unit. It is exact except for prices per
// hour.
func (l *Line) At(price decimal.Decimal) decimal.Decimal {
	unit, _ := prices.UnitNamed(l.Unit)
	return unit.Of(l.Quantity.Mul(price))
}

// ID returns the id of the charge of a usage record: the first half of a SHA-256 over the
// tenant, the session and the record's id, each after its length as 8 bytes.
func ID(tenant, session, usage string) string {
	h := sha256.New()
	for _, part := range []string{tenant, session, usage} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// positionOf returns the position of the last frame that stated a record.
func positionOf(row *row) string {
	return schema.Position{At: row.At, StreamID: row.Stream, Seq: row.Version - 1}.String()
}
