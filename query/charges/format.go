package charges

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"tapedeck/query"
)

// Format is a format that charges are written in.
type Format string

// The formats. JSON is for pages, the others are of any length.
const (
	JSON        Format = "json"
	NDJSON      Format = "ndjson"
	CSV         Format = "csv"
	Parquet     Format = "parquet"
	CloudEvents Format = "cloudevents"
)

// Formats are all there are, the default first.
var Formats = []Format{JSON, NDJSON, CSV, Parquet, CloudEvents}

// writer writes charges in a format. It holds a bounded number of them.
type writer interface {
	write(c *Charge) error
	end() error
}

// kind is a format of any length.
type kind struct {
	media, suffix string
	open          func(w io.Writer, currency string) (writer, error)
}

var kinds = map[Format]kind{
	NDJSON:      {"application/x-ndjson", "ndjson", newLines},
	CSV:         {"text/csv; charset=utf-8; header=present", "csv", newCSV},
	Parquet:     {"application/vnd.apache.parquet", "parquet", newParquet},
	CloudEvents: {"application/x-ndjson", "cloudevents.ndjson", newEvents},
}

// writeSize is the size of most writes.
const writeSize = 64 << 10

// Write writes the charges of a query in a format other than JSON. It holds a bounded number
// of them in memory. Nothing is written before the first are read.
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
	out, err := k.open(buffered, p.Cost.Table.Currency())
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

// lines writes NDJSON: a charge on each line, as pages have it.
type lines struct{ *json.Encoder }

func newLines(w io.Writer, _ string) (writer, error) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return lines{e}, nil
}

func (l lines) write(c *Charge) error { return l.Encode(c) }
func (l lines) end() error            { return nil }

// csvFile writes CSV (RFC 4180). Cells hold the recorded text unchanged, also where a
// spreadsheet would read it as a formula, and line ends within it, which csv.Writer changes.
type csvFile struct {
	w        io.Writer
	currency string
	row      columns
	cells    []string
	line     []byte
}

func newCSV(w io.Writer, currency string) (writer, error) {
	f := &csvFile{w: w, currency: currency}
	return f, f.record(columnNames)
}

func (f *csvFile) write(c *Charge) error {
	if err := f.row.set(c, f.currency); err != nil {
		return err
	}
	f.cells = f.row.cells(c, f.cells)
	return f.record(f.cells)
}

func (f *csvFile) record(cells []string) error {
	f.line = f.line[:0]
	for i, cell := range cells {
		if i > 0 {
			f.line = append(f.line, ',')
		}
		if strings.ContainsAny(cell, "\",\r\n") {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		f.line = append(f.line, cell...)
	}
	_, err := f.w.Write(append(f.line, "\r\n"...))
	return err
}

func (f *csvFile) end() error { return nil }

const (
	rowGroup   = 2000    // rows of a row group of Parquet, which is in memory until it is complete
	pageBuffer = 8 << 10 // of one column, bytes
)

// parquetFile writes Parquet.
type parquetFile struct {
	*parquet.GenericWriter[columns]
	currency string
	row      [1]columns
}

func newParquet(w io.Writer, currency string) (writer, error) {
	return &parquetFile{currency: currency, GenericWriter: parquet.NewGenericWriter[columns](w,
		parquet.MaxRowsPerRowGroup(rowGroup), parquet.PageBufferSize(pageBuffer), parquet.WriteBufferSize(0),
		parquet.Compression(&zstd.Codec{}), parquet.CreatedBy("tapedeck", "", ""))}, nil
}

func (f *parquetFile) write(c *Charge) error {
	if err := f.row[0].set(c, f.currency); err != nil {
		return err
	}
	_, err := f.Write(f.row[:])
	return err
}

func (f *parquetFile) end() error { return f.Close() }
