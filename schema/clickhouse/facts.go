package clickhouse

import (
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// factColumns are the common columns of the tables spans, messages and usage.
type factColumns struct {
	table
	tenant, agent, dialect *lowCardinality
	session, stream, id    *text
	run, node              *text
	seenAt                 *dateTime64
	seenSeq, version       *proto.ColUInt64
	firstSeq               *proto.ColUInt64
}

func newFactColumns(name, id string) factColumns {
	c := factColumns{table: table{name: name}}
	t := &c.table
	c.tenant = column(t, "tenant", newWord())
	c.session = column(t, "session_id", new(text))
	c.stream = column(t, "stream_id", new(text))
	c.id = column(t, id, new(text))
	c.seenAt = column(t, "seen_at", newInstant())
	c.seenSeq = column(t, "seen_seq", new(proto.ColUInt64))
	c.version = column(t, "version", new(proto.ColUInt64))
	c.run = column(t, "run_id", new(text))
	c.node = column(t, "node_id", new(text))
	c.agent = column(t, "agent", newWord())
	c.dialect = column(t, "dialect", newWord())
	c.firstSeq = column(t, "first_seq", new(proto.ColUInt64))
	return c
}

func (c *factColumns) add(tenant string, b *block.Block, f *schema.Fact) {
	c.tenant.Append(tenant)
	c.session.add(b.Session)
	c.stream.add(b.State.StreamID)
	c.id.add(f.ID)
	c.seenAt.add(f.SeenAt)
	c.seenSeq.Append(f.SeenSeq)
	c.version.Append(f.Version)
	c.run.add(f.Run)
	c.node.add(f.Node)
	c.agent.Append(f.Agent)
	c.dialect.Append(b.State.Dialect)
	c.firstSeq.Append(b.State.FirstSeq)
}

type spanColumns struct {
	factColumns
	kind, name, status, model, provider *lowCardinality
	parent, call, err, attributes       *text
	started, ended, first               *dateTime64
	duration                            *proto.ColInt64
}

func newSpanColumns() *spanColumns {
	c := &spanColumns{factColumns: newFactColumns("spans", "span_id")}
	t := &c.table
	c.kind = column(t, "kind", newWord())
	c.parent = column(t, "parent_id", new(text))
	c.name = column(t, "name", newWord())
	c.status = column(t, "status", newWord())
	c.started = column(t, "started", newInstant())
	c.ended = column(t, "ended", newInstant())
	c.first = column(t, "first_token", newInstant())
	c.duration = column(t, "duration_ns", new(proto.ColInt64))
	c.call = column(t, "call_id", new(text))
	c.model = column(t, "model", newWord())
	c.provider = column(t, "provider", newWord())
	c.err = column(t, "error", new(text))
	c.attributes = column(t, "attributes", new(text))
	return c
}

func (c *spanColumns) addAll(tenant string, b *block.Block) {
	for i := range b.Facts.Spans {
		s := &b.Facts.Spans[i]
		c.add(tenant, b, &s.Fact)
		c.kind.Append(string(s.Kind))
		c.parent.add(s.Parent)
		c.name.Append(s.Name)
		c.status.Append(string(s.Status))
		c.started.add(s.Started)
		c.ended.add(s.Ended)
		c.first.add(s.FirstToken)
		c.duration.Append(s.Duration)
		c.call.add(s.CallID)
		c.model.Append(s.Model)
		c.provider.Append(s.Provider)
		c.err.add(s.Error)
		c.attributes.add(s.Attributes)
	}
}

type messageColumns struct {
	factColumns
	kind, name, media      *lowCardinality
	span, body, attributes *text
	complete               *proto.ColBool
	started, ended         *dateTime64
	chunkAt                *proto.ColArr[int64]
	chunkEnd               *proto.ColArr[uint32]
}

func newMessageColumns() *messageColumns {
	c := &messageColumns{factColumns: newFactColumns("messages", "message_id")}
	t := &c.table
	c.kind = column(t, "kind", newWord())
	c.span = column(t, "span_id", new(text))
	c.name = column(t, "name", newWord())
	c.body = column(t, "text", new(text))
	c.media = column(t, "media", newWord())
	c.complete = column(t, "complete", new(proto.ColBool))
	c.started = column(t, "started", newInstant())
	c.ended = column(t, "ended", newInstant())
	c.chunkAt = column(t, "chunk_at", proto.NewArray[int64](new(proto.ColInt64)))
	c.chunkEnd = column(t, "chunk_end", proto.NewArray[uint32](new(proto.ColUInt32)))
	c.attributes = column(t, "attributes", new(text))
	return c
}

func (c *messageColumns) addAll(tenant string, b *block.Block) {
	for i := range b.Facts.Messages {
		m := &b.Facts.Messages[i]
		c.add(tenant, b, &m.Fact)
		c.kind.Append(string(m.Kind))
		c.span.add(m.Span)
		c.name.Append(m.Name)
		c.body.add(m.Text)
		c.media.Append(m.Media)
		c.complete.Append(m.Complete)
		c.started.add(m.Started)
		c.ended.add(m.Ended)
		c.chunkAt.Append(m.ChunkAt)
		c.chunkEnd.Append(m.ChunkEnd)
		c.attributes.add(m.Attributes)
	}
}

type usageColumns struct {
	factColumns
	mode, model, provider *lowCardinality
	scope, span, raw      *text
	at                    *dateTime64
	counts                [7]*proto.ColUInt64
	billing               billingColumns
}

func newUsageColumns() *usageColumns {
	c := &usageColumns{factColumns: newFactColumns("usage", "usage_id")}
	t := &c.table
	c.scope = column(t, "scope", new(text))
	c.mode = column(t, "mode", newWord())
	c.at = column(t, "at", newInstant())
	c.span = column(t, "span_id", new(text))
	c.model = column(t, "model", newWord())
	c.provider = column(t, "provider", newWord())
	for i, name := range [...]string{
		"input", "cache_read", "cache_write_5m", "cache_write_1h", "output", "reasoning", "total",
	} {
		c.counts[i] = column(t, name, new(proto.ColUInt64))
	}
	c.raw = column(t, "raw", new(text))
	c.billing.addTo(t)
	return c
}

func (c *usageColumns) addAll(tenant string, b *block.Block) {
	for i := range b.Facts.Usages {
		u := &b.Facts.Usages[i]
		c.add(tenant, b, &u.Fact)
		c.scope.add(u.Scope)
		c.mode.Append(string(u.Mode))
		c.at.add(u.At)
		c.span.add(u.Span)
		c.model.Append(u.Model)
		c.provider.Append(u.Provider)
		for j, n := range [...]uint64{
			u.Tokens.Input, u.Tokens.CacheRead, u.Tokens.CacheWrite5m, u.Tokens.CacheWrite1h,
			u.Tokens.Output, u.Tokens.Reasoning, u.Total,
		} {
			c.counts[j].Append(n)
		}
		c.raw.add(u.Raw)
		c.billing.add(&u.Billing)
	}
}
