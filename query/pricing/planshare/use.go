package planshare

import (
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
)

// Use is what the price of a plan is for in a report. Cost is the sum of Share, Others and
// Unallocated. Amounts but Price are in the currency of the report.
type Use struct {
	Name   string     `json:"name"`
	Price  cost.Money `json:"price"`  // for a month, as the price file states it
	Months int        `json:"months"` // calendar months of the plan that the report has a part of
	Cost   cost.Money `json:"cost"`   // of these months
	Share  cost.Money `json:"share"`  // falls on calls of the report
	Others cost.Money `json:"others"` // falls on calls of these months that are not in the report
	// Unallocated is the price of months that no call has a share of.
	Unallocated cost.Money `json:"unallocated"`
	// OpenMonth is the month, YYYY-MM, that is not over; null if the report has no part of it. Its price
	// is divided over the calls so far.
	OpenMonth *string `json:"open_month"`
}

// Uses returns what the prices are for in a report on a range, whose cells Share had. A zero time is no
// limit: the first month is then the first with a call, and the last that of now.
func (d *Divider) Uses(from, to, now time.Time) []Use {
	list := []Use{}
	for i := range d.table.Plans() {
		p := &d.table.Plans()[i]
		if !p.MayCover(d.tenant) {
			continue
		}
		list = append(list, d.use(i, p, from, to, now))
	}
	return list
}

func (d *Divider) use(plan int, p *prices.Plan, from, to, now time.Time) Use {
	u := Use{Name: p.Name, Price: cost.Money{Amount: p.Price, Currency: p.Currency}}
	var all, share, others, unallocated decimal.Decimal
	present := prices.MonthOf(now, p.Location())
	first, last := d.within(plan, p, from, to, present)
	for m := first; m <= last; m++ {
		u.Months++
		if m == present {
			name := m.String()
			u.OpenMonth = &name
		}
		price := d.table.PlanPrice(p, m)
		all = all.Add(price)
		if of := d.months[month{plan, m}]; of != nil && of.divides() {
			share, others = share.Add(of.given), others.Add(price.Sub(of.given))
		} else {
			unallocated = unallocated.Add(price)
		}
	}
	u.Cost, u.Share, u.Others, u.Unallocated = *d.money(all), *d.money(share), *d.money(others), *d.money(unallocated)
	return u
}

// within returns the first and the last month of a plan that a report on a range has a part of. The
// last is before the first if there are none.
func (d *Divider) within(plan int, p *prices.Plan, from, to time.Time, present prices.Month) (first, last prices.Month) {
	zone := p.Location()
	counted := false
	first, last = present+1, present
	for key := range d.months {
		if key.plan == plan {
			first, last, counted = min(first, key.Month), max(last, key.Month), true
		}
	}
	begin := from
	if begin.Before(p.Scope.From) {
		begin = p.Scope.From
	}
	switch {
	case !begin.IsZero():
		first = prices.MonthOf(begin, zone)
	case !counted:
		return 1, 0
	}
	for _, end := range []time.Time{to, p.Scope.To} {
		if !end.IsZero() {
			last = min(last, prices.MonthOf(end.Add(-1), zone))
		}
	}
	return first, last
}
