package focus

import "time"

// period is a row of the dataset Billing Period.
type period struct {
	issuer              string
	start, end, updated time.Time
}

// billingPeriod returns the columns of Billing Period, sorted by name. The creation time of a
// period is its start.
func billingPeriod() []column[period] {
	start := func(p *period) string { return moment(p.start) }
	return []column[period]{
		{"BillingPeriodCreated", instant, start},
		{"BillingPeriodEnd", instant, func(p *period) string { return moment(p.end) }},
		{"BillingPeriodLastUpdated", instant, func(p *period) string { return moment(p.updated) }},
		{"BillingPeriodStart", instant, start},
		{"BillingPeriodStatus", text, func(*period) string { return "Closed" }},
		{"InvoiceIssuerName", text, func(p *period) string { return p.issuer }},
	}
}

// periodsOf returns the periods of closed bills without duplicates: bills of several accounts may
// have the same period.
func periodsOf(list []*invoice) []*period {
	var periods []*period
next:
	for _, b := range list {
		for _, p := range periods {
			if p.issuer == b.issuer && p.start.Equal(b.Start) && p.end.Equal(b.End) {
				if b.ClosedAt.After(p.updated) {
					p.updated = *b.ClosedAt
				}
				continue next
			}
		}
		periods = append(periods, &period{b.issuer, b.Start, b.End, *b.ClosedAt})
	}
	return periods
}
