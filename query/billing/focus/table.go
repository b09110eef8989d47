package focus

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"tapedeck/query/tabular"
)

// table writes records as CSV (RFC 4180): a header with the column names, then the records, with
// null as an empty cell. It records the maximum size of the values of each column for the metadata.
type table[T any] struct {
	file    string
	columns []column[T]
	csv     *csv.Writer
	cells   []string
	rows    int
	raw     tabular.Cells
	size    []extent
}

// extent is the maximum size of the values of a column.
type extent struct{ length, whole, scale int }

func newTable[T any](w io.Writer, o *Options, file string, columns []column[T]) (*table[T], error) {
	t := &table[T]{file: file, columns: columns, csv: csv.NewWriter(w), cells: make([]string, len(columns)),
		raw: o.Cells, size: make([]extent, len(columns))}
	t.csv.UseCRLF = true
	for i, c := range columns {
		t.cells[i] = c.name
	}
	return t, t.failed(t.csv.Write(t.cells))
}

func (t *table[T]) write(record *T) error {
	t.rows++
	for i, c := range t.columns {
		if t.cells[i] = c.value(record); t.raw == tabular.SafeCells {
			t.cells[i] = tabular.SafeCell(t.cells[i]) // numbers stay as they are
		}
		t.size[i].extend(c.kind, t.cells[i])
	}
	return t.failed(t.csv.Write(t.cells))
}

func (t *table[T]) end() error {
	t.csv.Flush()
	return t.failed(t.csv.Error())
}

func (t *table[T]) failed(err error) error {
	if err != nil {
		return fmt.Errorf("write %s: %w", t.file, err)
	}
	return nil
}

// extend enlarges the extent to fit a value.
func (e *extent) extend(k kind, value string) {
	if k != number {
		e.length = max(e.length, utf8.RuneCountInString(value))
		return
	}
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(value, "-"), ".")
	e.whole, e.scale = max(e.whole, len(whole)), max(e.scale, len(fraction))
}
