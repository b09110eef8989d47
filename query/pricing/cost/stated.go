package cost

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// Stated is the sum of the costs that sources state in one currency.
type Stated struct {
	Money
	Calls uint64 `json:"calls"` // calls that state a cost
}

// StatedRow is a sum of stated costs as the statement of a usage report selects it.
type StatedRow struct {
	StatedCurrency string          `ch:"stated_currency"`
	StatedCalls    uint64          `ch:"stated_calls"`
	StatedSum      decimal.Decimal `ch:"stated_sum"`
	StatedOthers   []string        `ch:"stated_others"` // numbers that StatedSum does not include
}

// Stated returns the sum; an empty list if no cost is stated.
func (r *StatedRow) Stated() ([]Stated, error) {
	if r.StatedCalls == 0 && r.StatedSum.IsZero() && len(r.StatedOthers) == 0 {
		return []Stated{}, nil
	}
	s := Stated{Money{r.StatedSum, r.StatedCurrency}, r.StatedCalls}
	for _, text := range r.StatedOthers {
		n, err := decimal.NewFromString(text)
		if err != nil {
			return nil, err
		}
		s.Amount = s.Amount.Add(n)
	}
	return []Stated{s}, nil
}

// AddStated returns the sums of two lists, in order of currencies.
func AddStated(a, b []Stated) []Stated {
	if len(b) == 0 {
		return a
	}
	sums := slices.Clone(a)
	for _, s := range b {
		i, found := slices.BinarySearchFunc(sums, s, func(x, y Stated) int {
			return strings.Compare(x.Currency, y.Currency)
		})
		if !found {
			sums = slices.Insert(sums, i, s)
			continue
		}
		sums[i].Amount = sums[i].Amount.Add(s.Amount)
		sums[i].Calls += s.Calls
	}
	return sums
}
