package usagereport

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"

	"tapedeck/internal/budget"
	"tapedeck/query"
	"tapedeck/query/tabular"
)

// Formats lists the formats of reports, the default first.
var Formats = []tabular.Format{tabular.JSON, tabular.NDJSON, tabular.CSV, tabular.Parquet}

// writer writes the rows of a report.
type writer interface {
	row(*Row) error
	end() error // called when the totals are complete
}

// opener returns a writer of a report whose rows and totals are not known yet.
type opener = func(io.Writer, *Report) (writer, error)

var openers = map[tabular.Format]opener{tabular.JSON: newObject, tabular.NDJSON: newLines,
	tabular.CSV: csvOpener(tabular.SafeCells), tabular.Parquet: newParquet}

// spoolBytes is an upper bound of the compressed size of a report's rows.
const spoolBytes = 16 << 20

// Write writes a report. Rows in order of periods are encoded as they are read and kept compressed
// until the last row is read, so that an error precedes the first byte and no statement waits for a
// slow client.
func Write(ctx context.Context, r *query.Reader, q Query, f tabular.Format, w io.Writer) error {
	open, ok := openers[f]
	if !ok {
		return fmt.Errorf("write a usage report: there is no format %q", f)
	}
	if f == tabular.CSV {
		open = csvOpener(q.Cells)
	}
	if q.arranged() {
		report, err := Read(ctx, r, q)
		if err == nil {
			err = report.checkTags(ctx, r, q.Tenant)
		}
		if err != nil {
			return err
		}
		return report.write(w, open)
	}
	if err := budget.Of(ctx).Need(ctx, spoolBytes); err != nil {
		return err
	}
	spool, err := tabular.NewSpool()
	if err != nil {
		return err
	}
	var out writer
	seen := Report{GroupBy: q.GroupBy, Items: []Row{}} // the first rows that have a value of each grouping
	_, err = scan(ctx, r, q, func(report *Report) (err error) {
		out, err = open(spool, report)
		return err
	}, func(row *Row) error {
		for _, by := range q.GroupBy {
			if len(seen.Items) == 0 || row.Group[by] != nil && !seen.hasValue(by) {
				seen.Items = append(seen.Items, *row)
			}
		}
		return out.row(row)
	})
	if err != nil {
		return err
	}
	if err := seen.checkTags(ctx, r, q.Tenant); err != nil {
		return err
	}
	if err := out.end(); err != nil {
		return err
	}
	return spool.CopyTo(w)
}

// arranged reports whether the order of rows is only known after all were read.
func (q *Query) arranged() bool { return q.Top > 0 || q.Order != "" && q.Order != ByPeriod }

// write writes a complete report.
func (u *Report) write(w io.Writer, open opener) error {
	buffered := bufio.NewWriter(w)
	out, err := open(buffered, u)
	if err != nil {
		return err
	}
	for i := range u.Items {
		if err := out.row(&u.Items[i]); err != nil {
			return err
		}
	}
	if err := out.end(); err != nil {
		return err
	}
	return buffered.Flush()
}

// lines writes each row as a line of JSON.
type lines struct {
	w      io.Writer
	groups []string // sorted
	line   []byte
}

func newLines(w io.Writer, u *Report) (writer, error) {
	return &lines{w: w, groups: slices.Sorted(slices.Values(u.GroupBy))}, nil
}

func (l *lines) row(row *Row) (err error) {
	if l.line, err = row.appendJSON(l.line[:0], l.groups); err == nil {
		_, err = l.w.Write(append(l.line, '\n'))
	}
	return err
}

func (l *lines) end() error { return nil }
