package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"

	"tapedeck/internal/app/command/printers"
	"tapedeck/query/billing/bills"
)

type billsVerify struct {
	Number string `arg:"" help:"The bill."`
	Frames int    `help:"Decode the frames of at most this many sessions anew: first of those that differ, then of those that cost most." default:"100" placeholder:"N"`
}

// Run compares and prints the differences. It fails if there are any.
func (c *billsVerify) Run(ctx context.Context, g *global) error {
	path, err := billPath(c.Number, "/verification")
	if err != nil {
		return err
	}
	cl, err := g.client()
	if err != nil {
		return err
	}
	cl.WithoutTimeout() // the server answers after it has compared everything
	var text json.RawMessage
	if err := cl.Get(ctx, path, url.Values{"frames": {fmt.Sprint(c.Frames)}}, &text); err != nil {
		return err
	}
	var v bills.Verification
	if err := json.Unmarshal(text, &v); err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	if g.JSON {
		fmt.Println(string(text))
	} else if err := printers.Verification(os.Stdout, &v); err != nil {
		return err
	}
	if !v.Equal {
		return exitCode(exitFailed)
	}
	return nil
}
