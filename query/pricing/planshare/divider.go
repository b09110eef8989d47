// Package planshare divides the prices of plans over the calls that they cover.
//
// The price of a plan for a calendar month is divided over its calls of the month in proportion to
// their list costs: the costs by the price table and the overlay, in US dollars. A call whose list
// cost is unknown has no share. If no call of the month has a list cost above 0, the price is divided
// in proportion to tokens, and if there are no tokens either, it is not divided.
//
// A share is what the price of all calls up to a row, rounded to prices.PlanDecimals, is more than
// that of all calls up to the row before. So the shares of all rows add up to the price, and those of
// a part of the rows to the rounded share of these rows together, however they are grouped.
package planshare

import (
	"math"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
)

// Divider divides the prices of the plans of a tenant over the cells of a report. Count is called
// first, with the cells of all calls in Range, then Share with the cells of the report. It is not
// safe for concurrent use.
type Divider struct {
	table  *prices.Effective
	tenant string
	months map[month]*dividend
}

// month is a month of the plan with an index.
type month struct {
	plan int
	prices.Month
}

// dividend is what the price of a month is divided by.
type dividend struct {
	whole, passed weight // of all calls, and of those whose share is known
	price, given  decimal.Decimal
}

// weight is by what a price is divided.
type weight struct {
	list   decimal.Decimal // the list costs, USD
	tokens int64
}

// Covers reports whether a table has plans that may cover calls of a tenant.
func Covers(table *prices.Effective, tenant string) bool {
	for i := range table.Plans() {
		if table.Plans()[i].MayCover(tenant) {
			return true
		}
	}
	return false
}

// New returns a divider of the prices of the plans that may cover calls of a tenant.
func New(table *prices.Effective, tenant string) *Divider {
	return &Divider{table: table, tenant: tenant, months: map[month]*dividend{}}
}

// Zones returns the zones of months of the plans that may cover calls of a tenant. The calls of a
// cell must be of one month in each of them.
func Zones(table *prices.Effective, tenant string) (zones []string) {
	known := map[string]bool{}
	for i := range table.Plans() {
		if p := &table.Plans()[i]; p.MayCover(tenant) && !known[p.Zone] {
			known[p.Zone], zones = true, append(zones, p.Zone)
		}
	}
	return zones
}

// Range returns a range with all calls that the price of a month is divided over, of a report on the
// range from from to to. A zero time is no limit.
func (d *Divider) Range(from, to time.Time) (first, last time.Time) {
	const near = 24 * time.Hour // a zone may have no midnight on the first of a month
	for i := range d.table.Plans() {
		p := &d.table.Plans()[i]
		if !p.MayCover(d.tenant) {
			continue
		}
		zone := p.Location()
		if !from.IsZero() {
			if at := prices.MonthOf(from, zone).Start(zone).Add(-near); first.IsZero() || at.Before(first) {
				first = at
			}
		}
		if !to.IsZero() {
			if at := (prices.MonthOf(to, zone) + 1).Start(zone).Add(near); at.After(last) {
				last = at
			}
		}
	}
	return inReach(first), inReach(last)
}

// inReach returns a time, or no limit where the time in ns is beyond an int64.
func inReach(at time.Time) time.Time {
	if at.Before(time.Unix(0, math.MinInt64)) || at.After(time.Unix(0, math.MaxInt64)) {
		return time.Time{}
	}
	return at
}

// Count counts the calls of a cell, which list prices.
func (d *Divider) Count(list *cost.Pricer, c *cost.Cell) {
	key, covered := d.monthOf(list, c)
	if !covered {
		return
	}
	of := d.months[key]
	if of == nil {
		of = &dividend{price: d.table.PlanPrice(&d.table.Plans()[key.plan], key.Month)}
		d.months[key] = of
	}
	of.whole.add(list, c)
}

// Share returns what of the price of its plan falls on the calls of a cell, which list prices; nil
// if no plan covers them.
func (d *Divider) Share(list *cost.Pricer, c *cost.Cell) *cost.Money {
	key, covered := d.monthOf(list, c)
	if !covered {
		return nil
	}
	share := decimal.Zero
	if of := d.months[key]; of != nil { // nil for calls that were stored after Count
		of.passed.add(list, c)
		given := of.divide()
		share, of.given = given.Sub(of.given), given
	}
	return d.money(share)
}

func (d *Divider) money(amount decimal.Decimal) *cost.Money {
	return &cost.Money{Amount: amount, Currency: d.table.Currency()}
}

// monthOf returns the month of the plan that covers the calls of a cell.
func (d *Divider) monthOf(list *cost.Pricer, c *cost.Cell) (key month, covered bool) {
	plan := list.PlanOf(c)
	if plan < 0 {
		return key, false
	}
	at := time.Unix(0, c.At)
	return month{plan, prices.MonthOf(at, d.table.Plans()[plan].Location())}, true
}

// add adds the calls of a cell. Records with impossible numbers of tokens have no weight.
func (w *weight) add(list *cost.Pricer, c *cost.Cell) {
	if !c.Valid {
		return
	}
	if known := list.Of(c).Cost; known != nil {
		w.list = w.list.Add(known.Amount)
	}
	w.tokens += c.Tokens()
}

// divides reports whether the price is divided: whether there is something to divide it by.
func (v *dividend) divides() bool { return v.whole.list.IsPositive() || v.whole.tokens > 0 }

// divide returns what of the price falls on the calls that passed. It is at most the price, also
// if calls were stored after they were counted.
func (v *dividend) divide() decimal.Decimal {
	part, whole := v.passed.list, v.whole.list
	if !whole.IsPositive() {
		part, whole = decimal.NewFromInt(v.passed.tokens), decimal.NewFromInt(v.whole.tokens)
	}
	if !whole.IsPositive() {
		return decimal.Zero
	}
	return v.price.Mul(decimal.Min(part, whole)).DivRound(whole, prices.PlanDecimals)
}
