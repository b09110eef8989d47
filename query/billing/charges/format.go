package charges

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"tapedeck/query"
	"tapedeck/query/tabular"
)

// Format is an output format of charges.
type Format string

// The formats. JSON is paged; the other formats have any length.
const (
	JSON        Format = "json"
	NDJSON      Format = "ndjson"
	CSV         Format = "csv"
	Parquet     Format = "parquet"
	CloudEvents Format = "cloudevents"
)

// Formats lists all formats, the default first.
var Formats = []Format{JSON, NDJSON, CSV, Parquet, CloudEvents}

// writer writes charges in a format. It buffers a bounded number of them.
type writer interface {
	write(c *Charge) error
	end() error
}

// kind describes a format of unbounded length.
type kind struct {
	media, suffix string
	open          func(w io.Writer, currency string, cells tabular.Cells) (writer, error)
}

var kinds = map[Format]kind{
	NDJSON:      {"application/x-ndjson", "ndjson", newLines},
	CSV:         {"text/csv; charset=utf-8; header=present", "csv", newCSV},
	Parquet:     {"application/vnd.apache.parquet", "parquet", newParquet},
	CloudEvents: {"application/x-ndjson", "cloudevents.ndjson", newEvents},
}

// writeSize is the size of most writes.
const writeSize = 64 << 10

// Write writes the charges of a query in a format other than JSON. It holds a bounded number of
// charges in memory. Nothing is written before the first charges are read.
func Write(ctx context.Context, r *query.Reader, q Query, f Format, w io.Writer) error {
	k, ok := kinds[f]
	if !ok {
		return fmt.Errorf("write charges: there is no format %q", f)
	}
	p, err := q.Pricers(ctx, r, q.Tenant, q.From, q.To)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(w, writeSize)
	out, err := k.open(buffered, p.Cost.Table.Currency(), q.Cells)
	if err != nil {
		return err
	}
	if err := Walk(ctx, r, q, out.write); err != nil {
		return err
	}
	if err := out.end(); err != nil {
		return err
	}
	return buffered.Flush()
}

// lines writes NDJSON: one charge per line, in the same form as on pages.
type lines struct {
	w    io.Writer
	line []byte
}

func newLines(w io.Writer, _ string, _ tabular.Cells) (writer, error) { return &lines{w: w}, nil }

func (l *lines) write(c *Charge) error {
	l.line = append(appendCharge(l.line[:0], c), '\n')
	_, err := l.w.Write(l.line)
	return err
}

func (l *lines) end() error { return nil }

// parquetFile writes Parquet.
type parquetFile struct {
	*parquet.GenericWriter[columns]
	currency string
	row      [1]columns
}

func newParquet(w io.Writer, currency string, _ tabular.Cells) (writer, error) {
	return &parquetFile{currency: currency,
		GenericWriter: parquet.NewGenericWriter[columns](w, tabular.ParquetOptions()...)}, nil
}

func (f *parquetFile) write(c *Charge) error {
	f.row[0].set(c, f.currency)
	_, err := f.Write(f.row[:])
	return err
}

func (f *parquetFile) end() error { return f.Close() }
