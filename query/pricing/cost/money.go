package cost

import "github.com/shopspring/decimal"

// Money is an amount in a currency. In JSON the amount is a decimal string.
type Money struct {
	Amount   decimal.Decimal `json:"amount"`
	Currency string          `json:"currency"` // ISO 4217
}

// Text returns the amount as text, "" for nil.
func (m *Money) Text() string {
	if m == nil {
		return ""
	}
	return m.Amount.String()
}

// Sum returns the sum of two amounts in one currency. A nil amount is unknown and adds nothing.
func Sum(a, b *Money) *Money {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &Money{a.Amount.Add(b.Amount), a.Currency}
}
