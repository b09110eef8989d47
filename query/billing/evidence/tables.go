package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"

	"tapedeck/query/billing/bills"
	"tapedeck/query/tabular"
)

func writeTable(w io.Writer, cells tabular.Cells, rows [][]string) error {
	out := tabular.NewRecords(w, cells)
	for _, row := range rows {
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// writeLines writes the lines of the invoice.
func writeLines(w io.Writer, cells tabular.Cells, b *bills.Bill) error {
	rows := [][]string{{"class", "charge_period", "provider", "model", "unit", "quantity", "rows", "cost", "amount",
		"currency", "unpriced"}}
	for i := range b.Lines {
		l := &b.Lines[i]
		rows = append(rows, []string{
			string(l.Class), l.Period, l.Provider, l.Model, l.Unit, l.Quantity.String(), strconv.FormatUint(l.Rows, 10),
			l.Cost.String(), l.Amount.StringFixed(b.MinorUnits), b.Currency, strconv.FormatBool(l.Unpriced),
		})
	}
	return writeTable(w, cells, rows)
}

// tapes writes a tape of each session and the list of the sessions. A tape is named by the hash of
// the session's id, since the id may have any characters.
func (w *writer) tapes(ctx context.Context) error {
	rows := [][]string{{"session_id", "tape", "detail"}}
	for i, id := range w.sessions {
		digest := sha256.Sum256([]byte(id))
		name, detail := "tapes/"+hex.EncodeToString(digest[:16])+".tape", ""
		write, err := w.Tape(ctx, id)
		if err != nil {
			return err
		}
		if write == nil {
			name, detail = "", "the session or its frames are not stored any more"
			w.missing++
		} else if err := w.add(name, write); err != nil {
			return err
		}
		rows = append(rows, []string{id, name, detail})
		if w.Wrote != nil {
			w.Wrote(i+1, len(w.sessions))
		}
	}
	return w.add("sessions.csv", func(out io.Writer) error { return writeTable(out, w.Cells, rows) })
}
