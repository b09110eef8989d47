package main

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"tapedeck/internal/app/command/billevidence"
	"tapedeck/internal/app/command/output"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/query/billing/bills"
	"tapedeck/query/billing/evidence"
	"tapedeck/query/tabular"
)

// writeEvidence writes the evidence of a bill to a directory or an archive.
func (c *billsExport) writeEvidence(ctx context.Context, g *global) error {
	path, err := billPath(c.Number, "")
	if err != nil {
		return err
	}
	if c.Dir == "" || c.Period != "" {
		return commandline.Errorf("name a bill and the directory to write: tapedeck bills export INV-000001 evidence --evidence")
	}
	if len(c.Tag)+len(c.Columns) > 0 || c.Account+c.SubAccount+c.Issuer+c.PaymentTerms+c.Link != "" {
		return commandline.Errorf("--account, --tag, --sub-account, --columns, --issuer, --payment-terms and " +
			"--link go without --evidence, which writes no FOCUS")
	}
	client, err := g.client()
	if err != nil {
		return err
	}
	client.WithoutTimeout() // bills and tapes may be large
	var bill bills.Bill
	if err := client.Get(ctx, path, nil, &bill); err != nil {
		return err
	}
	files, err := output.NewFiles(c.Dir, c.Force)
	if err != nil {
		return err
	}
	var done, all atomic.Int64
	began := time.Now()
	p := console.ShowProgress(func() string {
		return fmt.Sprintf("%d of %d tapes written  %s", done.Load(), all.Load(), console.Part(done.Load(), all.Load(), began))
	})
	parts := billevidence.Parts(client, &bill, path)
	parts.Cells = tabular.Cells(c.Raw)
	if parts.Prices, err = billevidence.Prices(ctx, client, path); err != nil {
		p.End()
		return files.Finish(err)
	}
	parts.Wrote = func(tapes, of int) { done.Store(int64(tapes)); all.Store(int64(of)) }
	written, err := evidence.Write(ctx, parts, files)
	p.End()
	if err = files.Finish(err); err != nil {
		return fmt.Errorf("write the evidence of bill %s to %s: %w", c.Number, c.Dir, err)
	}
	fmt.Fprintf(console.To(os.Stderr), "wrote %s: bill %s, %s, %s\n", c.Dir, c.Number,
		console.Count(bill.Rows, "row"), console.Count(written.Files, "file"))
	if written.Missing > 0 {
		fmt.Fprintf(os.Stderr, "%s of the bill are not stored any more: sessions.csv names them\n",
			console.Count(written.Missing, "session"))
	}
	return nil
}
