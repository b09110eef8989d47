package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync/atomic"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/query/bills"
	"tapedeck/query/evidence"
	"tapedeck/replay/tapefile"
)

// writeEvidence writes the evidence of a bill to a directory or an archive.
func (c *billsExport) writeEvidence(ctx context.Context, g *global) error {
	path, err := billPath(c.Number, "")
	if err != nil {
		return err
	}
	if c.Dir == "" || c.Period != "" {
		return usage.Errorf("name a bill and the directory to write: tapedeck bills export INV-000001 evidence --evidence")
	}
	if len(c.Tag)+len(c.Columns) > 0 || c.Account+c.SubAccount+c.Issuer+c.PaymentTerms+c.Link != "" {
		return usage.Errorf("--account, --tag, --sub-account, --columns, --issuer, --payment-terms and --link go without --evidence, which writes no FOCUS")
	}
	client, err := g.client()
	if err != nil {
		return err
	}
	client.Wait() // bills and tapes may be large
	var bill bills.Bill
	if err := client.Get(ctx, path, nil, &bill); err != nil {
		return err
	}
	files, err := newFiles(c.Dir, c.Force)
	if err != nil {
		return err
	}
	var done, all atomic.Int64
	p := console.ShowProgress(func() string { return fmt.Sprintf("%d of %d tapes written", done.Load(), all.Load()) })
	parts := evidenceParts(client, &bill, path)
	if parts.Prices, err = evidencePrices(ctx, client, path); err != nil {
		return err
	}
	parts.Wrote = func(tapes, of int) { done.Store(int64(tapes)); all.Store(int64(of)) }
	written, err := evidence.Write(ctx, parts, files)
	p.End()
	if err = errors.Join(err, files.close()); err != nil {
		return fmt.Errorf("write the evidence of bill %s to %s: %w", c.Number, c.Dir, err)
	}
	fmt.Fprintf(console.To(os.Stderr), "wrote %s: bill %s, %s, %s\n", c.Dir, c.Number, console.Count(bill.Rows, "row"), console.Count(written.Files, "file"))
	if written.Missing > 0 {
		fmt.Fprintf(os.Stderr, "%s of the bill are not stored any more: sessions.csv names them\n", console.Count(written.Missing, "session"))
	}
	return nil
}

// evidenceParts returns the parts of the evidence of a bill as the server answers them.
func evidenceParts(client *apiclient.Client, bill *bills.Bill, path string) evidence.Parts {
	return evidence.Parts{
		Bill: bill,
		Rows: func(ctx context.Context, w io.Writer) ([]string, error) {
			sessions := newSessionColumn()
			err := client.Copy(ctx, path+"/rows", map[string][]string{"format": {"csv"}}, "text/csv", io.MultiWriter(w, sessions))
			if err = errors.Join(err, sessions.end()); err != nil {
				return nil, err
			}
			return sessions.list(), nil
		},
		Tape: func(ctx context.Context, session string) (func(io.Writer) error, error) {
			body, err := client.Open(ctx, http.MethodGet, apiclient.SessionPath(session, "tape"), nil, tapefile.MediaType)
			var refused *apiclient.Error
			switch {
			case errors.As(err, &refused) && (refused.Status == http.StatusNotFound || refused.Status == http.StatusGone):
				return nil, nil
			case err != nil:
				return nil, err
			}
			return func(w io.Writer) error {
				_, err := io.Copy(w, body)
				return errors.Join(err, body.Close())
			}, nil
		},
	}
}

// evidencePrices reads the price table of a bill; nil for who may not read it.
func evidencePrices(ctx context.Context, client *apiclient.Client, path string) (func(context.Context, io.Writer) error, error) {
	var text bytes.Buffer
	err := client.Copy(ctx, path+"/prices", nil, "application/json", &text)
	if refused, ok := errors.AsType[*apiclient.Error](err); ok && refused.Status == http.StatusForbidden {
		return nil, nil
	}
	return func(_ context.Context, w io.Writer) error {
		_, err := text.WriteTo(w)
		return err
	}, err
}
