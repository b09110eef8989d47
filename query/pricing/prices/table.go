package prices

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// Table lists the prices of models in US dollars.
type Table struct {
	Source    Release    `json:"source"`
	Providers []Provider `json:"providers"`
}

// Release identifies the source of a table's figures.
type Release struct {
	Package string `json:"package"`
	Version string `json:"version"`
	// Integrity is the package's integrity hash in npm.
	Integrity string `json:"integrity"`
	Date      string `json:"date"`   // date of the release, YYYY-MM-DD
	SHA256    string `json:"sha256"` // of the table's providers as the generator wrote them
}

// Provider is a company or service that serves models.
type Provider struct {
	ID            string   `json:"id"`
	Name          string   `json:"name,omitempty"`
	ModelMatch    *Clause  `json:"model_match,omitempty"`    // its own models, for calls without a known provider
	ProviderMatch *Clause  `json:"provider_match,omitempty"` // other names of the provider
	Fallbacks     []string `json:"fallback_model_providers,omitempty"`
	Models        []Model  `json:"models"`
}

// Model is a model as one provider serves it.
type Model struct {
	ID         string  `json:"id"`
	Name       string  `json:"name,omitempty"`
	Match      *Clause `json:"match"`
	Deprecated bool    `json:"deprecated,omitempty"`
	Prices     Periods `json:"prices"`
	// Origin is set where the published table lacks the model and the program adds it.
	Origin *Origin `json:"source,omitempty"`
}

// Periods are the prices of a model with their constraints, in the order of the table.
type Periods []Period

// Period is a set of prices with the constraint under which they apply.
type Period struct {
	Constraint Constraint `json:"constraint,omitzero"`
	Prices     Set        `json:"prices"`
}

// Set maps price keys to prices.
type Set map[string]Price

// Price is the price of Per units. Without tiers it is a number in JSON.
type Price struct {
	Base  decimal.Decimal `json:"base"`
	Tiers []Tier          `json:"tiers,omitempty"` // by start
}

// Tier is the price of a unit in calls with more than Start input tokens.
type Tier struct {
	Start int64           `json:"start"`
	Price decimal.Decimal `json:"price"`
}

// UnmarshalJSON reads one set of prices or a list of conditional sets.
func (p *Periods) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		var list []Period
		if err := decodeStrictly(text, &list); err != nil {
			return err
		}
		if len(list) == 0 {
			return fmt.Errorf("prices: the list is empty")
		}
		*p = list
		return nil
	}
	var set Set
	if err := json.Unmarshal(text, &set); err != nil {
		return err
	}
	*p = Periods{{Prices: set}}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (p Periods) MarshalJSON() ([]byte, error) {
	if len(p) == 1 && p[0].Constraint.IsZero() {
		return json.Marshal(p[0].Prices)
	}
	return json.Marshal([]Period(p))
}

// UnmarshalJSON implements json.Unmarshaler. Unknown units are errors.
func (s *Set) UnmarshalJSON(text []byte) error {
	var set map[string]Price
	if err := json.Unmarshal(text, &set); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		if _, ok := unitsByPriceKey[key]; !ok {
			return fmt.Errorf("prices: there is no unit with the price key %q", key)
		}
	}
	*s = set
	return nil
}

// UnmarshalJSON reads a number or an object with base and tiers.
func (p *Price) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		type plain Price
		if err := decodeStrictly(text, (*plain)(p)); err != nil {
			return err
		}
	} else if err := json.Unmarshal(text, &p.Base); err != nil {
		return fmt.Errorf("prices: %s is neither a number nor an object with base and tiers", text)
	}
	slices.SortFunc(p.Tiers, func(a, b Tier) int { return int(min(max(a.Start-b.Start, -1), 1)) })
	if p.Base.IsNegative() {
		return fmt.Errorf("prices: the price %s is negative", p.Base)
	}
	for _, t := range p.Tiers {
		if t.Price.IsNegative() || t.Start < 0 {
			return fmt.Errorf("prices: the tier from %d at %s is negative", t.Start, t.Price)
		}
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (p Price) MarshalJSON() ([]byte, error) {
	if len(p.Tiers) == 0 {
		return []byte(p.Base.String()), nil
	}
	type tier struct {
		Start int64       `json:"start"`
		Price json.Number `json:"price"`
	}
	tiers := make([]tier, len(p.Tiers))
	for i, t := range p.Tiers {
		tiers[i] = tier{t.Start, json.Number(t.Price.String())}
	}
	return json.Marshal(map[string]any{"base": json.Number(p.Base.String()), "tiers": tiers})
}

// at returns the price in a call with this many input tokens.
func (p *Price) at(inputTokens decimal.Decimal) decimal.Decimal {
	price := p.Base
	for _, t := range p.Tiers {
		if inputTokens.GreaterThan(decimal.NewFromInt(t.Start)) {
			price = t.Price
		}
	}
	return price
}

// Load reads a table as JSON.
func Load(text []byte) (*Table, error) {
	var t Table
	if err := decodeStrictly(text, &t); err != nil {
		return nil, fmt.Errorf("read the price table: %w", err)
	}
	return &t, nil
}

// at returns the prices that apply at a time: the last whose constraint holds, else the first.
func (p Periods) at(when time.Time) *Period {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].Constraint.holds(when) {
			return &p[i]
		}
	}
	return &p[0]
}

func decodeStrictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
