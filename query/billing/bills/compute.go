package bills

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/report/grouping"
)

// computation computes the rows of a bill.
type computation struct {
	store    *Store
	tenant   string
	table    *prices.Effective
	accounts accounts
	account  Account
	period   Period
	before   []Bill // closed bills of the account, the first period first
	sessions []string
	bill     *Bill
	totals   *totals
	hash     *Hash
	rows     []Row
	take     func(*Row) error // receives each row
	compared []string         // months whose charges were compared with their bills
}

// prepare reads everything that the bill of a period is computed from, except the charges.
func (s *Store) prepare(ctx context.Context, tenant, account, period string) (*computation, error) {
	c := &computation{store: s, tenant: tenant, hash: NewHash(), take: func(*Row) error { return nil }}
	m, err := parseMonth("period", period)
	if err != nil {
		return nil, err
	}
	if c.table, err = s.reader.Prices(ctx, ""); err != nil {
		return nil, err
	}
	c.accounts = accounts{tenant, c.table.Accounts()}
	if c.account, err = c.accounts.find(account); err != nil {
		return nil, err
	}
	if c.before, err = s.Closed(ctx, tenant, c.account.ID); err != nil {
		return nil, err
	}
	slices.Reverse(c.before)
	last, err := c.order(m)
	if err != nil {
		return nil, err
	}
	if c.period, err = c.account.period(m, last); err != nil {
		return nil, err
	}
	return c, c.newBill(ctx)
}

// order returns the last bill of the account, or nil if there is none. It returns an error if the
// month is not the next one to close, or if the last bill is in another currency than the prices.
func (c *computation) order(m month) (*Bill, error) {
	if len(c.before) == 0 {
		return nil, nil
	}
	first, last := &c.before[0], &c.before[len(c.before)-1]
	next, err := parseMonth("period", last.Period)
	if err != nil {
		return nil, err
	}
	next = next.plus(1)
	switch text := m.String(); {
	case slices.ContainsFunc(c.before, func(b Bill) bool { return b.Period == text }):
		i := slices.IndexFunc(c.before, func(b Bill) bool { return b.Period == text })
		return nil, conflict("Period closed",
			"The period "+text+" of "+c.account.ID+" is closed: bill "+c.before[i].Number+".",
			"What changed since becomes a correction in the bill of "+next.String()+".")
	case text < first.Period:
		return nil, conflict("Period before the first bill",
			"The first bill of "+c.account.ID+" is of "+first.Period+".", "Close "+next.String()+" next.")
	case m != next:
		return nil, conflict("Periods not in order", "The last bill of "+c.account.ID+" is of "+last.Period+".",
			"Close "+next.String()+" first.")
	case last.Currency != c.table.Currency():
		return nil, conflict("Bills in another currency",
			fmt.Sprintf("The last bill of %s, %s, is in %s. The prices are in %s.", c.account.ID, last.Number,
				last.Currency, c.table.Currency()),
			fmt.Sprintf("An account stays in one currency. Import a price file in %s (tapedeck prices import) and "+
				"close %s then.", last.Currency, text))
	}
	return last, nil
}

type sessionRow struct {
	ID string `ch:"session_id"`
}

// findSessions looks up the sessions that may have charges of the account. It leaves sessions nil
// if that may be any session.
func (c *computation) findSessions(ctx context.Context) error {
	if c.account.Kind.Tag == "" {
		return nil
	}
	rows, err := query.Ask[sessionRow](ctx, c.store.reader, statements, "account_sessions", nil,
		query.Args{"tenant": c.tenant, "tag": c.account.Kind.Tag, "value": c.account.Value})
	if err != nil {
		return err
	}
	if len(rows) == 0 && len(c.before) == 0 {
		return problem.NotFound("There is no usage of the account " + c.account.ID + ".")
	}
	c.sessions = make([]string, len(rows))
	for i := range rows {
		c.sessions[i] = rows[i].ID
	}
	return nil
}

func (c *computation) newBill(ctx context.Context) error {
	minor, err := prices.MinorUnits(c.table.Currency())
	if err != nil {
		return err
	}
	since := c.period.Start
	if len(c.before) > 0 {
		since = c.before[0].Since
	} else {
		ns, err := c.store.number(ctx, "billing_start", query.Args{"tenant": c.tenant})
		if err != nil {
			return err
		}
		if start := time.Unix(0, int64(ns)).UTC(); ns > 0 && start.Before(since) {
			since = start
		}
	}
	source := c.table.Table().Source
	c.bill = &Bill{
		Prefix: c.account.Kind.Prefix, Account: c.account.ID, AccountName: c.account.Name, Period: c.period.Month,
		Start: c.period.Start, End: c.period.End, Timezone: c.account.Kind.Zone,
		Currency: c.table.Currency(), MinorUnits: minor,
		PricesHash: c.table.Hash(), List: &source, Since: since, Checked: map[string]string{},
	}
	c.totals = newTotals(c.bill)
	return nil
}

// run computes all rows.
func (c *computation) run(ctx context.Context) error {
	segments, err := c.segments()
	if err != nil {
		return err
	}
	// The fingerprints are computed before the sessions and the charges are read: facts that are stored
	// from now on change the fingerprint, and the next bill compares the period again.
	now, err := c.fingerprints(ctx, append(segments, c.period))
	if err != nil {
		return err
	}
	if err := c.findSessions(ctx); err != nil {
		return err
	}
	if err := c.inOrder(ctx); err != nil {
		return err
	}
	err = c.charges(ctx, &c.period, c.table.Hash(), func(charge *charges.Charge) error {
		c.rows = rowsOf(c.rows[:0], charge, &c.period)
		for i := range c.rows {
			if err := c.add(&c.rows[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	was := map[string]string{}
	if n := len(c.before); n > 0 {
		was = c.before[n-1].Checked
	}
	for i := range segments {
		if segments[i].Month != "" && was[segments[i].Month] == now[i] {
			continue
		}
		if err := c.correct(ctx, &segments[i]); err != nil {
			return err
		}
	}
	for i, p := range append(segments, c.period) {
		c.bill.Checked[p.Month] = now[i]
	}
	c.totals.done()
	for i := range c.bill.Lines {
		if l := &c.bill.Lines[i]; l.Class != Correction && !l.Unpriced {
			l.PricedAs = c.table.Inexact(l.Provider, l.Model)
		}
	}
	c.bill.RowsHash = c.hash.Text()
	return nil
}

// add processes the next row of the bill.
func (c *computation) add(r *Row) error {
	r.Ordinal = c.bill.Rows
	c.hash.Add(r)
	c.totals.add(r)
	return c.take(r)
}

// readTogether is the number of charges that the reader passes on at a time.
const readTogether = 256

// charges calls visit with the charges of the account in a period, at the prices of the table with
// the given hash. They are of one snapshot, see charges.Each. The next charges are read and priced
// while visit runs.
func (c *computation) charges(ctx context.Context, p *Period, hash string, visit func(*charges.Charge) error) error {
	q := charges.Query{Tenant: c.tenant, From: p.Start, To: p.End, SessionIDs: c.sessions,
		Pricing: grouping.Pricing{Table: hash}}
	group, ctx := errgroup.WithContext(ctx)
	read := make(chan []*charges.Charge, 4)
	group.Go(func() error {
		defer close(read)
		var list []*charges.Charge
		hand := func() error {
			select {
			case read <- list:
				list = nil
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		err := charges.Each(ctx, c.store.reader, q, func(charge *charges.Charge) error {
			if a, ok := c.accounts.of(charge.Tags); !ok || a.ID != c.account.ID {
				return nil
			}
			if list = append(list, charge); len(list) < readTogether {
				return nil
			}
			return hand()
		})
		if err != nil {
			return err
		}
		return hand()
	})
	group.Go(func() error {
		for list := range read {
			for _, charge := range list {
				if err := visit(charge); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return group.Wait()
}

// segments returns the periods before the bill's own that are checked for corrections: from Since
// on, the closed months and the months for which the account had no bill.
func (c *computation) segments() ([]Period, error) {
	end := c.period.Start
	if len(c.before) > 0 {
		end = c.before[0].Start
	}
	var list []Period
	for start := c.bill.Since; start.Before(end); {
		m := monthOf(start.In(c.period.Zone))
		p := Period{Month: m.String(), Start: start, End: m.plus(1).start(c.period.Zone), Zone: c.period.Zone}
		if p.End.After(end) {
			p.End = end
		}
		list, start = append(list, p), p.End
	}
	for i := range c.before {
		b := &c.before[i]
		zone, err := time.LoadLocation(b.Timezone)
		if err != nil {
			return nil, err
		}
		list = append(list, Period{Month: b.Period, Start: b.Start, End: b.End, Zone: zone})
	}
	return list, nil
}

var errFound = errors.New("a charge was found")

// inOrder returns an error if the account has no bill and has charges between the tenant's first
// bill and the period.
func (c *computation) inOrder(ctx context.Context) error {
	if len(c.before) > 0 || !c.bill.Since.Before(c.period.Start) {
		return nil
	}
	var first time.Time
	err := c.charges(ctx, &Period{Start: c.bill.Since, End: c.period.Start}, "", func(charge *charges.Charge) error {
		first = charge.At
		return errFound
	})
	if errors.Is(err, errFound) {
		m := monthOf(first.In(c.period.Zone)).String()
		return conflict("Periods not in order", "The account "+c.account.ID+" has charges of "+m+" and no bill of it.",
			"Close "+m+" first.")
	}
	return err
}
