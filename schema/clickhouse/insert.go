package clickhouse

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
)

// blockRows is how many rows of a large insert go to ClickHouse at a time, so that
// it takes up some while others are on their way, and this side need not hold all
// of them once more. It puts them together again: one insert makes one part.
const blockRows = 1 << 15

// insert writes the table's rows, if there are any.
func (t *table) insert(ctx context.Context, client *ch.Client, token string) error {
	if t.rows() == 0 {
		return nil
	}
	query := ch.Query{
		Body:  t.input.Into(t.name),
		Input: t.input,
		Settings: []ch.Setting{
			{Key: "insert_deduplication_token", Value: token, Important: true},
			// A block may hold facts of any number of months.
			{Key: "throw_on_max_partitions_per_insert_block", Value: "0", Important: true},
			// Readers drop repeats anyway, so inserts need not look for them.
			{Key: "optimize_on_insert", Value: "0", Important: true},
		},
	}
	if t.rows() > blockRows && t.divisible() {
		query.Input, query.OnInput = t.inBlocks()
	}
	if err := client.Do(ctx, query); err != nil {
		return fmt.Errorf("insert %d rows into %s: %w", t.rows(), t.name, err)
	}
	return nil
}

// divisible reports whether some of the table's rows can be sent without the others.
func (t *table) divisible() bool {
	return !slices.ContainsFunc(t.input, func(c proto.InputColumn) bool { return window(c.Data, 0, 0) == nil })
}

// inBlocks gives a table's columns for the client to learn their types, without
// rows yet, and what puts the next rows in their place until there are none.
func (t *table) inBlocks() (proto.Input, func(context.Context) error) {
	input, sent := slices.Clone(t.input), 0
	input[0].Data = window(t.input[0].Data, 0, 0) // by the first column the client tells that there are none
	return input, func(context.Context) error {
		from := sent
		sent = min(from+blockRows, t.rows())
		for i := range input {
			input[i].Data = window(t.input[i].Data, from, sent)
		}
		if from == sent {
			return io.EOF
		}
		return nil
	}
}

// window gives some of a column's rows, which share its memory; nil for columns of
// which it cannot. Those of words bring all the texts there are.
func window(column proto.ColInput, from, to int) proto.ColInput {
	switch c := column.(type) {
	case *text:
		return &proto.ColStr{Buf: c.Buf, Pos: c.Pos[from:to]}
	case *word:
		return &proto.ColLowCardinalityRaw{Index: &c.texts, Key: c.Key, Keys32: c.Keys32[from:to]}
	case *instant:
		w := c.ColDateTime64
		w.Data = w.Data[from:to]
		return &w
	case *second:
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
