package focus

import (
	"context"
	"fmt"

	"tapedeck/query"
	"tapedeck/query/billing/bills"
)

// rowsShape selects the optional parts of the statement that reads rows.
type rowsShape struct {
	Unpriced bool
	Tags     []string // tags by whose values groups are separated
}

// eachRow calls visit with the rows of a bill; the rows of a group are adjacent. It holds one row
// at a time.
func eachRow(ctx context.Context, r *query.Reader, b *invoice, shape rowsShape, visit func(*bills.Row) error) error {
	args := query.Args{"tenant": b.options.Tenant, "attempt": b.Attempt}.And(query.TagArgs(shape.Tags))
	return query.Each(ctx, r, statements, "focus_rows", shape, args, func(s *bills.StoredRow) error {
		row, err := s.Row(b.Number)
		if err != nil {
			return fmt.Errorf("row %d of bill %s: %w", s.Ordinal, b.Number, err)
		}
		return visit(&row)
	})
}

// eachCharge calls visit with the charges of a bill: the sums of the rows of each group. It holds
// one charge at a time.
func eachCharge(ctx context.Context, r *query.Reader, b *invoice, unpriced bool, visit func(*charge) error) error {
	tags := b.options.apart()
	var open *charge
	var of group
	err := eachRow(ctx, r, b, rowsShape{unpriced, tags}, func(row *bills.Row) error {
		g := groupOf(row, tags)
		if open != nil && g == of {
			open.add(row)
			return nil
		}
		if open != nil {
			if err := visit(open); err != nil {
				return err
			}
		}
		open, of = newCharge(b, row), g
		var err error
		if open.above, err = b.tierOf(ctx, r, row); err == nil {
			open.rate, err = b.rateOf(ctx, r, row)
		}
		return err
	})
	if err != nil || open == nil {
		return err
	}
	return visit(open)
}

// roundings returns the rounding differences of the invoice's lines, as charges.
func (b *invoice) roundings() []*charge {
	var list []*charge
	for i := range b.Lines {
		line := &b.Lines[i]
		rest := line.Amount.Sub(line.Cost)
		if line.Unpriced || rest.IsZero() {
			continue
		}
		row := (&detail{b, line}).row()
		row.Start, row.End = b.Start, b.End
		list = append(list, &charge{bill: b, row: *row, rounding: true, list: rest, contracted: rest, cost: rest})
	}
	return list
}
