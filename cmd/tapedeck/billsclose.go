package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/query/billing/bills"
)

// runAll closes the period of several accounts, one after the other, or shows their bills as they
// would be. If an account fails, the others are closed all the same.
func (c *billsClose) runAll(ctx context.Context, g *global) error {
	accounts, err := c.accounts(ctx, g)
	if err != nil {
		return err
	}
	client, err := g.client()
	if err != nil {
		return err
	}
	client.WithoutTimeout() // an answer is sent when the bill is closed
	list := []printers.ClosedAccount{}
	failed := 0
	for _, account := range accounts {
		done := printers.ClosedAccount{Account: account, Period: string(c.Period), DryRun: c.DryRun}
		done.Bill, err = c.one(ctx, client, account)
		if err != nil {
			if ctx.Err() != nil {
				return errors.Join(err, printers.ClosedAccounts(os.Stdout, os.Stderr, list))
			}
			failed++
			done.Error = err.Error()
		}
		list = append(list, done)
	}
	if g.JSON {
		err = json.NewEncoder(os.Stdout).Encode(struct {
			Items []printers.ClosedAccount `json:"items"`
		}{list})
	} else {
		err = printers.ClosedAccounts(os.Stdout, os.Stderr, list)
	}
	if err == nil && failed > 0 {
		not := "were not"
		if c.DryRun {
			not = "would not be"
		}
		err = fmt.Errorf("%d of %d accounts %s closed", failed, len(list), not)
	}
	return err
}

// accounts returns the accounts whose period is to be closed: the accounts with usage in the period
// or with an earlier bill, unless the period is closed already.
func (c *billsClose) accounts(ctx context.Context, g *global) ([]string, error) {
	if !c.All {
		return []string{c.account()}, nil
	}
	client, err := g.client()
	if err != nil {
		return nil, err
	}
	var list bills.List
	if err := client.Get(ctx, "v1/bills", url.Values{"from": {string(c.Period)}, "to": {string(c.Period)}}, &list); err != nil {
		return nil, err
	}
	var accounts []string
	for i := range list.Items {
		if list.Items[i].State != bills.Closed {
			accounts = append(accounts, list.Items[i].Account)
		}
	}
	if len(accounts) == 0 {
		return nil, commandline.Errorf("no account has a period %s that is not closed: \"tapedeck bills list\" lists the periods", c.Period)
	}
	return accounts, nil
}

// one closes the period of an account. A dry run computes its bill, or returns why the period
// cannot be closed.
func (c *billsClose) one(ctx context.Context, client *apiclient.Client, account string) (*bills.Bill, error) {
	q := c.values(account)
	var b bills.Bill
	if c.DryRun {
		q.Set("closing", "1")
		if err := client.Get(ctx, "v1/bills/preview", q, &b); err != nil {
			return nil, err
		}
		return &b, nil
	}
	body, err := client.Open(ctx, http.MethodPost, "v1/bills", q, "application/json")
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if err := json.NewDecoder(body).Decode(&b); err != nil {
		return nil, fmt.Errorf("read the server's answer: %w", err)
	}
	return &b, nil
}
