// Package evidence writes a closed bill with the data from which it was made:
//
//	bill.json        the bill
//	rows.csv         its rows; the SHA-256 of this file is rows_hash
//	lines.csv        the lines of the invoice
//	prices.json      the effective price table; the SHA-256 of this file is prices_hash
//	tapes/*.tape     the frames behind the rows
//	sessions.csv     the sessions of the rows and the tapes that have their frames
//	left-out.csv     files that are left out, and why, if any are
//	SHA256SUMS       of all files
package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"tapedeck/query/billing/bills"
	"tapedeck/query/tabular"
)

// Parts holds the functions that provide the parts of the evidence.
type Parts struct {
	Bill *bills.Bill
	// Rows writes the canonical text of the rows, and returns the sessions in them.
	Rows func(context.Context, io.Writer) ([]string, error)
	// Prices writes the effective price table. It is nil if the caller may not read the table.
	Prices func(context.Context, io.Writer) error
	// Tape returns a function that writes the tape of a session; nil if the session is not stored.
	Tape func(ctx context.Context, session string) (func(io.Writer) error, error)
	// Wrote is called after each tape. It may be nil.
	Wrote func(tapes, of int)
	// Cells says whether cells of lines.csv and sessions.csv that a spreadsheet would run are written
	// as recorded. Those of rows.csv always are, since the bill states its SHA-256.
	Cells tabular.Cells
}

// Files creates files one after another. Creating a file completes the previous one.
type Files interface {
	Create(name string) (io.Writer, error)
}

// Summary counts the tapes of the evidence.
type Summary struct {
	Files   int
	Missing int // sessions that are no longer stored
}

// Write writes the evidence of a bill.
func Write(ctx context.Context, parts Parts, to Files) (Summary, error) {
	w := &writer{Parts: parts, files: to}
	if err := w.write(ctx); err != nil {
		return Summary{}, err
	}
	return Summary{len(w.sums) + 1, w.missing}, nil
}

type writer struct {
	Parts
	files    Files
	sessions []string
	sums     []sum
	missing  int
}

// sum is the SHA-256 of a file.
type sum struct{ name, digest string }

func (w *writer) write(ctx context.Context) error {
	text, err := json.MarshalIndent(w.Bill, "", "  ")
	if err != nil {
		return err
	}
	if err := w.add("bill.json", func(out io.Writer) error {
		_, err := out.Write(append(text, '\n'))
		return err
	}); err != nil {
		return err
	}
	err = w.checked("rows.csv", w.Bill.RowsHash, func(out io.Writer) (err error) {
		w.sessions, err = w.Rows(ctx, out)
		return err
	})
	if err != nil {
		return err
	}
	if err := w.add("lines.csv", func(out io.Writer) error { return writeLines(out, w.Cells, w.Bill) }); err != nil {
		return err
	}
	if err := w.prices(ctx); err != nil {
		return err
	}
	if err := w.tapes(ctx); err != nil {
		return err
	}
	return w.add("SHA256SUMS", func(out io.Writer) error {
		var b strings.Builder
		for _, s := range w.sums {
			fmt.Fprintf(&b, "%s  %s\n", s.digest, s.name)
		}
		_, err := io.WriteString(out, b.String())
		return err
	})
}

// prices writes the price table, or lists it as left out.
func (w *writer) prices(ctx context.Context) error {
	if w.Prices != nil {
		return w.checked("prices.json", w.Bill.PricesHash, func(out io.Writer) error { return w.Prices(ctx, out) })
	}
	return w.add("left-out.csv", func(out io.Writer) error {
		return writeTable(out, w.Cells, [][]string{
			{"file", "reason"},
			{"prices.json",
				"the price table has rules of all tenants, which administrators of the server alone may read; rows.csv has the prices"},
		})
	})
}

// add writes a file and records its SHA-256.
func (w *writer) add(name string, write func(io.Writer) error) error {
	out, err := w.files.Create(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	hash := sha256.New()
	if err := write(io.MultiWriter(out, hash)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	w.sums = append(w.sums, sum{name, hex.EncodeToString(hash.Sum(nil))})
	return nil
}

// checked is add for a file whose SHA-256 must equal the one in the bill.
func (w *writer) checked(name, want string, write func(io.Writer) error) error {
	if err := w.add(name, write); err != nil {
		return err
	}
	if got := w.sums[len(w.sums)-1].digest; got != want {
		return fmt.Errorf("%s has the SHA-256 %s, the bill states %s: run \"tapedeck bills verify %s\"", name, got,
			want, w.Bill.Number)
	}
	return nil
}
