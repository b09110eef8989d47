package cost

import (
	"cmp"

	"github.com/shopspring/decimal"
)

// Lines are exact costs by what a line of a bill is of.
type Lines map[LineKey]decimal.Decimal

// LineKey is what a line of a bill is of.
type LineKey struct{ Provider, Model, Unit string }

// Lines returns the costs of a cell by lines; none if its cost is not known.
func (p *Pricer) Lines(c *Cell) Lines {
	priced, err := p.Price(c)
	if err != nil {
		return nil
	}
	lines := Lines{}
	for i := range priced.Lines {
		l := &priced.Lines[i]
		key := LineKey{c.Provider, c.Model, l.Unit.Name}
		if priced.Provider != nil {
			key.Provider = cmp.Or(c.Provider, priced.Provider.ID)
		}
		lines[key] = lines[key].Add(l.Cost)
	}
	return lines
}

// With returns the sums of two lists of lines, of which it may change the first.
func (l Lines) With(o Lines) Lines {
	if l == nil {
		return o
	}
	for key, amount := range o {
		l[key] = l[key].Add(amount)
	}
	return l
}

// Rounded returns the sum of the lines, each rounded half to even to a number of decimal places, as
// the total of a bill is.
func (l Lines) Rounded(places int32) (sum decimal.Decimal) {
	for _, amount := range l {
		sum = sum.Add(amount.RoundBank(places))
	}
	return sum
}
