package bills

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tapedeck/internal/problem"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/sessionfilter"
)

// NeverBilled is usage of a month of an account that no bill holds: the month is before the
// account's first bill, and before the time from which bills are corrected.
type NeverBilled struct {
	Account  string      `json:"account"`
	Period   string      `json:"period"`   // in the account's zone
	Calls    uint64      `json:"calls"`    // as stored now, including unpriced calls
	Unpriced uint64      `json:"unpriced"` // number of calls without a price
	Cost     *cost.Money `json:"cost"`     // as priced now; null while no call has a price
}

// neverBilled collects usage by account and period.
type neverBilled map[string]*NeverBilled

func (n neverBilled) add(account, period string, row *usagereport.Row) {
	key := itemKey(account, period)
	m := n[key]
	if m == nil {
		m = &NeverBilled{Account: account, Period: period}
		n[key] = m
	}
	m.Calls += row.Calls
	m.Unpriced += row.UnpricedCalls
	m.Cost = cost.Sum(m.Cost, row.Cost)
}

// list returns the usage by account and period.
func (n neverBilled) list() []NeverBilled {
	list := make([]NeverBilled, 0, len(n))
	for _, m := range slices.SortedFunc(maps.Values(n), func(a, b *NeverBilled) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Period, b.Period))
	}) {
		list = append(list, *m)
	}
	return list
}

// periodsNamed is the number of periods that NeverBilledText names.
const periodsNamed = 12

// NeverBilledText describes the usage of an account, as
// "2 earlier months (2025-07, 2025-08) have usage of 0.32 USD".
func NeverBilledText(list []NeverBilled) string {
	var periods []string
	var amount *cost.Money
	unpriced := uint64(0)
	for i := range list {
		if i < periodsNamed {
			periods = append(periods, list[i].Period)
		}
		unpriced += list[i].Unpriced
		amount = cost.Sum(amount, list[i].Cost)
	}
	if more := len(list) - periodsNamed; more > 0 {
		periods = append(periods, fmt.Sprintf("and %d more", more))
	}
	text := "1 earlier month (%s) has "
	if len(list) != 1 {
		text = fmt.Sprintf("%d earlier months (%%s) have ", len(list))
	}
	text = fmt.Sprintf(text, strings.Join(periods, ", "))
	var usage []string
	if amount != nil {
		usage = append(usage, "usage of "+rounded(amount))
	}
	switch {
	case unpriced == 1:
		usage = append(usage, "1 call without a price")
	case unpriced > 0:
		usage = append(usage, fmt.Sprintf("%d calls without a price", unpriced))
	case amount == nil:
		usage = append(usage, "usage")
	}
	return text + strings.Join(usage, " and ")
}

// rounded formats an amount with the decimal places of its currency, or with all digits if it is
// less than half of the currency's smallest unit.
func rounded(m *cost.Money) string {
	minor, err := prices.MinorUnits(m.Currency)
	if err != nil || m.Amount.Round(minor).IsZero() && !m.Amount.IsZero() {
		return m.Amount.String() + " " + m.Currency
	}
	return m.Amount.StringFixed(minor) + " " + m.Currency
}

// findNeverBilled looks up the earlier months of the account whose usage no bill will hold once this
// bill, the first one of the account, is closed.
func (c *computation) findNeverBilled(ctx context.Context) error {
	if len(c.before) > 0 {
		return nil
	}
	by := []string{}
	filter := &sessionfilter.Filter{}
	for _, tag := range c.accounts.tags() {
		by = append(by, grouping.TagPrefix+tag)
		if c.account.Kind.Tag == "" { // the sessions of the tenant's account have none of the tags
			filter.Tags = append(filter.Tags, sessionfilter.TagFilter{Key: tag})
		}
	}
	if c.account.Kind.Tag != "" {
		filter.Tags = []sessionfilter.TagFilter{{Key: c.account.Kind.Tag, Value: c.account.Value}}
	}
	if filter.IsEmpty() {
		filter = nil
	}
	r, err := usagereport.Read(ctx, c.store.reader, usagereport.Query{
		Tenant: c.tenant, To: c.bill.Since, Zone: c.period.Zone, Granularity: grouping.Monthly, GroupBy: by,
		Sessions: filter,
	})
	if err != nil {
		return fmt.Errorf("usage before %s: %w", c.period.Month, err)
	}
	found := neverBilled{}
	for i := range r.Items {
		if a, ok := c.accounts.of(tagsOf(&r.Items[i])); ok && a.ID == c.account.ID {
			found.add(a.ID, *r.Items[i].Name, &r.Items[i])
		}
	}
	if len(found) > 0 {
		c.bill.NeverBilled = found.list()
	}
	return nil
}

// tagsOf returns the tags of a row of a report that is grouped by tags.
func tagsOf(row *usagereport.Row) map[string]string {
	tags := map[string]string{}
	for by, value := range row.Group {
		if value != nil {
			tags[strings.TrimPrefix(by, grouping.TagPrefix)] = *value
		}
	}
	return tags
}

// leavesEarlier returns a problem if the bill would leave earlier months without a bill.
func (c *computation) leavesEarlier() error {
	list := c.bill.NeverBilled
	if len(list) == 0 {
		return nil
	}
	return &problem.Problem{
		Title: "Earlier months without a bill", Status: 409,
		Detail: NeverBilledText(list) + " that no bill will hold.",
		Hint: fmt.Sprintf("The first bill of an account ends its earlier months. Close %s first, or leave all of them "+
			"without a bill: leave_earlier=1 (tapedeck bills close --leave-earlier).", list[0].Period),
	}
}
