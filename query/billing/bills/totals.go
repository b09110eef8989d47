package bills

import (
	"cmp"
	"slices"
)

// totals adds up the rows of a bill.
type totals struct {
	lines map[lineKey]*Line
	last  string
	bill  *Bill
}

type lineKey struct {
	class                         Class
	period, provider, model, unit string
	unpriced                      bool
}

// keyOf returns the key of the line that a row belongs to.
func keyOf(r *Row) lineKey {
	return lineKey{r.Class, r.Period, r.Provider, r.Model, r.Unit, !r.BilledCost.Valid}
}

// key returns the key of a line.
func (l *Line) key() lineKey {
	return lineKey{l.Class, l.Period, l.Provider, l.Model, l.Unit, l.Unpriced}
}

// add adds a row to a line.
func (l *Line) add(r *Row) {
	l.Rows++
	l.Quantity = l.Quantity.Add(r.Quantity)
	if r.BilledCost.Valid {
		l.Cost = l.Cost.Add(r.BilledCost.Decimal)
	}
}

func newTotals(b *Bill) *totals { return &totals{lines: map[lineKey]*Line{}, bill: b} }

// add adds a row. The rows of one charge must be added one after another.
func (t *totals) add(r *Row) {
	b := t.bill
	b.Rows++
	if r.Class == Correction {
		b.Corrections++
	} else if r.ChargeID != t.last {
		t.last = r.ChargeID
		b.Charges++
		if !r.BilledCost.Valid {
			b.Unpriced++
		}
	}
	k := keyOf(r)
	l := t.lines[k]
	if l == nil {
		l = &Line{Class: k.class, Period: k.period, Provider: k.provider, Model: k.model, Unit: k.unit,
			Unpriced: k.unpriced}
		t.lines[k] = l
	}
	l.add(r)
	if r.ListCost.Valid {
		b.ListCost = b.ListCost.Add(r.ListCost.Decimal)
	}
	if r.ContractedCost.Valid {
		b.ContractedCost = b.ContractedCost.Add(r.ContractedCost.Decimal)
	}
}

// done rounds the lines half to even and computes the totals.
func (t *totals) done() {
	b := t.bill
	b.Lines = make([]Line, 0, len(t.lines))
	for _, l := range t.lines {
		l.Amount = l.Cost.RoundBank(b.MinorUnits)
		b.BilledCost = b.BilledCost.Add(l.Cost)
		b.Total = b.Total.Add(l.Amount)
		b.Lines = append(b.Lines, *l)
	}
	b.Residual = b.Total.Sub(b.BilledCost)
	slices.SortFunc(b.Lines, func(x, y Line) int {
		return cmp.Or(cmp.Compare(x.Class, y.Class), cmp.Compare(x.Period, y.Period),
			cmp.Compare(x.Provider, y.Provider),
			cmp.Compare(x.Model, y.Model), cmp.Compare(x.Unit, y.Unit), boolean(x.Unpriced)-boolean(y.Unpriced))
	})
}

// boolean returns 1 for true, so that false sorts first.
func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}
