package clickhouse

import (
	"strings"

	"github.com/ClickHouse/ch-go/proto"
)

// The column types of which the tables are made, with appends that take
// tapedeck's own types.

// text is String.
type text struct{ proto.ColStr }

func (c *text) add(s string) { c.Append(s) }

// word is LowCardinality(String): each text once, and for every row its place.
// It keeps copies, so that what is appended need not outlive the call.
type word struct {
	proto.ColLowCardinalityRaw
	texts   proto.ColStr
	own     []string
	places  map[string]int // in own
	last    string         // the text of the row before: nearly always the next one's, too
	lastKey int
}

func newWord() *word {
	c := &word{places: map[string]int{}}
	c.Key, c.Index = proto.KeyUInt32, &c.texts
	return c
}

// Append adds a row.
func (c *word) Append(s string) {
	if len(c.Keys32) == 0 || s != c.last {
		place, ok := c.places[s]
		if !ok {
			place = len(c.own)
			c.own = append(c.own, strings.Clone(s))
			c.places[c.own[place]] = place
			c.texts.Append(s)
		}
		c.last, c.lastKey = c.own[place], place
	}
	c.AppendKey(c.lastKey)
}

// Reset empties the column.
func (c *word) Reset() {
	c.ColLowCardinalityRaw.Reset()
	clear(c.places)
	clear(c.own)
	c.own, c.last = c.own[:0], ""
}

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
