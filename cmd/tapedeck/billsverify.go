package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"time"

	"tapedeck/internal/console"
	"tapedeck/query/bills"
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
	cl.Wait() // the answer is sent when all is compared
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
	} else if err := printVerification(&v); err != nil {
		return err
	}
	if !v.Equal {
		return exitCode(exitFailed)
	}
	return nil
}

// printVerification prints what differs, and a summary.
func printVerification(v *bills.Verification) error {
	out := console.To(os.Stdout)
	for _, d := range v.Defects {
		fmt.Fprintf(out, "defect: %s\n", d)
	}
	t := console.NewTable(os.Stdout, "why", "charges of", "session", "frame", "model", "unit", "quantity", "cost", "settled in")
	for i := range v.Differences {
		d := &v.Differences[i]
		in := joined(d.Corrected)
		if !d.Settled {
			in = "open"
		}
		for j := range d.Items {
			it := &d.Items[j]
			t.Row(string(d.Why), d.Period, console.Clip(d.SessionID, 40), d.Position, orDash(it.Model), it.Unit, fmt.Sprint(it.Quantity), nullText(it.Cost, v.MinorUnits, it.Reason), in)
		}
	}
	for i := range v.Frames.Differences {
		d := &v.Frames.Differences[i]
		t.Row("frames", v.Period, console.Clip(d.SessionID, 40), d.Position, "", d.Field, orDash(d.Stored)+" → "+orDash(d.Decoded), "", "")
	}
	if len(v.Differences)+len(v.Frames.Differences) > 0 {
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for _, f := range v.Frames.Failed {
		fmt.Fprintf(out, "session %s was not decoded: %s\n", f.SessionID, f.Detail)
	}
	for i := range v.Frames.Expired {
		e := &v.Frames.Expired[i]
		fmt.Fprintf(out, "charge %s of session %s: not compared, its frames expired on %s\n", e.ChargeID, e.SessionID, e.ExpiredAt.Format(time.DateOnly))
	}
	if n := v.Frames.ExpiredCharges; n > uint64(len(v.Frames.Expired)) {
		fmt.Fprintf(out, "… %s in all\n", console.Count(n, "such charge"))
	}
	state := "equal"
	if !v.Equal {
		state = "differs"
	}
	fmt.Fprintf(out, "%s %s: %s rows, frames of %s of %s sessions\nrows %s\n", v.Number, state, console.Thousands(v.Rows),
		console.Thousands(v.Frames.Sessions), console.Thousands(v.Frames.Of), v.Hash)
	return nil
}
