package bills

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query"
)

// maxDifferences bounds the differences that a verification lists.
const maxDifferences = 1000

// Verify compares a closed bill with its own hash, with the stored charges at the bill's prices,
// and with the stored charges at the current prices. If these are in another currency than the
// bill, the prices of the account's last bill in the bill's currency take their place.
//
// It decodes the frames of at most frames sessions of the bill again; sessions with differences
// come first.
func (s *Store) Verify(ctx context.Context, tenant, number string, frames int) (*Verification, error) {
	b, err := s.Bill(ctx, tenant, number)
	if err != nil {
		return nil, err
	}
	v := &verifier{store: s, tenant: tenant, bill: b, corrected: map[string]map[string]bool{}, seen: map[string]bool{}}
	v.result = &Verification{
		Number: number, Account: b.Account, Period: b.Period, Currency: b.Currency, MinorUnits: b.MinorUnits,
		Defects: []string{}, Differences: []Difference{}, Counts: map[Why]uint64{},
		Frames: FrameCheck{Failed: []FrameFailure{}, Expired: []ExpiredCharge{}, Differences: []FrameDifference{}},
	}
	if err := v.rows(ctx); err != nil {
		return nil, err
	}
	if err := v.charges(ctx); err != nil {
		return nil, err
	}
	if err := v.frames(ctx, frames); err != nil {
		return nil, err
	}
	r := v.result
	r.Equal = len(r.Defects)+len(r.Counts)+len(r.Frames.Differences) == 0
	return r, nil
}

type verifier struct {
	store     *Store
	tenant    string
	bill      *Bill
	all       []Bill                     // of the account, the first period first
	corrected map[string]map[string]bool // charges that the bill corrects, by period
	seen      map[string]bool            // charges that are listed
	result    *Verification
}

func (v *verifier) defect(format string, args ...any) {
	if len(v.result.Defects) < 20 {
		v.result.Defects = append(v.result.Defects, fmt.Sprintf(format, args...))
	}
}

// rows compares the stored rows with the head of the bill, and each cost with its quantity and
// price.
func (v *verifier) rows(ctx context.Context) error {
	b, again, sum := v.bill, *v.bill, NewHash()
	again.Rows, again.Charges, again.Unpriced, again.Corrections = 0, 0, 0, 0
	again.ListCost, again.ContractedCost, again.BilledCost, again.Total = decimal.Zero, decimal.Zero, decimal.Zero,
		decimal.Zero
	t := newTotals(&again)
	err := v.store.Rows(ctx, v.tenant, b, 0, 0, func(r *Row) error {
		if r.Ordinal != again.Rows {
			v.defect("row %d is missing or stored twice", again.Rows)
		}
		computed := *r
		computed.costs()
		if text(computed.BilledCost) != text(r.BilledCost) {
			v.defect("row %d: the cost %s is not quantity × price", r.Ordinal, text(r.BilledCost))
		}
		if r.Class == Correction {
			if v.corrected[r.Period] == nil {
				v.corrected[r.Period] = map[string]bool{}
			}
			v.corrected[r.Period][r.ChargeID] = true
		}
		sum.Add(r)
		t.add(r)
		return nil
	})
	if err != nil {
		return err
	}
	t.done()
	v.result.Rows, v.result.Hash = again.Rows, sum.Text()
	if again.Rows != b.Rows {
		v.defect("the bill has %d rows, %d are stored", b.Rows, again.Rows)
	}
	if sum.Text() != b.RowsHash {
		v.defect("the hash of the rows is %s, that of the bill %s", sum.Text(), b.RowsHash)
	}
	if !again.BilledCost.Equal(b.BilledCost) || !again.Total.Equal(b.Total) {
		v.defect("the rows cost %s, rounded %s; the bill says %s and %s", again.BilledCost, again.Total, b.BilledCost,
			b.Total)
	}
	return nil
}

// charges compares the bill with the stored charges.
func (v *verifier) charges(ctx context.Context) error {
	var err error
	if v.all, err = v.store.Closed(ctx, v.tenant, v.bill.Account); err != nil {
		return err
	}
	slices.Reverse(v.all)
	at := slices.IndexFunc(v.all, func(b Bill) bool { return b.Attempt == v.bill.Attempt })
	own := v.all[:at+1]
	current, err := v.current(ctx)
	if err != nil {
		return err
	}
	frozen := current
	v.result.CurrentPrices = current.table.Hash()
	if v.bill.PricesHash != current.table.Hash() {
		if frozen, err = v.computation(ctx, v.bill.PricesHash); err != nil {
			return err
		}
	}
	periods, err := v.periods(current)
	if err != nil {
		return err
	}
	for i := range periods {
		p := &periods[i]
		found, err := v.compare(ctx, frozen, p, own)
		if err != nil {
			return err
		}
		if current != frozen {
			repriced, err := v.compare(ctx, current, p, own)
			if err != nil {
				return err
			}
			found = append(found, repriced...)
		}
		if err := v.settled(ctx, current, p, own, found); err != nil {
			return err
		}
	}
	return nil
}

// current returns a computation at the current prices, or at those of the account's last bill in the
// bill's currency if the current prices are in another one.
func (v *verifier) current(ctx context.Context) (*computation, error) {
	c, err := v.computation(ctx, "")
	if err != nil || c.table.Currency() == v.bill.Currency {
		return c, err
	}
	last := v.bill
	for i := range v.all {
		if v.all[i].Currency == v.bill.Currency {
			last = &v.all[i]
		}
	}
	return v.computation(ctx, last.PricesHash)
}

// computation returns a computation that compares charges at the prices of a table with bills.
func (v *verifier) computation(ctx context.Context, hash string) (*computation, error) {
	table, err := v.store.reader.Prices(ctx, hash)
	if err != nil {
		return nil, err
	}
	c := &computation{store: v.store, tenant: v.tenant, table: table, accounts: accounts{v.tenant, table.Accounts()},
		before: v.all}
	c.account, err = c.accounts.find(v.bill.Account)
	if err != nil { // the price file no longer has the account: no charge belongs to it
		c.account = Account{ID: v.bill.Account}
	}
	return c, c.findSessions(ctx)
}

// periods returns the bill's own period and the periods of its corrections.
func (v *verifier) periods(c *computation) ([]Period, error) {
	zone, err := time.LoadLocation(v.bill.Timezone)
	if err != nil {
		return nil, err
	}
	c.period, c.bill = Period{Month: v.bill.Period, Start: v.bill.Start, End: v.bill.End, Zone: zone}, v.bill
	own := c.before
	at := slices.IndexFunc(own, func(b Bill) bool { return b.Attempt == v.bill.Attempt })
	c.before = own[:at]
	segments, err := c.segments()
	c.before = own
	list := []Period{c.period}
	for _, p := range segments {
		if len(v.corrected[p.Month]) > 0 {
			list = append(list, p)
		}
	}
	return list, err
}

// compare lists the charges of a period that differ and are not yet listed.
func (v *verifier) compare(ctx context.Context, c *computation, p *Period, bills []Bill) ([]difference, error) {
	r, err := c.compare(ctx, p, bills, c.table.Hash())
	if err != nil {
		return nil, err
	}
	r.list = slices.DeleteFunc(r.list, func(d difference) bool {
		return v.seen[d.chargeID] || p.Month != v.bill.Period && !v.corrected[p.Month][d.chargeID]
	})
	if len(r.list) == 0 {
		return nil, nil
	}
	if err := c.explain(ctx, p, r, []Bill{*v.bill}, c.table.Hash()); err != nil {
		return nil, err
	}
	for i := range r.list {
		d := &r.list[i]
		v.seen[d.chargeID] = true
		v.result.Counts[d.why]++
		if len(v.result.Differences) < maxDifferences {
			v.result.Differences = append(v.result.Differences, r.describe(d, p))
		}
	}
	return r.list, nil
}

func (r *compared) describe(d *difference, p *Period) Difference {
	out := Difference{ChargeID: d.chargeID, Period: p.Month, SessionID: d.session, Why: d.why, Items: []Change{},
		Corrected: []string{}}
	if len(d.rows) > 0 {
		out.At, out.Position = d.rows[0].At, d.rows[0].Position
	}
	for _, i := range d.items {
		var row Row
		r.row(&row, i)
		out.Items = append(out.Items, Change{
			Provider: row.Provider, Model: row.Model, Unit: row.Unit, Price: row.Price, Per: row.Per,
			Quantity: i.quantity, Cost: row.BilledCost, Reason: row.Reason,
		})
	}
	return out
}

// settled sets which bills corrected the found charges, and whether a difference is left.
func (v *verifier) settled(ctx context.Context, c *computation, p *Period, own []Bill, found []difference) error {
	if len(found) == 0 {
		return nil
	}
	left, err := c.compare(ctx, p, v.all, c.table.Hash())
	if err != nil {
		return err
	}
	open := map[string]bool{}
	for i := range left.list {
		open[left.list[i].chargeID] = true
	}
	later := map[string]string{}
	for i := len(own); i < len(v.all); i++ {
		later[v.all[i].Attempt] = v.all[i].Number
	}
	listed := map[string]*Difference{}
	ids := []string{}
	for i := range v.result.Differences {
		if d := &v.result.Differences[i]; d.Period == p.Month {
			d.Settled = !open[d.ChargeID]
			listed[d.ChargeID] = d
			ids = append(ids, d.ChargeID)
		}
	}
	err = v.store.eachRow(ctx, rowsShape{Charges: true},
		query.Args{"tenant": v.tenant, "attempts": attempts(v.all), "charges": ids}, later, func(r *Row) error {
			d := listed[r.ChargeID]
			if d.At.IsZero() {
				d.At, d.Position = r.At, r.Position
			}
			if r.Number != "" && !slices.Contains(d.Corrected, r.Number) {
				d.Corrected = append(d.Corrected, r.Number)
			}
			return nil
		})
	return err
}
