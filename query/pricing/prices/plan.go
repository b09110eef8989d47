package prices

import (
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/internal/calendar"
)

// Plan is a subscription with a price for each calendar month, whatever the calls cost that it
// covers. It changes no price of a call.
type Plan struct {
	Name     string          `json:"name"`
	Scope    Scope           `json:"scope,omitzero"` // the calls that it covers
	Price    decimal.Decimal `json:"price"`          // for a month
	Currency string          `json:"currency"`       // ISO 4217: that of the price file, or USD
	Zone     string          `json:"zone"`           // IANA name of the zone of the months

	zone *time.Location
}

// Month is a calendar month: the months since January of the year 0.
type Month int

// MonthOf returns the month of a time in a zone.
func MonthOf(at time.Time, zone *time.Location) Month {
	year, month, _ := at.In(zone).Date()
	return Month(year*12 + int(month) - 1)
}

// Start returns the first instant of the month in a zone.
func (m Month) Start(zone *time.Location) time.Time {
	return calendar.StartOf(time.Date(int(m)/12, time.Month(m%12)+1, 1, 0, 0, 0, 0, time.UTC), zone)
}

// String returns the month as YYYY-MM.
func (m Month) String() string { return fmt.Sprintf("%04d-%02d", int(m)/12, int(m)%12+1) }

// PlanDecimals is the number of decimal places of the price of a month in the currency of the
// table, as many as numbers of price files have.
const PlanDecimals = 12

// Location returns the zone of the months.
func (p *Plan) Location() *time.Location { return p.zone }

// MayCover reports whether the plan can cover calls of a tenant.
func (p *Plan) MayCover(tenant string) bool {
	return len(p.Scope.Tenant) == 0 || slices.Contains(p.Scope.Tenant, tenant)
}

// locate returns the plans with their zones.
func locate(plans []Plan) ([]Plan, error) {
	plans = slices.Clone(plans)
	for i := range plans {
		p := &plans[i]
		var err error
		if p.zone, err = time.LoadLocation(p.Zone); err != nil {
			return nil, fmt.Errorf("zone %s of the plan %s of the price file: %w", p.Zone, p.Name, err)
		}
	}
	return plans, nil
}

// Plans returns the plans of the price file. The caller must not change them.
func (e *Effective) Plans() []Plan { return e.plans }

// PlanOf returns the index of the plan that covers a call: the last one whose scope matches; -1 if
// there is none.
func (e *Effective) PlanOf(call Call, inputTokens int64) int {
	s, _ := e.subject(call, decimal.NewFromInt(inputTokens))
	for i := len(e.plans) - 1; i >= 0; i-- {
		if e.plans[i].Scope.holds(s) {
			return i
		}
	}
	return -1
}

// PlanPrice returns the price of a plan for a month in the currency of the table. A price in USD is
// converted at the rate at the beginning of the month, or at the first rate if that is later.
func (e *Effective) PlanPrice(p *Plan, m Month) decimal.Decimal {
	if p.Currency == e.Currency() {
		return p.Price
	}
	o := e.content.Operator
	rate, ok := o.rate(m.Start(p.zone))
	if !ok {
		rate = o.Rates[0].Dollar
	}
	return p.Price.Mul(rate).Round(PlanDecimals)
}

// Listed returns the table and the overlay without the operator's prices: list prices in USD, with the
// same plans. Its Splits also tell apart the calls of different plans. It is nil if there are no
// plans, and it has no text and no hash.
func (e *Effective) Listed() *Effective { return e.listed }

// usePlans sets what the plans of the operator need.
func (e *Effective) usePlans() (err error) {
	o := e.content.Operator
	if o == nil || len(o.Plans) == 0 {
		return nil
	}
	if e.plans, err = locate(o.Plans); err != nil {
		return err
	}
	e.listed = &Effective{content: content{Table: e.content.Table, Overlay: e.content.Overlay}, plans: e.plans, splitPlans: true}
	e.listed.splits = e.listed.findSplits()
	return nil
}
