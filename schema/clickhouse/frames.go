package clickhouse

import (
	"encoding/binary"
	"fmt"

	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// frameColumns are the columns of the table frames. Names that repeat from frame to frame are sent
// as LowCardinality(String), each once, and ClickHouse converts them to the column's String. This
// reduces CPU time in this process by a sixth.
type frameColumns struct {
	table
	tenant, kind, agent                *lowCardinality
	session, stream, source, run, node *lowCardinality
	event, cuts, raw                   *text
	seq                                *proto.ColUInt64
	flags                              *proto.ColUInt32
	started                            *dateTime
	at                                 *dateTime64
	direction, transport               *enum
	scratch                            []byte
}

func newFrameColumns() *frameColumns {
	c := &frameColumns{table: table{name: "frames"}}
	t := &c.table
	c.tenant = column(t, "tenant", newWord())
	c.session = column(t, "session_id", newWord())
	c.stream = column(t, "stream_id", newWord())
	c.seq = column(t, "seq", new(proto.ColUInt64))
	c.started = column(t, "stream_started", new(dateTime))
	c.at = column(t, "captured_at", newInstant())
	c.direction = column(t, "direction", new(enum))
	c.transport = column(t, "transport", new(enum))
	c.flags = column(t, "flags", new(proto.ColUInt32))
	c.kind = column(t, "type", newWord())
	c.source = column(t, "source_session", newWord())
	c.run = column(t, "run_id", newWord())
	c.node = column(t, "node_id", newWord())
	c.agent = column(t, "agent", newWord())
	c.event = column(t, "event_id", new(text))
	c.cuts = column(t, "cuts", new(text))
	c.raw = column(t, "raw", new(text))
	return c
}

func (c *frameColumns) add(tenant string, b *block.Block, started int64) {
	size := 0
	for i := range b.Frames {
		size += len(b.Frames[i].Raw)
	}
	c.raw.grow(size)
	for i := range b.Frames {
		f := &b.Frames[i]
		c.tenant.Append(tenant)
		c.session.Append(b.Session)
		c.stream.Append(b.State.StreamID)
		c.seq.Append(f.Seq)
		c.started.add(started)
		c.at.add(f.At)
		c.direction.add(uint8(f.Direction))
		c.transport.add(uint8(f.Transport))
		c.flags.Append(uint32(f.Flags))
		c.kind.Append(f.Type)
		c.source.Append(f.Session)
		c.run.Append(f.Run)
		c.node.Append(f.Node)
		c.agent.Append(f.Agent)
		c.event.add(f.EventID)
		c.scratch = AppendCuts(c.scratch[:0], f)
		c.cuts.AppendBytes(c.scratch)
		c.raw.AppendBytes(f.Raw)
	}
}

// AppendCuts encodes a frame's cuts for the column cuts. Each cut is its offset and the time before
// the frame's arrival, ns, both as varints. A frame without cuts adds nothing.
func AppendCuts(dst []byte, f *schema.Frame) []byte {
	for _, cut := range f.Cuts {
		dst = binary.AppendUvarint(dst, uint64(cut.Offset))
		dst = binary.AppendVarint(dst, f.At-cut.At)
	}
	return dst
}

// ParseCuts is the inverse of AppendCuts, for a frame that arrived at a given time, ns.
func ParseCuts(p []byte, at int64) ([]schema.Cut, error) {
	var cuts []schema.Cut
	for len(p) > 0 {
		offset, n := binary.Uvarint(p)
		if n <= 0 || offset > 1<<32-1 {
			return nil, fmt.Errorf("cuts of a frame: bad offset")
		}
		before, m := binary.Varint(p[n:])
		if m <= 0 {
			return nil, fmt.Errorf("cuts of a frame: bad time")
		}
		cuts = append(cuts, schema.Cut{Offset: uint32(offset), At: at - before})
		p = p[n+m:]
	}
	return cuts, nil
}
