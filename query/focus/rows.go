package focus

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/bills"
)

// rowsShape chooses the rows of a bill.
type rowsShape struct {
	Unpriced bool
	Tags     []string // by whose values groups are apart
}

// storedRow is a row of the table bill_rows.
type storedRow struct {
	Ordinal         uint64            `ch:"ordinal"`
	Class           string            `ch:"class"`
	Period          string            `ch:"charge_period"`
	Start           int64             `ch:"start_ns"`
	End             int64             `ch:"end_ns"`
	ChargeID        string            `ch:"charge_id"`
	At              int64             `ch:"at_ns"`
	SessionID       string            `ch:"session_id"`
	StreamID        string            `ch:"stream_id"`
	Position        string            `ch:"position"`
	Provider        string            `ch:"provider"`
	Model           string            `ch:"model"`
	ServiceTier     string            `ch:"service_tier"`
	Speed           string            `ch:"speed"`
	Region          string            `ch:"region"`
	Tags            map[string]string `ch:"tags"`
	Unit            string            `ch:"unit"`
	Quantity        string            `ch:"quantity"`
	Per             int64             `ch:"per"`
	ListPrice       string            `ch:"list_price"`
	ContractedPrice string            `ch:"contracted_price"`
	Price           string            `ch:"price"`
	ListCost        string            `ch:"list_cost"`
	ContractedCost  string            `ch:"contracted_cost"`
	BilledCost      string            `ch:"billed_cost"`
	PricesHash      string            `ch:"prices_hash"`
	Rules           []string          `ch:"rules"`
	Reason          string            `ch:"reason"`
	Note            string            `ch:"note"`
}

// eachRow calls a function with the rows of a bill, those of a group one after another. It
// holds one row at a time.
func eachRow(ctx context.Context, r *query.Reader, b *invoice, shape rowsShape, visit func(*bills.Row) error) error {
	args := query.Args{"tenant": b.options.Tenant, "attempt": b.Attempt}.And(query.TagArgs(shape.Tags))
	return query.Each(ctx, r, statements, "focus_rows", shape, args, func(s *storedRow) error {
		row, err := s.row(b.Number)
		if err != nil {
			return fmt.Errorf("row %d of bill %s: %w", s.Ordinal, b.Number, err)
		}
		return visit(row)
	})
}

func (s *storedRow) row(number string) (*bills.Row, error) {
	d := decimals{}
	row := &bills.Row{
		Number: number, Ordinal: s.Ordinal, Class: bills.Class(s.Class), Period: s.Period,
		Start: time.Unix(0, s.Start).UTC(), End: time.Unix(0, s.End).UTC(),
		ChargeID: s.ChargeID, At: time.Unix(0, s.At).UTC(), SessionID: s.SessionID, StreamID: s.StreamID, Position: s.Position,
		Provider: s.Provider, Model: s.Model, ServiceTier: s.ServiceTier, Speed: s.Speed, Region: s.Region, Tags: s.Tags,
		Unit: s.Unit, Quantity: d.read("quantity", s.Quantity).Decimal, Per: s.Per,
		ListPrice:       d.read("list_price", s.ListPrice),
		ContractedPrice: d.read("contracted_price", s.ContractedPrice),
		Price:           d.read("price", s.Price),
		ListCost:        d.read("list_cost", s.ListCost),
		ContractedCost:  d.read("contracted_cost", s.ContractedCost),
		BilledCost:      d.read("billed_cost", s.BilledCost),
		PricesHash:      s.PricesHash, Rules: s.Rules, Reason: s.Reason, Note: bills.Why(s.Note),
	}
	return row, d.err
}

// decimals reads numbers and keeps the first error.
type decimals struct{ err error }

// read reads a number; "" is null.
func (d *decimals) read(column, text string) decimal.NullDecimal {
	if text == "" {
		return decimal.NullDecimal{}
	}
	n, err := decimal.NewFromString(text)
	if err != nil && d.err == nil {
		d.err = fmt.Errorf("%s: %w", column, err)
	}
	return decimal.NewNullDecimal(n)
}

// eachCharge calls a function with the rows of a bill, added up by group. It holds one
// charge at a time.
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
		return nil
	})
	if err != nil || open == nil {
		return err
	}
	return visit(open)
}

// roundings returns what the rounding of the invoice's lines changed, as charges.
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
