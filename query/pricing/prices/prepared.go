package prices

import (
	"slices"

	"github.com/shopspring/decimal"
)

// Prepared are the prices of calls that agree in all fields of Call except At, and in all values of
// Splits. It prices their usage without looking for the entry and the rules of each call.
type Prepared struct {
	quote                     *Quote
	charged, list, contracted *preparedSet
}

// preparedSet is a Set by the indexes of units.
type preparedSet struct {
	units   []int // that have a price, the most specific first
	within  [][]int
	prices  []*Price // by unit; nil for none
	covered []bool   // by unit: whether usage of it may be priced, see Set.covers
}

// Count is a quantity of a unit.
type Count struct {
	Unit int // index in Units
	N    int64
}

// Prepare returns the prices of the calls of a cell. The error is an *Unpriced.
func (e *Effective) Prepare(cell Cell) (*Prepared, error) {
	q, err := e.quote(cell.Call, decimal.NewFromInt(cell.InputTokens))
	if err != nil {
		return nil, err
	}
	return &Prepared{q, q.Charged.prepare(), q.List.prepare(), q.Contracted.prepare()}, nil
}

// prepare returns the set by indexes of units; nil for nil.
func (s Set) prepare() *preparedSet {
	if s == nil {
		return nil
	}
	p := &preparedSet{prices: make([]*Price, len(Units)), covered: make([]bool, len(Units))}
	for i, u := range Units {
		p.covered[i] = !u.chargeable() || s.covered(u) && !s.ambiguous(u)
		if price, ok := s[u.PriceKey]; ok {
			var parts []int // positions of the units that are within this one
			for j, of := range p.units {
				if Units[of].dims.within(u.dims) {
					parts = append(parts, j)
				}
			}
			p.prices[i] = &price
			p.units, p.within = append(p.units, i), append(p.within, parts)
		}
	}
	return p
}

// Price computes the cost of one call, or of several that have no tiers of their own, from the
// counts of the units. A count includes those of more specific units, and each unit has one count
// at most. The cost is that of PriceCell, without Input and Output. Price returns false where
// PriceCell may return an error.
func (p *Prepared) Price(counts []Count, calls uint64, inputTokens int64) (*Cost, bool) {
	if slices.ContainsFunc(counts, func(c Count) bool { return c.N < 0 }) {
		return nil, false
	}
	input := decimal.NewFromInt(inputTokens)
	q := p.quote
	cost := &Cost{Provider: q.Provider, Model: q.Model, Period: q.Period, Rules: q.Rules}
	var ok bool
	cost.Lines, cost.Total, ok = p.charged.cost(counts, calls, input, p)
	if !ok {
		return nil, false
	}
	cost.List, cost.Contracted = decimal.NewNullDecimal(cost.Total), decimal.NewNullDecimal(cost.Total)
	if q.changed {
		if cost.List, ok = p.list.total(counts, calls, input); !ok {
			return nil, false
		}
		if cost.Contracted, ok = p.contracted.total(counts, calls, input); !ok {
			return nil, false
		}
	}
	return cost, true
}

// cost returns the lines of the units, and the sum of their costs. It returns false if a used unit
// has no price, or a quantity is less than its parts. Without lined, it returns the sum alone; lined
// has the other prices of the lines.
func (s *preparedSet) cost(
	counts []Count, calls uint64, input decimal.Decimal, lined *Prepared,
) (lines []Line, total decimal.Decimal, ok bool) {
	if lined != nil {
		lines = make([]Line, 0, len(counts)+1)
	}
	var used, left [unitsMost]int64 // left are quantities of lines, by their positions in units
	for _, c := range counts {
		if c.N != 0 && !s.covered[c.Unit] {
			return nil, total, false
		}
		used[c.Unit] = c.N
	}
	used[requests] = int64(calls)
	for i, unit := range s.units {
		quantity := used[unit]
		for _, part := range s.within[i] {
			quantity -= left[part]
		}
		if quantity < 0 {
			return nil, total, false
		}
		if left[i] = quantity; quantity == 0 {
			continue
		}
		line := Line{Unit: Units[unit], Quantity: decimal.NewFromInt(quantity), Price: s.prices[unit].at(input)}
		line.Cost = line.Unit.Of(line.Quantity.Mul(line.Price))
		if total.IsZero() {
			total = line.Cost
		} else {
			total = total.Add(line.Cost)
		}
		if lined != nil {
			line.List, line.Contracted = lined.list.at(unit, input), lined.contracted.at(unit, input)
			lines = append(lines, line)
		}
	}
	return lines, total, true
}

// total does the same as Set.total.
func (s *preparedSet) total(counts []Count, calls uint64, input decimal.Decimal) (decimal.NullDecimal, bool) {
	if s == nil || slices.ContainsFunc(counts, func(c Count) bool { return c.N != 0 && !s.covered[c.Unit] }) {
		return decimal.NullDecimal{}, true
	}
	_, total, ok := s.cost(counts, calls, input, nil)
	return decimal.NewNullDecimal(total), ok
}

// at returns the price of a unit; null if it has none.
func (s *preparedSet) at(unit int, input decimal.Decimal) decimal.NullDecimal {
	if s == nil || s.prices[unit] == nil {
		return decimal.NullDecimal{}
	}
	return decimal.NewNullDecimal(s.prices[unit].at(input))
}

// unitsMost is the largest number of units.
const unitsMost = 64

// requests is the index of the unit Requests.
var requests = IndexOf(Requests)

// IndexOf returns the index in Units of the unit with the given name, which must exist.
func IndexOf(name string) int {
	return slices.IndexFunc(Units, func(u Unit) bool { return u.Name == name })
}
