package bills

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/billing/charges"
)

// difference is a charge that differs from what was billed.
type difference struct {
	chargeID        string
	session, stream string
	items           []item // now minus billed
	rows            []Row  // of the charge as stored now; empty if the charge is gone
	before, now     []item
	hash            string // hash of the price table of the last bill that has the charge
	why             Why
}

// compared is the result of comparing the bills of a period with the stored charges.
type compared struct {
	*billed
	list []difference
}

type quantityRow struct {
	ChargeID        string `ch:"charge_id"`
	SessionID       string `ch:"session"`
	StreamID        string `ch:"stream"`
	Provider        string `ch:"provider"`
	Model           string `ch:"model"`
	ServiceTier     string `ch:"service_tier"`
	Speed           string `ch:"speed"`
	Region          string `ch:"region"`
	Unit            string `ch:"unit"`
	Per             int64  `ch:"per_units"`
	ListPrice       string `ch:"list_price"`
	ContractedPrice string `ch:"contracted_price"`
	Price           string `ch:"price"`
	Reason          string `ch:"reason"`
	Hash            string `ch:"hash"`
	Quantity        int64  `ch:"quantities"`
}

func (q *quantityRow) row() Row {
	return Row{
		ChargeID: q.ChargeID, SessionID: q.SessionID, StreamID: q.StreamID,
		Provider: q.Provider, Model: q.Model, ServiceTier: q.ServiceTier, Speed: q.Speed, Region: q.Region,
		Unit: q.Unit, Per: q.Per, Quantity: decimal.NewFromInt(q.Quantity),
		ListPrice: nullable(q.ListPrice), ContractedPrice: nullable(q.ContractedPrice), Price: nullable(q.Price),
		Reason: q.Reason, PricesHash: q.Hash,
	}
}

// compare compares what the given bills of the account billed for a period with the stored charges
// at the prices of a table.
func (c *computation) compare(ctx context.Context, p *Period, bills []Bill, hash string) (*compared, error) {
	r := &compared{billed: newBilled()}
	err := query.Each(ctx, c.store.reader, statements, "billed_quantities", nil,
		query.Args{"tenant": c.tenant, "attempts": attempts(bills), "charge_period": p.Month},
		func(q *quantityRow) error {
			row := q.row()
			return r.billed.add(&row)
		})
	if err != nil {
		return nil, err
	}
	err = c.charges(ctx, p, hash, func(charge *charges.Charge) error {
		rows := rowsOf(c.rows[:0], charge, p)
		now, err := r.items(nil, rows...)
		if err != nil {
			return err
		}
		d := difference{chargeID: charge.ChargeID, session: charge.SessionID, stream: charge.StreamID, now: now}
		if was := r.charges[charge.ChargeID]; was != nil {
			d.before, d.hash = was.items, was.hash
			delete(r.charges, charge.ChargeID)
		}
		if d.items = differences(d.before, now); len(d.items) > 0 {
			d.rows = slices.Clone(rows)
			r.list = append(r.list, d)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(r.charges)) { // charges that were billed and are no longer stored
		was := r.charges[id]
		if items := differences(was.items, nil); len(items) > 0 {
			r.list = append(r.list,
				difference{chargeID: id, session: was.session, stream: was.stream, items: items, before: was.items,
					hash: was.hash})
		}
	}
	return r, nil
}

func attempts(bills []Bill) []string {
	list := make([]string, len(bills))
	for i := range bills {
		list[i] = bills[i].Attempt
	}
	return list
}

// correct adds the rows that correct the bills of a closed period.
func (c *computation) correct(ctx context.Context, p *Period) error {
	periodsCompared.Inc()
	c.compared = append(c.compared, p.Month)
	r, err := c.compare(ctx, p, c.before, c.table.Hash())
	if err != nil || len(r.list) == 0 {
		return err
	}
	if err := c.explain(ctx, p, r, c.before, c.table.Hash()); err != nil {
		return err
	}
	r.list = slices.DeleteFunc(r.list, func(d difference) bool { return d.why == Deleted })
	for some := range slices.Chunk(r.list, chargesAtOnce) {
		if err := c.correctSome(ctx, p, r, some); err != nil {
			return err
		}
	}
	return nil
}

// chargesAtOnce bounds how many charges one statement names.
const chargesAtOnce = 2000

// correctSome adds the rows that correct the charges in some.
func (c *computation) correctSome(ctx context.Context, p *Period, r *compared, some []difference) error {
	ids := make([]string, len(some))
	for i := range some {
		ids[i] = some[i].chargeID
	}
	type place struct {
		charge string
		key    key
	}
	were := map[place]Row{} // the rows of the last bill for each charge and key
	args := query.Args{"tenant": c.tenant, "attempts": attempts(c.before), "charges": ids}
	err := c.store.eachRow(ctx, rowsShape{Charges: true}, args, nil, func(row *Row) error {
		were[place{row.ChargeID, row.key()}] = *row
		return nil
	})
	if err != nil {
		return err
	}
	for i := range some {
		d := &some[i]
		for _, item := range d.items {
			row, ok := find(d.rows, r.keys[item.key])
			if !ok {
				row, ok = were[place{d.chargeID, r.keys[item.key]}]
			}
			if !ok {
				return fmt.Errorf("correct charge %s of %s: its billed rows are not stored in the table bill_rows: "+
					"restore the table from a backup that has them", d.chargeID, p.Month)
			}
			r.row(&row, item)
			row.Number, row.Class, row.Note = "", Correction, d.why
			if err := c.add(&row); err != nil {
				return err
			}
		}
	}
	return nil
}

// find returns the row of a charge with a key.
func find(rows []Row, k key) (Row, bool) {
	for i := range rows {
		if rows[i].key() == k {
			return rows[i], true
		}
	}
	return Row{}, false
}
