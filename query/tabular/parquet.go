package tabular

import (
	"io"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

const (
	rowGroup   = 2000    // rows per row group, which is in memory until it is complete
	pageBuffer = 8 << 10 // bytes per column
)

// ParquetOptions returns the options of Parquet writers.
func ParquetOptions() []parquet.WriterOption {
	return []parquet.WriterOption{
		parquet.MaxRowsPerRowGroup(rowGroup), parquet.PageBufferSize(pageBuffer), parquet.WriteBufferSize(0),
		parquet.Compression(&zstd.Codec{}), parquet.CreatedBy("tapedeck", "", ""),
	}
}

// Kind is the type of a column. A nil value is null in any column.
type Kind int

// The kinds of columns.
const (
	Text    Kind = iota // string
	Integer             // int64
	Instant             // time.Time
)

// Column is a column of a Table.
type Column struct {
	Name string
	Kind Kind
}

// Table writes Parquet whose columns are chosen at run time. All columns are optional.
type Table struct {
	*parquet.GenericWriter[any]
	columns []Column
	row     parquet.Row
}

// NewTable returns a writer of rows with the given columns, whose names must be distinct.
func NewTable(w io.Writer, columns []Column) *Table {
	group := parquet.Group{}
	for _, c := range columns {
		group[c.Name] = c.node()
	}
	schema := parquet.NewSchema("rows", ordered{group, columns})
	return &Table{GenericWriter: parquet.NewGenericWriter[any](w, append(ParquetOptions(), schema)...),
		columns: columns}
}

func (c Column) node() parquet.Node {
	switch c.Kind {
	case Integer:
		return parquet.Optional(parquet.Int(64))
	case Instant:
		return parquet.Optional(parquet.Timestamp(parquet.Nanosecond))
	}
	return parquet.Optional(parquet.Encoded(parquet.String(), &parquet.RLEDictionary))
}

// ordered is a group whose fields are in the order of the columns instead of the order of names.
type ordered struct {
	parquet.Group
	columns []Column
}

// Fields implements parquet.Node.
func (o ordered) Fields() []parquet.Field {
	list := o.Group.Fields()
	place := make(map[string]int, len(o.columns))
	for i, c := range o.columns {
		place[c.Name] = i
	}
	slices.SortFunc(list, func(a, b parquet.Field) int { return place[a.Name()] - place[b.Name()] })
	return list
}

// WriteValues writes a row: a string, an int64, a time.Time or nil for each column.
func (t *Table) WriteValues(values []any) error {
	t.row = t.row[:0]
	for i, v := range values {
		if at, ok := v.(time.Time); ok {
			v = at.UnixNano()
		}
		value := parquet.ValueOf(v)
		if v == nil {
			value = value.Level(0, 0, i)
		} else {
			value = value.Level(0, 1, i)
		}
		t.row = append(t.row, value)
	}
	_, err := t.WriteRows([]parquet.Row{t.row})
	return err
}
