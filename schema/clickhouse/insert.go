package clickhouse

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
)

// blockRows is the number of rows of a large insert that are sent at a time, so that ClickHouse
// processes rows while others are sent, and the client need not buffer all of them. ClickHouse
// combines them: one insert creates one part. Fewer rows are sent in pieces too if they have more
// than blockBytes.
const (
	blockRows  = 1 << 15
	blockBytes = 8 << 20
)

// InsertError reports that ClickHouse rejected the rows of a table.
type InsertError struct {
	Table string
	Rows  int
	Err   error
}

func (e *InsertError) Error() string {
	return fmt.Sprintf("insert %d rows into %s: %v", e.Rows, e.Table, e.Err)
}

func (e *InsertError) Unwrap() error { return e.Err }

// insert writes the table's rows, if there are any.
func (t *table) insert(ctx context.Context, client *ch.Client) error {
	return t.insertRows(ctx, client, 0, t.rows())
}

// insertRows writes the rows in [from, to), if there are any. Only a divisible table can be written
// in parts.
func (t *table) insertRows(ctx context.Context, client *ch.Client, from, to int) error {
	if from == to {
		return nil
	}
	query := t.query()
	if to-from < t.rows() || (to-from > blockRows || t.rowsWithin(from, to) < to) && t.divisible() {
		query.Input, query.OnInput = t.inBlocks(from, to)
	}
	if err := client.Do(ctx, query); err != nil {
		return &InsertError{t.name, to - from, err}
	}
	return nil
}

// query returns the insert statement for all rows.
func (t *table) query() ch.Query {
	return ch.Query{
		Body:  t.input.Into(t.name),
		Input: t.input,
		Settings: []ch.Setting{
			// ClickHouse records an insert before it stores the rows. If it is killed in between,
			// it would drop the repeated insert (docs/adr/0010-repeated-inserts.md).
			{Key: "insert_deduplicate", Value: "0", Important: true},
			// A block may have facts of any number of months.
			{Key: "throw_on_max_partitions_per_insert_block", Value: "0", Important: true},
			// Readers deduplicate in any case, so inserts need not.
			{Key: "optimize_on_insert", Value: "0", Important: true},
		},
	}
}

// CheckTables starts an insert into every table without sending rows. It returns an error if a
// table or a column is missing, or the user lacks the permission.
func CheckTables(ctx context.Context, client *ch.Client) error {
	for _, t := range NewBatch().tables() {
		query := t.query()
		query.OnInput = func(context.Context) error { return io.EOF }
		if err := client.Do(ctx, query); err != nil {
			return &InsertError{Table: t.name, Err: err}
		}
	}
	return nil
}

// divisible reports whether a part of the table's rows can be sent separately.
func (t *table) divisible() bool {
	return !slices.ContainsFunc(t.input, func(c proto.InputColumn) bool { return window(c.Data, 0, 0) == nil })
}

// inBlocks returns a table's columns without rows, from which the client reads their types, and a
// function that replaces them with the next of the rows [sent, end) until all are sent.
func (t *table) inBlocks(sent, end int) (proto.Input, func(context.Context) error) {
	columns := slices.Clone(t.input)
	for i := range columns { // another client may be sending other rows of the table
		columns[i].Data = own(columns[i].Data)
	}
	input := slices.Clone(columns)
	input[0].Data = window(columns[0].Data, 0, 0) // the client reads the number of rows from the first column
	return input, func(context.Context) error {
		from := sent
		sent = t.rowsWithin(from, min(from+blockRows, end))
		for i := range input {
			input[i].Data = window(columns[i].Data, from, sent)
		}
		if from == sent {
			return io.EOF
		}
		return nil
	}
}

// rowsWithin returns the end of the rows in [from, to) that have blockBytes at most, one row at
// least.
func (t *table) rowsWithin(from, to int) int {
	for _, c := range t.input {
		column, is := c.Data.(*text)
		if !is || from >= to || column.Pos[to-1].End-column.Pos[from].Start <= blockBytes {
			continue
		}
		most := column.Pos[from].Start + blockBytes
		n := sort.Search(to-from, func(i int) bool { return column.Pos[from+i].End > most })
		to = from + max(n, 1)
	}
	return to
}

// own copies a column whose type a client sets. The rows remain shared.
func own(column proto.ColInput) proto.ColInput {
	switch c := column.(type) {
	case *dateTime64:
		w := *c
		return &w
	case *dateTime:
		w := *c
		return &w
	case *enum:
		w := *c
		return &w
	}
	return column
}

// window returns a range of a column's rows, which shares their memory; nil for columns that do not
// support it. Rows of lowCardinality include all texts.
func window(column proto.ColInput, from, to int) proto.ColInput {
	switch c := column.(type) {
	case *text:
		return &text{proto.ColStr{Buf: c.Buf, Pos: c.Pos[from:to]}}
	case *lowCardinality:
		return &proto.ColLowCardinalityRaw{Index: &c.texts, Key: c.Key, Keys32: c.Keys32[from:to]}
	case *dateTime64:
		w := c.ColDateTime64
		w.Data = w.Data[from:to]
		return &w
	case *dateTime:
		w := c.ColDateTime
		w.Data = w.Data[from:to]
		return &w
	case *enum:
		return &enum{ColInt8: c.ColInt8[from:to], declared: c.declared}
	case *proto.ColUInt64:
		w := (*c)[from:to]
		return &w
	case *proto.ColUInt32:
		w := (*c)[from:to]
		return &w
	}
	return nil
}
