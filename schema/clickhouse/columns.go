package clickhouse

import (
	"github.com/ClickHouse/ch-go/proto"
)

// The column types of which the tables are made, with appends that take
// tapedeck's own types.

// text is String.
type text struct{ proto.ColStr }

func (c *text) add(s string) { c.Append(s) }

// word is LowCardinality(String).
type word = proto.ColLowCardinality[string]

func newWord() *word { return new(proto.ColStr).LowCardinality() }

// instant is DateTime64(9, 'UTC').
type instant struct{ proto.ColDateTime64 }

func newInstant() *instant {
	c := &instant{}
	c.WithPrecision(proto.PrecisionNano)
	return c
}

func (c *instant) add(ns int64) { c.Data = append(c.Data, proto.DateTime64(ns)) }

// second is DateTime('UTC').
type second struct{ proto.ColDateTime }

func (c *second) add(ns int64) { c.AppendRaw(proto.DateTime(ns / 1e9)) }

// enum is an Enum8 whose values are given as numbers.
type enum struct {
	proto.ColInt8
	declared proto.ColumnType
}

// Type gives the full declaration, as ClickHouse wants it.
func (c enum) Type() proto.ColumnType { return c.declared }

// Infer takes the declaration that the server names.
func (c *enum) Infer(t proto.ColumnType) error {
	c.declared = t
	return nil
}

func (c *enum) add(v uint8) { c.Append(int8(v)) }

// table is one table's columns.
type table struct {
	name  string
	input proto.Input
}

// column adds a column to the table and gives it back.
func column[C proto.ColInput](t *table, name string, c C) C {
	t.input = append(t.input, proto.InputColumn{Name: name, Data: c})
	return c
}

// rows is the number of rows appended.
func (t *table) rows() int { return t.input[0].Data.Rows() }

func (t *table) reset() { t.input.Reset() }
