package cost

import (
	"cmp"
	"errors"
	"slices"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/prices"
)

// Figure is a cost with the calls that it does not include.
type Figure struct {
	Cost           *Money
	UnpricedCalls  uint64
	UnpricedTokens int64
	Unpriced       []Unpriced
	Inexact        []Inexact
}

// Unpriced counts calls without a known cost.
type Unpriced struct {
	Reason prices.Reason `json:"reason"`
	Model  *string       `json:"model"` // null if the source names none
	Calls  uint64        `json:"calls"`
	Tokens int64         `json:"tokens"`
}

// Of returns the cost of a cell. A record that is not a call and has no tokens costs nothing and
// has no cost.
func (p *Pricer) Of(c *Cell) Figure {
	if c.Calls == 0 && c.Quantities == (Quantities{}) && c.Valid {
		return Figure{}
	}
	total, err := p.total(c)
	if err == nil {
		return Figure{Cost: p.money(total), Inexact: p.inexact(c)}
	}
	u := Unpriced{Reason: ReasonOf(err), Calls: c.Calls, Tokens: c.Tokens()}
	if model := c.Model; model != "" {
		u.Model = &model
	}
	return Figure{UnpricedCalls: u.Calls, UnpricedTokens: u.Tokens, Unpriced: []Unpriced{u}}
}

func (p *Pricer) money(amount decimal.Decimal) *Money {
	return &Money{Amount: amount, Currency: p.Table.Currency()}
}

// ReasonOf returns the reason for which a cost is unknown.
func ReasonOf(err error) prices.Reason {
	if u, ok := errors.AsType[*prices.Unpriced](err); ok {
		return u.Reason
	}
	return prices.UnknownModel
}

// Merge returns the sums of two lists, in order of reasons and models.
func Merge(a, b []Unpriced) []Unpriced {
	if len(b) == 0 {
		return a
	}
	merged := slices.Clone(a)
	for _, u := range b {
		i, found := slices.BinarySearchFunc(merged, u, compare)
		if !found {
			merged = slices.Insert(merged, i, u)
			continue
		}
		merged[i].Calls += u.Calls
		merged[i].Tokens += u.Tokens
	}
	return merged
}

func compare(a, b Unpriced) int {
	return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(name(a.Model), name(b.Model)))
}

func name(model *string) string {
	if model == nil {
		return ""
	}
	return *model
}
