package cost

import (
	"cmp"
	"slices"
)

// Inexact are calls that were priced as calls of another model, since the price table has no entry
// of their own: its entry was taken by the beginning of the name.
type Inexact struct {
	Model      string `json:"model"`
	PriceModel string `json:"price_model"` // the id of the entry
	Calls      uint64 `json:"calls"`
}

// inexact returns the entry by which a cell is priced, if it is of another model.
func (p *Pricer) inexact(c *Cell) []Inexact {
	other := p.PricedAs(c)
	if other == "" || p.Model != "" {
		return nil
	}
	return []Inexact{{c.Model, other, c.Calls}}
}

// PricedAs returns the id of the entry by which the calls of a cell are priced, if it is of another
// model.
func (p *Pricer) PricedAs(c *Cell) string {
	key := [2]string{c.Provider, c.Model}
	other, known := p.others[key]
	if !known {
		if p.others == nil || len(p.others) >= classesMost {
			p.others = map[[2]string]string{}
		}
		other = p.Table.Inexact(c.Provider, c.Model)
		p.others[key] = other
	}
	return other
}

// mergeInexact returns what two lists say together, in order of models.
func mergeInexact(a, b []Inexact) []Inexact {
	if len(b) == 0 {
		return a
	}
	merged := slices.Clone(a)
	for _, x := range b {
		i, found := slices.BinarySearchFunc(merged, x, func(x, y Inexact) int {
			return cmp.Or(cmp.Compare(x.Model, y.Model), cmp.Compare(x.PriceModel, y.PriceModel))
		})
		if !found {
			merged = slices.Insert(merged, i, x)
			continue
		}
		merged[i].Calls += x.Calls
	}
	return merged
}
