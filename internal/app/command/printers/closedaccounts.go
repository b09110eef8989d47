package printers

import (
	"fmt"
	"io"

	"tapedeck/internal/console"
	"tapedeck/query/billing/bills"
)

// ClosedAccount is what became of a period of an account that was to be closed.
type ClosedAccount struct {
	Account string      `json:"account"`
	Period  string      `json:"period"`
	DryRun  bool        `json:"dry_run"` // the bill is what it would be
	Bill    *bills.Bill `json:"bill"`    // null if there is an error
	Error   string      `json:"error,omitempty"`
}

// ClosedAccounts writes the bills of several accounts, and on notes why some have none.
func ClosedAccounts(out, notes io.Writer, list []ClosedAccount) error {
	t := console.NewTable(out, "account", "period", "bill", "total", "charges", "unpriced", "corrections")
	for i := range list {
		c := &list[i]
		b := c.Bill
		if b == nil || c.Error != "" {
			t.Row(console.Clip(c.Account, 40), c.Period, "not closed", "", "", "", "")
			continue
		}
		number, total := b.Number, b.Total.StringFixed(b.MinorUnits)+" "+b.Currency
		if c.DryRun {
			number = "would be closed"
			if b.Unpriced > 0 {
				total = ">" + total // with the charges that have no price it would be greater
			}
		}
		t.Row(console.Clip(c.Account, 40), c.Period, number, total, console.Thousands(b.Charges),
			console.Thousands(b.Unpriced), console.Thousands(b.Corrections))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i := range list {
		if list[i].Error != "" {
			fmt.Fprintf(console.To(notes), "%s: %s\n", list[i].Account, list[i].Error)
		}
	}
	return nil
}
