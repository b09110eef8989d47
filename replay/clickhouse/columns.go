package clickhouse

import (
	"unsafe"

	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/replay"
	"tapedeck/schema"
	schemaclickhouse "tapedeck/schema/clickhouse"
)

// columns receives one block of a page. The frames made from it alias its memory.
type columns struct {
	seq, generation          proto.ColUInt64
	at                       proto.ColDateTime64
	direction, transport     proto.ColInt8
	flags                    proto.ColUInt32
	cuts, raw                proto.ColStr
	source, run, node, event proto.ColStr
	stream, kind, agent      *proto.ColLowCardinality[string]
	streams, kinds, agents   dictionary
}

func newColumns() *columns {
	c := &columns{}
	c.stream = proto.NewLowCardinality[string](&c.streams)
	c.kind, c.agent = proto.NewLowCardinality[string](&c.kinds), proto.NewLowCardinality[string](&c.agents)
	return c
}

// results appends the columns that a query like q returns, in its order.
func (c *columns) results(dst proto.Results, q *pageQuery) proto.Results {
	if q.bundle() {
		dst = append(dst, proto.ResultColumn{Data: c.stream})
	}
	dst = append(dst, proto.Results{
		{Data: &c.seq}, {Data: &c.at}, {Data: &c.direction}, {Data: &c.transport},
		{Data: &c.flags}, {Data: &c.cuts}, {Data: &c.raw},
	}...)
	if q.query.Bare {
		return dst
	}
	return append(dst, proto.Results{
		{Data: c.kind}, {Data: &c.source}, {Data: &c.run}, {Data: &c.node}, {Data: c.agent}, {Data: &c.event},
		{Data: &c.generation},
	}...)
}

// size returns the approximate number of bytes in the columns.
func (c *columns) size() int {
	return cap(c.raw.Buf) + cap(c.event.Buf) + cap(c.node.Buf) + cap(c.run.Buf) + cap(c.source.Buf) + 108*cap(c.seq)
}

// frame converts row i to a frame of a stream.
func (c *columns) frame(i int, stream *schema.StreamState, bare bool, f *replay.Frame) error {
	f.Stream = stream
	f.Seq = c.seq[i]
	f.At = int64(c.at.Data[i])
	f.Direction = schema.Direction(c.direction[i])
	f.Transport = schema.Transport(c.transport[i])
	f.Flags = schema.Flags(c.flags[i])
	f.Raw = c.raw.RowBytes(i)
	f.Cuts = nil
	if cuts := c.cuts.RowBytes(i); len(cuts) > 0 {
		var err error
		if f.Cuts, err = schemaclickhouse.ParseCuts(cuts, f.At); err != nil {
			return err
		}
	}
	if bare {
		f.Envelope = schema.Envelope{}
		return nil
	}
	f.Envelope = schema.Envelope{
		Type: c.kind.Values[i], Session: view(&c.source, i), Run: view(&c.run, i), Node: view(&c.node, i),
		Agent: c.agent.Values[i], EventID: view(&c.event, i),
	}
	return nil
}

// view returns a row as a string without copying it. The string is valid until the column is
// decoded into again, like everything in a frame.
func view(c *proto.ColStr, i int) string {
	p := c.RowBytes(i)
	return unsafe.String(unsafe.SliceData(p), len(p))
}

// dictionary is the index of a LowCardinality column. It allocates one string per
// distinct value; ch-go's own column allocates one per row.
type dictionary struct {
	proto.ColStr
	words []string
	known map[string]string // kept between blocks, bounded
}

func (d *dictionary) Row(i int) string { return d.words[i] }

func (d *dictionary) DecodeColumn(r *proto.Reader, rows int) error {
	if err := d.ColStr.DecodeColumn(r, rows); err != nil {
		return err
	}
	if d.known == nil || len(d.known) > maxKnown {
		d.known = map[string]string{}
	}
	d.words = d.words[:0]
	for i := range rows {
		raw := d.RowBytes(i)
		word, ok := d.known[string(raw)]
		if !ok {
			word = string(raw)
			d.known[word] = word
		}
		d.words = append(d.words, word)
	}
	return nil
}

const maxKnown = 1000
