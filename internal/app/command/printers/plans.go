package printers

import (
	"fmt"
	"io"

	"tapedeck/internal/console"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/planshare"
)

// showPlans lists what the prices of plans are for in a report, and writes to notes that a month is not
// over, or that there are no plans. It writes nothing if plans were not asked for.
func showPlans(w, notes io.Writer, list []planshare.Use) error {
	if list == nil {
		return nil
	}
	if len(list) == 0 {
		fmt.Fprintln(console.To(notes), "the price file states no plans; \"tapedeck prices import\" takes a file that does")
		return nil
	}
	fmt.Fprintln(w, "\nPlans: what their prices are for")
	t := console.NewTable(w, "  plan", "a month", "months", "price", "these calls", "other calls", "unallocated")
	open := ""
	for i := range list {
		u := &list[i]
		t.Row("  "+console.Clip(u.Name, 40), Cents(&u.Price), u.Months, Cents(&u.Cost), orZero(&u.Share), orZero(&u.Others),
			orZero(&u.Unallocated))
		if u.OpenMonth != nil {
			open = *u.OpenMonth
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if open != "" {
		fmt.Fprintf(console.To(notes), "%s is not over: the price of the month is divided over the calls so far\n", open)
	}
	return nil
}

// orZero formats an amount, and 0 as a dash.
func orZero(m *cost.Money) string {
	if m.Amount.IsZero() {
		return Unknown
	}
	return money(m)
}
