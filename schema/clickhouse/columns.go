package clickhouse

import (
	"slices"
	"strings"

	"github.com/ClickHouse/ch-go/proto"
)

// The column types of the tables. Their append methods take tapedeck's own types.

// text is String.
type text struct{ proto.ColStr }

func (c *text) add(s string) {
	c.grow(len(s))
	c.Append(s)
}

// grow makes room for n more bytes. The room doubles: append would copy the texts of a large batch
// several times more often.
func (c *text) grow(n int) {
	if len(c.Buf)+n > cap(c.Buf) {
		c.Buf = slices.Grow(c.Buf, max(n, len(c.Buf)))
	}
}

// longText is the length, in bytes, from which on a text is sent from its own memory instead of
// being copied into the client's buffer first.
const longText = 64 << 10

// WriteColumn implements proto.ColInput.
func (c *text) WriteColumn(w *proto.Writer) {
	for _, p := range c.Pos {
		value := c.Buf[p.Start:p.End]
		w.ChainBuffer(func(b *proto.Buffer) {
			b.PutUVarInt(uint64(len(value)))
			if len(value) < longText {
				b.PutRaw(value)
			}
		})
		if len(value) >= longText {
			w.ChainWrite(value)
		}
	}
}

// lowCardinality is LowCardinality(String): each distinct text once, and an index for every row. It
// copies the texts.
type lowCardinality struct {
	proto.ColLowCardinalityRaw
	texts   proto.ColStr
	own     []string
	places  map[string]int // index of each text
	last    string         // the text of the previous row, which often repeats
	lastKey int
}

func newWord() *lowCardinality {
	c := &lowCardinality{places: map[string]int{}}
	c.Key, c.Index = proto.KeyUInt32, &c.texts
	return c
}

// Append adds a row.
func (c *lowCardinality) Append(s string) {
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
func (c *lowCardinality) Reset() {
	c.ColLowCardinalityRaw.Reset()
	clear(c.places)
	clear(c.own)
	c.own, c.last = c.own[:0], ""
}

// dateTime64 is DateTime64(9, 'UTC').
type dateTime64 struct{ proto.ColDateTime64 }

func newInstant() *dateTime64 {
	c := &dateTime64{}
	c.WithPrecision(proto.PrecisionNano)
	return c
}

func (c *dateTime64) add(ns int64) { c.Data = append(c.Data, proto.DateTime64(ns)) }

// dateTime is DateTime('UTC').
type dateTime struct{ proto.ColDateTime }

func (c *dateTime) add(ns int64) { c.AppendRaw(proto.DateTime(ns / 1e9)) }

// enum is an Enum8 whose values are added as numbers.
type enum struct {
	proto.ColInt8
	declared proto.ColumnType
}

// Type returns the full declaration, as ClickHouse expects it.
func (c enum) Type() proto.ColumnType { return c.declared }

// Infer accepts the declaration of the server.
func (c *enum) Infer(t proto.ColumnType) error {
	c.declared = t
	return nil
}

func (c *enum) add(v uint8) { c.Append(int8(v)) }

// table holds the columns of one table.
type table struct {
	name  string
	input proto.Input
}

// column adds a column to the table and returns it.
func column[C proto.ColInput](t *table, name string, c C) C {
	t.input = append(t.input, proto.InputColumn{Name: name, Data: c})
	return c
}

// rows returns the number of appended rows.
func (t *table) rows() int { return t.input[0].Data.Rows() }

func (t *table) reset() { t.input.Reset() }
