package main

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/query/bills"
	"tapedeck/replay/tapefile"
)

// evidence writes a bill with all that it was made of:
//
//	bill.json        the bill
//	rows.csv         its rows; the SHA-256 of this file is rows_hash
//	lines.csv        the lines of the invoice
//	prices.json      the effective price table; the SHA-256 of this file is prices_hash
//	sessions.csv     the sessions of the rows and the tapes that have their frames
//	tapes/*.tape     the frames
//	SHA256SUMS       of all files
type evidence struct {
	client *apiclient.Client
	bill   bills.Bill
	path   string // of the bill's routes
	files  files
	sums   []string
}

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
	e := &evidence{path: path}
	if e.client, err = g.client(); err != nil {
		return err
	}
	e.client.Wait() // bills and tapes may be large
	if err := e.client.Get(ctx, path, nil, &e.bill); err != nil {
		return err
	}
	if e.files, err = newFiles(c.Dir, c.Force); err != nil {
		return err
	}
	missing, err := e.write(ctx)
	if err = errors.Join(err, e.files.close()); err != nil {
		return fmt.Errorf("write the evidence of bill %s to %s: %w", c.Number, c.Dir, err)
	}
	fmt.Fprintf(console.To(os.Stderr), "wrote %s: bill %s, %s, %s\n", c.Dir, c.Number, console.Count(e.bill.Rows, "row"), console.Count(len(e.sums), "file"))
	if missing > 0 {
		fmt.Fprintf(os.Stderr, "%s of the bill are not stored any more: sessions.csv names them\n", console.Count(missing, "session"))
	}
	return nil
}

func (e *evidence) write(ctx context.Context) (missing int, err error) {
	text, err := json.MarshalIndent(&e.bill, "", "  ")
	if err != nil {
		return 0, err
	}
	if err := e.add("bill.json", func(w io.Writer) error { _, err := w.Write(append(text, '\n')); return err }); err != nil {
		return 0, err
	}
	sessions := newSessionColumn()
	err = e.add("rows.csv", func(w io.Writer) error {
		err := e.client.Copy(ctx, e.path+"/rows", map[string][]string{"format": {"csv"}}, "text/csv", io.MultiWriter(w, sessions))
		return errors.Join(err, sessions.end())
	})
	if err != nil {
		return 0, err
	}
	if err := e.check("rows.csv", e.bill.RowsHash); err != nil {
		return 0, err
	}
	if err := e.add("lines.csv", e.lines); err != nil {
		return 0, err
	}
	err = e.add("prices.json", func(w io.Writer) error { return e.client.Copy(ctx, e.path+"/prices", nil, "application/json", w) })
	if err == nil {
		err = e.check("prices.json", e.bill.PricesHash)
	}
	if err != nil {
		return 0, err
	}
	if missing, err = e.tapes(ctx, sessions.list()); err != nil {
		return 0, err
	}
	sums := e.sums
	return missing, e.add("SHA256SUMS", func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(sums, ""))
		return err
	})
}

// add writes a file and notes its SHA-256.
func (e *evidence) add(name string, write func(io.Writer) error) error {
	w, err := e.files.create(name)
	if err != nil {
		return err
	}
	sum := sha256.New()
	if err := write(io.MultiWriter(w, sum)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	e.sums = append(e.sums, sumLine(sum, name))
	return nil
}

func sumLine(sum hash.Hash, name string) string {
	return hex.EncodeToString(sum.Sum(nil)) + "  " + name + "\n"
}

// check fails if the file that was written last has another SHA-256 than the bill states.
func (e *evidence) check(name, want string) error {
	if got, _, _ := strings.Cut(e.sums[len(e.sums)-1], " "); got != want {
		return fmt.Errorf("%s has the SHA-256 %s, the bill states %s: run \"tapedeck bills verify %s\"", name, got, want, e.bill.Number)
	}
	return nil
}

func (e *evidence) lines(w io.Writer) error {
	c := csv.NewWriter(w)
	c.UseCRLF = true
	rows := [][]string{{"class", "charge_period", "provider", "model", "unit", "quantity", "rows", "cost", "amount", "currency", "unpriced"}}
	for i := range e.bill.Lines {
		l := &e.bill.Lines[i]
		rows = append(rows, []string{
			string(l.Class), l.Period, l.Provider, l.Model, l.Unit, l.Quantity.String(), strconv.FormatUint(l.Rows, 10),
			l.Cost.String(), l.Amount.StringFixed(e.bill.MinorUnits), e.bill.Currency, strconv.FormatBool(l.Unpriced),
		})
	}
	return c.WriteAll(rows)
}

// tapes writes a tape of each session, under a name made of the hash of the session's id,
// which may have any characters.
func (e *evidence) tapes(ctx context.Context, sessions []string) (missing int, err error) {
	done := 0
	p := console.ShowProgress(func() string { return fmt.Sprintf("%d of %d tapes written", done, len(sessions)) })
	defer p.End()
	rows := [][]string{{"session_id", "tape", "detail"}}
	for _, id := range sessions {
		sum := sha256.Sum256([]byte(id))
		name, detail := "tapes/"+hex.EncodeToString(sum[:16])+".tape", ""
		body, err := e.client.Open(ctx, http.MethodGet, apiclient.SessionPath(id, "tape"), nil, tapefile.MediaType)
		var refused *apiclient.Error
		switch {
		case errors.As(err, &refused) && (refused.Status == http.StatusNotFound || refused.Status == http.StatusGone):
			name, detail = "", "the session or its frames are not stored any more"
			missing++
		case err != nil:
			return missing, err
		default:
			err := e.add(name, func(w io.Writer) error { _, err := io.Copy(w, body); return err })
			if err = errors.Join(err, body.Close()); err != nil {
				return missing, err
			}
		}
		rows = append(rows, []string{id, name, detail})
		done++
	}
	return missing, e.add("sessions.csv", func(w io.Writer) error {
		c := csv.NewWriter(w)
		c.UseCRLF = true
		return c.WriteAll(rows)
	})
}
