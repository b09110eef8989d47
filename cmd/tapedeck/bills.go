package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/query/bills"
)

// billsCommand works with the bills of accounts.
type billsCommand struct {
	List    billsList    `cmd:"" default:"withargs" help:"List the periods of billing accounts: open, draft and closed."`
	Preview billsPreview `cmd:"" help:"Show the bill of a period as it would be closed now, with its corrections."`
	Close   billsClose   `cmd:"" help:"Close a period: its bill never changes afterwards."`
	Show    billsShow    `cmd:"" help:"Show a closed bill."`
	Verify  billsVerify  `cmd:"" help:"Compute a closed bill anew and say where and why it differs. The exit code is 1 if it does."`
	Export  billsExport  `cmd:"" help:"Export closed bills for other tools: as FOCUS, the FinOps Open Cost and Usage Specification; or a bill with its evidence."`
}

type billsList struct {
	Account string `help:"Only this account: tenant, or a tag and its value, as customer=c1." placeholder:"ID"`
	State   string `help:"Only these: open, draft, closed." placeholder:"STATE"`
	From    string `help:"The first month. Default: a year before the last." placeholder:"2026-01"`
	To      string `help:"The last month. Default: the current one." placeholder:"2026-10"`
}

// Run prints the periods.
func (c *billsList) Run(ctx context.Context, g *global) error {
	q := url.Values{}
	setAll(q, map[string][]string{"account": {c.Account}, "state": {c.State}, "from": {c.From}, "to": {c.To}})
	var list bills.List
	if done, err := g.fetch(ctx, "v1/bills", q, &list); done || err != nil {
		return err
	}
	t := console.NewTable(os.Stdout, "account", "period", "state", "bill", "total", "cost so far", "unpriced", "closable from")
	for i := range list.Items {
		item := &list.Items[i]
		total, so, number, closable := "", "", "", ""
		if item.Total != nil {
			total, number = item.Total.StringFixed(item.MinorUnits)+" "+item.Currency, *item.Number
		} else {
			closable = console.LocalTime(item.ClosableAt)
		}
		if item.Cost != nil {
			so = exact(item.Cost.Amount.Round(6), item.MinorUnits) + " " + item.Cost.Currency
		}
		t.Row(console.Clip(item.Account, 40), item.Period, string(item.State), number, total, so, console.Thousands(item.Unpriced), closable)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, u := range list.Unbilled {
		fmt.Fprintf(console.To(os.Stderr), "%s calls of %s belong to no account of the price file\n", console.Thousands(u.Calls), u.Period)
	}
	return nil
}

// billPeriod names a period of an account.
type billPeriod struct {
	Period  string `arg:"" help:"The month, as 2026-10."`
	Account string `help:"The account: tenant, or a tag and its value, as customer=c1." default:"tenant" placeholder:"ID"`
}

func (p *billPeriod) values() url.Values {
	return url.Values{"period": {p.Period}, "account": {p.Account}}
}

type billsPreview struct{ billPeriod }

// Run prints the bill as it would be.
func (c *billsPreview) Run(ctx context.Context, g *global) error {
	var p bills.Preview
	if done, err := g.fetch(ctx, "v1/bills/preview", c.values(), &p); done || err != nil {
		return err
	}
	out := console.To(os.Stdout)
	fmt.Fprintf(out, "%s  %s  preview\n", p.AccountName, p.Period)
	if err := printBill(out, &p.Bill); err != nil || len(p.CorrectionRows) == 0 {
		return err
	}
	fmt.Fprintln(out)
	t := console.NewTable(os.Stdout, "corrected", "why", "session", "model", "unit", "quantity", "cost")
	for i := range p.CorrectionRows {
		r := &p.CorrectionRows[i]
		t.Row(r.Period, string(r.Note), console.Clip(r.SessionID, 40), orDash(r.Model), r.Unit, r.Quantity.String(), nullText(r.BilledCost, p.MinorUnits, r.Reason))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if n := uint64(len(p.CorrectionRows)); n < p.Corrections {
		fmt.Fprintf(os.Stderr, "%d more corrections are not shown\n", p.Corrections-n)
	}
	return nil
}

// nullText returns an amount of a currency with this many minor units, or what stands for none.
func nullText(d decimal.NullDecimal, minor int32, none string) string {
	if !d.Valid {
		return none
	}
	return exact(d.Decimal, minor)
}

// exact writes all digits of an amount, and at least those of the currency's minor unit.
func exact(d decimal.Decimal, minor int32) string {
	if d.Equal(d.Round(minor)) {
		return d.StringFixed(minor)
	}
	return d.String()
}

// printBill prints the lines and the sums of a bill.
func printBill(out io.Writer, b *bills.Bill) error {
	t := console.NewTable(os.Stdout, "charges of", "provider", "model", "unit", "quantity", "cost", "amount")
	for i := range b.Lines {
		l := &b.Lines[i]
		period, amount := l.Period, l.Amount.StringFixed(b.MinorUnits)
		if l.Class == bills.Correction {
			period += " (correction)"
		}
		if l.Unpriced {
			amount = "no price"
		}
		t.Row(period, orDash(l.Provider), orDash(l.Model), l.Unit, l.Quantity.String(), exact(l.Cost, b.MinorUnits), amount)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "total %s %s (exact %s, residual %s)\n", b.Total.StringFixed(b.MinorUnits), b.Currency,
		exact(b.BilledCost, b.MinorUnits), exact(b.Residual, b.MinorUnits))
	fmt.Fprintf(out, "%s in %s, %s, of which %s correct earlier bills; %s without a price\n",
		console.Count(b.Charges, "charge"), b.Timezone, console.Count(b.Rows, "row"), console.Thousands(b.Corrections), console.Count(b.Unpriced, "charge"))
	fmt.Fprintf(out, "rows %s\nprices %s\n", b.RowsHash, b.PricesHash)
	return nil
}

type billsClose struct{ billPeriod }

// Run closes the period.
func (c *billsClose) Run(ctx context.Context, g *global) error {
	cl, err := g.client()
	if err != nil {
		return err
	}
	cl.Wait() // the answer is sent when the bill is closed
	body, err := cl.Open(ctx, http.MethodPost, "v1/bills", c.values(), "application/json")
	if err != nil {
		return err
	}
	defer body.Close()
	if g.JSON {
		_, err = io.Copy(os.Stdout, body)
		return err
	}
	var b bills.Bill
	if err := json.NewDecoder(body).Decode(&b); err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	return printClosed(&b)
}

// printClosed prints a closed bill.
func printClosed(b *bills.Bill) error {
	out := console.To(os.Stdout)
	fmt.Fprintf(out, "%s  %s  %s  closed %s\n", b.Number, b.AccountName, b.Period, b.ClosedAt.Format(time.RFC3339))
	return printBill(out, b)
}

// billPath returns the route of a bill.
func billPath(number, rest string) (string, error) {
	if number == "" {
		return "", usage.Errorf("name a bill: \"tapedeck bills list --state closed\" lists those there are")
	}
	return "v1/bills/" + url.PathEscape(number) + rest, nil
}

type billsShow struct {
	Number string `arg:"" help:"The bill."`
}

// Run prints the bill.
func (c *billsShow) Run(ctx context.Context, g *global) error {
	path, err := billPath(c.Number, "")
	if err != nil {
		return err
	}
	var b bills.Bill
	if done, err := g.fetch(ctx, path, nil, &b); done || err != nil {
		return err
	}
	return printClosed(&b)
}
