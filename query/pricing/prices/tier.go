package prices

import "github.com/shopspring/decimal"

// TierOf returns the number of input tokens above which calls like this one are charged the given
// price for a unit: the lowest, if there are several, and 0 if the price applies without a tier. It
// returns false if no tier has the price.
func (e *Effective) TierOf(call Call, unit string, price decimal.Decimal) (above int64, ok bool) {
	key := unitsByName[unit].PriceKey
	holds := func(inputTokens int64) bool {
		q, err := e.Quote(call, inputTokens)
		if err != nil {
			return false
		}
		p, ok := q.Charged[key]
		return ok && p.at(decimal.NewFromInt(inputTokens)).Equal(price)
	}
	if holds(0) {
		return 0, true
	}
	for _, start := range e.SplitsOf([]Named{{call.Provider, call.Model}}).TierStarts {
		if holds(start + 1) {
			return start, true
		}
	}
	return 0, false
}
