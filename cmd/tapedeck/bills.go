package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/query/billing/bills"
)

// billsCommand works with the bills of accounts.
type billsCommand struct {
	List    billsList    `cmd:"" default:"withargs" help:"List the periods of billing accounts: open, draft and closed."`
	Preview billsPreview `cmd:"" help:"Show the bill of a period as it would be closed now, with its corrections."`
	Close   billsClose   `cmd:"" help:"Close a period: its bill never changes afterwards."`
	Show    billsShow    `cmd:"" help:"Show a closed bill."`
	Verify  billsVerify  `cmd:"" help:"Compute a closed bill anew and say where and why it differs. The exit code is 1 if it does."`
	Invoice billsInvoice `cmd:"" help:"Write a closed bill as an HTML page for the customer, which prints."`
	Export  billsExport  `cmd:"" help:"Export closed bills for other tools: as FOCUS, the FinOps Open Cost and Usage Specification; or a bill with its evidence."`
}

type billsList struct {
	Account string    `help:"Only this account: tenant, or a tag and its value, as customer=c1." placeholder:"ID"`
	State   string    `help:"Only these: open, draft, closed." placeholder:"STATE"`
	From    monthFlag `help:"The first month, this-month or last-month. Default: a year before the last." placeholder:"2026-01"`
	To      monthFlag `help:"The last month, this-month or last-month. Default: the current one." placeholder:"2026-10"`
}

// Run prints the periods.
func (c *billsList) Run(ctx context.Context, g *global) error {
	q := url.Values{}
	setAll(q, map[string][]string{"account": {c.Account}, "state": {c.State}, "from": {string(c.From)}, "to": {string(c.To)}})
	var list bills.List
	if done, err := g.fetch(ctx, "v1/bills", q, &list); done || err != nil {
		return err
	}
	return printers.Bills(os.Stdout, os.Stderr, &list)
}

// billPeriod names a period of an account.
type billPeriod struct {
	Period  monthFlag `arg:"" help:"The month, as 2026-10, this-month or last-month, which are months in UTC."`
	Account string    `help:"The account: tenant, or a tag and its value, as customer=c1. Default: tenant." placeholder:"ID"`
}

func (p *billPeriod) values() url.Values {
	return url.Values{"period": {string(p.Period)}, "account": {p.account()}}
}

// account returns the named account, or the tenant's own.
func (p *billPeriod) account() string { return cmp.Or(p.Account, "tenant") }

// billSplit selects a tag; a bill has separate lines for its values.
type billSplit struct {
	By string `help:"Lines apart by the values of this tag, with a column for it, as customer where a bill holds several. The sums stay the same." placeholder:"TAG"`
}

func (s *billSplit) values() url.Values {
	q := url.Values{}
	setAll(q, map[string][]string{"by": {s.By}})
	return q
}

type billsPreview struct {
	billPeriod
	billSplit
}

// Run prints a preview of the bill.
func (c *billsPreview) Run(ctx context.Context, g *global) error {
	var p bills.Preview
	q := c.billPeriod.values()
	maps.Copy(q, c.billSplit.values())
	if done, err := g.fetch(ctx, "v1/bills/preview", q, &p); done || err != nil {
		return err
	}
	return printers.BillPreview(os.Stdout, os.Stderr, &p)
}

type billsClose struct {
	billPeriod
	All          bool `help:"Close the period of all accounts that have usage or an earlier bill."`
	DryRun       bool `help:"Only show what the bills would be, with the models that have no price, or why the period cannot be closed; nothing is closed."`
	LeaveEarlier bool `help:"Close the first bill of an account although earlier months have usage: no bill will hold it. Without this flag the close is refused then and names these months."`
}

// values returns the parameters of the request that closes the period of an account.
func (c *billsClose) values(account string) url.Values {
	q := url.Values{"period": {string(c.Period)}, "account": {account}}
	if c.LeaveEarlier {
		q.Set("leave_earlier", "1")
	}
	return q
}

// Run closes the period.
func (c *billsClose) Run(ctx context.Context, g *global) error {
	if c.All && c.Account != "" {
		return commandline.Errorf("name --account or --all, not both")
	}
	if c.All || c.DryRun {
		return c.runAll(ctx, g)
	}
	cl, err := g.client()
	if err != nil {
		return err
	}
	cl.WithoutTimeout() // the server answers after it has closed the bill
	body, err := cl.Open(ctx, http.MethodPost, "v1/bills", c.values(c.account()), "application/json")
	if err != nil {
		return err
	}
	defer body.Close()
	if g.JSON {
		_, err = io.Copy(console.Recorded(os.Stdout), body)
		return err
	}
	var b bills.Bill
	if err := json.NewDecoder(body).Decode(&b); err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	return printers.ClosedBill(os.Stdout, os.Stderr, &b)
}

// billPath returns the route of a bill.
func billPath(number, rest string) (string, error) {
	if number == "" {
		return "", commandline.Errorf("name a bill: \"tapedeck bills list --state closed\" lists those there are")
	}
	return "v1/bills/" + url.PathEscape(number) + rest, nil
}

type billsShow struct {
	Number string `arg:"" help:"The bill."`
	billSplit
}

// Run prints the bill.
func (c *billsShow) Run(ctx context.Context, g *global) error {
	path, err := billPath(c.Number, "")
	if err != nil {
		return err
	}
	var b bills.Bill
	if done, err := g.fetch(ctx, path, c.values(), &b); done || err != nil {
		return err
	}
	return printers.ClosedBill(os.Stdout, os.Stderr, &b)
}
