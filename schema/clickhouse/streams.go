package clickhouse

import (
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/schema"
)

type streamColumns struct {
	table
	tenant, transport, dialect               *lowCardinality
	session, stream, evidence, source, title *text
	endReason, recorder, digest, key, limits *text
	tags                                     *proto.ColMap[string, string]
	firstSeq, version, frames, bytes         *proto.ColUInt64
	decoders                                 *proto.ColUInt32
	redacted                                 *proto.ColMap[string, uint64]
	started                                  *dateTime
	firstAt, lastAt, ended                   *dateTime64
	counters                                 [7]*proto.ColUInt64
}

func newStreamColumns() *streamColumns {
	c := &streamColumns{table: table{name: "streams"}}
	t := &c.table
	c.tenant = column(t, "tenant", newWord())
	c.session = column(t, "session_id", new(text))
	c.stream = column(t, "stream_id", new(text))
	c.firstSeq = column(t, "first_seq", new(proto.ColUInt64))
	c.started = column(t, "stream_started", new(dateTime))
	c.version = column(t, "version", new(proto.ColUInt64))
	c.transport = column(t, "transport", newWord())
	c.dialect = column(t, "dialect", newWord())
	c.evidence = column(t, "evidence", new(text))
	c.source = column(t, "source", new(text))
	c.tags = column(t, "tags", proto.NewMap[string, string](new(proto.ColStr).LowCardinality(), new(proto.ColStr)))
	c.title = column(t, "title", new(text))
	c.firstAt = column(t, "first_at", newInstant())
	c.lastAt = column(t, "last_at", newInstant())
	c.frames = column(t, "frames", new(proto.ColUInt64))
	c.bytes = column(t, "bytes", new(proto.ColUInt64))
	c.ended = column(t, "ended", newInstant())
	c.endReason = column(t, "end_reason", new(text))
	c.recorder = column(t, "recorder", new(text))
	c.digest = column(t, "digest", new(text))
	c.key = column(t, "ingest_key", new(text))
	c.decoders = column(t, "decoder_version", new(proto.ColUInt32))
	c.redacted = column(t, "redacted",
		proto.NewMap[string, uint64](new(proto.ColStr).LowCardinality(), new(proto.ColUInt64)))
	c.limits = column(t, "limits", new(text))
	for i, name := range [...]string{
		"not_json", "invalid_utf8", "oversize", "unknown", "lost", "repeated", "back",
	} {
		c.counters[i] = column(t, name, new(proto.ColUInt64))
	}
	return c
}

func (c *streamColumns) add(tenant, session string, s *schema.StreamState, started int64) {
	c.tenant.Append(tenant)
	c.session.add(session)
	c.stream.add(s.StreamID)
	c.firstSeq.Append(s.FirstSeq)
	c.started.add(started)
	c.version.Append(s.Version)
	c.transport.Append(s.Transport.String())
	c.dialect.Append(s.Dialect)
	c.evidence.add(s.Evidence)
	c.source.add(s.Source)
	c.tags.Append(ownNames(s.Tags))
	c.title.add(s.Title)
	c.firstAt.add(s.FirstAt)
	c.lastAt.add(s.LastAt)
	c.frames.Append(s.Frames)
	c.bytes.Append(s.Bytes)
	c.ended.add(s.Ended)
	c.endReason.add(s.EndReason)
	c.recorder.add(s.Recorder)
	c.digest.add(s.Digest)
	c.key.add(s.Key)
	c.decoders.Append(s.DecoderVersion)
	c.redacted.Append(ownNames(s.Redacted))
	c.limits.add(s.Limits)
	n := &s.Counters
	for i, v := range [...]uint64{n.NotJSON, n.InvalidUTF8, n.Oversize, n.Unknown, n.Lost, n.Repeated, n.Back} {
		c.counters[i].Append(v)
	}
}

// ownNames copies a map, since the column keeps its keys until it is written.
func ownNames[V any](of map[string]V) map[string]V {
	own := make(map[string]V, len(of))
	for k, v := range of {
		own[strings.Clone(k)] = v
	}
	return own
}
