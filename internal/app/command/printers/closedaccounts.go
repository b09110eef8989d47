package printers

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tapedeck/internal/console"
	"tapedeck/query/billing/bills"
)

// ClosedAccount is the outcome of closing a period of an account.
type ClosedAccount struct {
	Account string      `json:"account"`
	Period  string      `json:"period"`
	DryRun  bool        `json:"dry_run"` // the period was not closed; the bill is a preview
	Bill    *bills.Bill `json:"bill"`    // null if there is an error
	Error   string      `json:"error,omitempty"`
}

// ClosedAccounts writes the bills of several accounts, and to notes why some accounts have no bill,
// which models have no price, and which earlier months have no bill.
func ClosedAccounts(out, notes io.Writer, list []ClosedAccount) error {
	t := console.NewTable(out, "account", "period", "bill", "total", "charges", "unpriced", "corrections")
	for i := range list {
		c := &list[i]
		b := c.Bill
		if b == nil || c.Error != "" {
			not := "not closed"
			if c.DryRun {
				not = "would not be closed"
			}
			t.Row(console.Clip(c.Account, 40), c.Period, not, "", "", "", "")
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
		} else if b := list[i].Bill; b != nil {
			noteUnpriced(notes, list[i].Account, b)
			noteNeverBilled(notes, list[i].Account, b)
		}
	}
	return nil
}

// unpricedNamed is the number of models without a price that a note names.
const unpricedNamed = 10

// noteUnpriced names the models of a bill's charges that have no price.
func noteUnpriced(notes io.Writer, account string, b *bills.Bill) {
	if b.Unpriced == 0 {
		return
	}
	var models []string
	for i := range b.Lines {
		l := &b.Lines[i]
		model := OrDash(l.Provider) + "/" + OrDash(l.Model)
		if l.Unpriced && l.Class != bills.Correction && !slices.Contains(models, model) {
			models = append(models, model)
		}
	}
	more := ""
	if n := len(models) - unpricedNamed; n > 0 {
		models, more = models[:unpricedNamed], fmt.Sprintf(" and %d more", n)
	}
	fmt.Fprintf(console.To(notes),
		"%s: %s without a price, of %s%s: \"tapedeck prices list --unmatched\" has the nearest ids\n", account, console.Count(b.Unpriced, "charge"), strings.Join(models, ", "), more)
}

// noteNeverBilled names the earlier months that the account's first bill leaves without a bill.
func noteNeverBilled(notes io.Writer, account string, b *bills.Bill) {
	if len(b.NeverBilled) == 0 {
		return
	}
	holds := "that no bill holds"
	if b.ClosedAt == nil {
		holds = "that no bill will hold once " + b.Period + " is closed: close " + b.NeverBilled[0].Period + " first"
	}
	fmt.Fprintf(console.To(notes), "%s: %s %s\n", account, bills.NeverBilledText(b.NeverBilled), holds)
}
