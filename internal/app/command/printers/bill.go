package printers

import (
	"fmt"
	"io"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/internal/console"
	"tapedeck/query/billing/bills"
)

// ClosedBill writes a closed bill, and to notes which earlier months it left without a bill.
func ClosedBill(w, notes io.Writer, b *bills.Bill) error {
	out := console.To(w)
	closed := "not closed"
	if b.ClosedAt != nil {
		closed = "closed " + b.ClosedAt.Format(time.RFC3339)
	}
	fmt.Fprintf(out, "%s  %s  %s  %s\n", b.Number, b.AccountName, b.Period, closed)
	err := printBill(out, b)
	noteNeverBilled(notes, b.Account, b)
	return err
}

// Bills writes the periods of billing accounts, and to notes the calls that belong to no account
// and the usage that no bill holds.
func Bills(out, notes io.Writer, list *bills.List) error {
	t := console.NewTable(out, "account", "period", "state", "bill", "total", "cost so far", "unpriced",
		"closable from")
	t.Optional("unpriced", "closable from")
	for i := range list.Items {
		item := &list.Items[i]
		total, so, number, closable := "", "", "", ""
		if item.Total != nil && item.Number != nil {
			total, number = item.Total.StringFixed(item.MinorUnits)+" "+item.Currency, *item.Number
		} else {
			closable = console.LocalTime(item.ClosableAt)
		}
		if item.Total == nil && item.Amount != nil {
			if so = item.Amount.StringFixed(item.MinorUnits) + " " + item.Currency; item.Unpriced > 0 {
				so = ">" + so // with the calls that have no price it would be greater
			}
		} else if item.Unpriced > 0 && item.Total == nil {
			so = "no price"
		}
		t.Row(console.Clip(item.Account, 40), item.Period, string(item.State), number, total, so,
			console.Thousands(item.Unpriced), closable)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, u := range list.Unbilled {
		fmt.Fprintf(console.To(notes), "%s calls of %s belong to no account of the price file\n",
			console.Thousands(u.Calls), u.Period)
	}
	for never := list.NeverBilled; len(never) > 0; {
		n := 1 // the months of the account
		for n < len(never) && never[n].Account == never[0].Account {
			n++
		}
		fmt.Fprintf(console.To(notes), "%s: %s that no bill holds, before its first bill\n", never[0].Account, bills.NeverBilledText(never[:n]))
		never = never[n:]
	}
	return nil
}

// BillPreview writes a preview of a bill with its corrections, and to notes how many corrections
// are left out, and which earlier months would have no bill.
func BillPreview(w, notes io.Writer, p *bills.Preview) error {
	out := console.To(w)
	fmt.Fprintf(out, "%s  %s  preview\n", p.AccountName, p.Period)
	err := printBill(out, &p.Bill)
	noteNeverBilled(notes, p.Account, &p.Bill)
	if err != nil || len(p.CorrectionRows) == 0 {
		return err
	}
	fmt.Fprintln(out)
	t := console.NewTable(w, "corrected", "why", "session", "model", "unit", "quantity", "cost")
	for i := range p.CorrectionRows {
		r := &p.CorrectionRows[i]
		t.Row(r.Period, string(r.Note), console.Clip(r.SessionID, 40), OrDash(r.Model), r.Unit,
			r.Quantity.String(), nullText(r.BilledCost, p.MinorUnits, r.Reason))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if n := uint64(len(p.CorrectionRows)); n < p.Corrections {
		fmt.Fprintf(notes, "%d more corrections are not shown\n", p.Corrections-n)
	}
	return nil
}

// nullText formats an amount of a currency with minor decimal places, or returns none if there is
// no amount.
func nullText(d decimal.NullDecimal, minor int32, none string) string {
	if !d.Valid {
		return none
	}
	return exact(d.Decimal, minor)
}

// exact formats all digits of an amount, and at least the digits of the currency's minor unit.
func exact(d decimal.Decimal, minor int32) string {
	if d.Equal(d.Round(minor)) {
		return d.StringFixed(minor)
	}
	return d.String()
}

// printBill prints the lines and the sums of a bill.
func printBill(out io.Writer, b *bills.Bill) error {
	columns := []string{"charges of", "provider", "model", "unit", "quantity", "cost", "amount"}
	if b.By != "" {
		columns = append([]string{b.By}, columns...)
	}
	t := console.NewTable(out, columns...)
	t.Optional("provider", "cost")
	for i := range b.Lines {
		l := &b.Lines[i]
		period, model := l.Period, OrDash(l.Model)
		cost, amount := exact(l.Cost, b.MinorUnits), l.Amount.StringFixed(b.MinorUnits)
		if l.Class == bills.Correction {
			period += " (correction)"
		}
		if l.Unpriced {
			cost, amount = "no price", "no price"
		}
		if l.PricedAs != "" {
			model += " (priced as " + l.PricedAs + ")"
		}
		cells := []any{period, OrDash(l.Provider), model, l.Unit, l.Quantity.String(), cost, amount}
		if b.By != "" {
			cells = append([]any{console.Clip(OrDash(l.TagValue), 40)}, cells...)
		}
		t.Row(cells...)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	more := ""
	if b.Unpriced > 0 && b.ClosedAt == nil {
		more = ">" // with the charges that have no price it would be greater
	}
	fmt.Fprintf(out, "total %s%s %s (exact %s, residual %s)\n", more, b.Total.StringFixed(b.MinorUnits), b.Currency,
		exact(b.BilledCost, b.MinorUnits), exact(b.Residual, b.MinorUnits))
	fmt.Fprintf(out, "%s in %s, %s, of which %s correct earlier bills; %s without a price\n",
		console.Count(b.Charges, "charge"), b.Timezone, console.Count(b.Rows,
			"row"), console.Thousands(b.Corrections), console.Count(b.Unpriced, "charge"))
	fmt.Fprintf(out, "rows %s\nprices %s\n", b.RowsHash, b.PricesHash)
	if b.List != nil {
		fmt.Fprintf(out, "list prices of %s %s, %s\n", b.List.Package, b.List.Version, b.List.Date)
	}
	return nil
}
