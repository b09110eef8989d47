package tapeexport

import (
	"context"
	"fmt"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/replay/tapefile"
	"tapedeck/schema"
	"tapedeck/schema/block"
	"tapedeck/schema/tombstone"
)

// What counts of a stream that was decoded anew is what redecodes names, and
// parts that came later, as in query/sql/current.sql.
var ofSession = `tenant = {tenant:String} AND session_id = {session:String}
  AND ` + tombstone.Visible(tombstone.OfSession) + `
  AND if(generation = 0,
    (stream_id, first_seq) NOT IN (
      SELECT stream_id, arrayJoin(parts) FROM redecodes FINAL WHERE tenant = {tenant:String} AND session_id = {session:String}),
    (stream_id, generation) IN (
      SELECT stream_id, generation FROM redecodes FINAL WHERE tenant = {tenant:String} AND session_id = {session:String}))`

var partsQuery = `SELECT stream_id, first_seq, version, toString(transport), dialect, evidence, source, tags, title,
  toUnixTimestamp64Nano(first_at), toUnixTimestamp64Nano(last_at), frames, bytes, toUnixTimestamp64Nano(ended), end_reason,
  recorder, digest, ingest_key,
  not_json, invalid_utf8, oversize, unknown, lost, repeated, back
FROM streams FINAL WHERE ` + ofSession + ` ORDER BY first_at, stream_id, first_seq`

// Facts are first seen with a frame of the session, so that only its days are read.
var ofFacts = ` FINAL WHERE ` + ofSession + `
  AND toDate(seen_at) BETWEEN toDate(fromUnixTimestamp64Nano({first:Int64}, 'UTC')) AND toDate(fromUnixTimestamp64Nano({last:Int64}, 'UTC'))`

const (
	// factFields are those that all facts have, after the stream and its part.
	factFields = `stream_id, first_seq, %s, run_id, node_id, agent, toUnixTimestamp64Nano(seen_at), seen_seq, version`

	spanFields = `toString(kind), parent_id, name, toString(status), toUnixTimestamp64Nano(started), toUnixTimestamp64Nano(ended),
  toUnixTimestamp64Nano(first_token), duration_ns, call_id, model, provider, error, attributes`
	messageFields = `toString(kind), span_id, name, text, media, complete, toUnixTimestamp64Nano(started), toUnixTimestamp64Nano(ended),
  chunk_at, chunk_end, attributes`
	usageFields = `scope, toString(mode), toUnixTimestamp64Nano(at), span_id, model, provider,
  input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, total, raw`
)

// each runs a query of the session and has scan read each row.
func (f *Session) each(ctx context.Context, query string, scan func(row func(...any) error) error) error {
	first, last := f.bounds()
	rows, err := f.source.db.Query(ctx, query, driver.Named("tenant", f.tenant), driver.Named("session", f.id),
		driver.Named("first", first), driver.Named("last", last))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// bounds are when the session's first and last frames arrived, ns.
func (f *Session) bounds() (first, last int64) {
	for i := range f.parts {
		if first == 0 || f.parts[i].FirstAt < first {
			first = f.parts[i].FirstAt
		}
		last = max(last, f.parts[i].LastAt)
	}
	return first, last
}

func (f *Session) readParts(ctx context.Context) (parts []schema.StreamState, err error) {
	err = f.each(ctx, partsQuery, func(row func(...any) error) error {
		var s schema.StreamState
		var transport string
		c := &s.Counters
		err := row(&s.StreamID, &s.FirstSeq, &s.Version, &transport, &s.Dialect, &s.Evidence, &s.Source, &s.Tags, &s.Title,
			&s.FirstAt, &s.LastAt, &s.Frames, &s.Bytes, &s.Ended, &s.EndReason, &s.Recorder, &s.Digest, &s.Key,
			&c.NotJSON, &c.InvalidUTF8, &c.Oversize, &c.Unknown, &c.Lost, &c.Repeated, &c.Back)
		if err == nil {
			s.Transport, err = schema.ParseTransport(transport)
		}
		parts = append(parts, s)
		return err
	})
	return parts, err
}

// writeFacts writes the facts of the parts, kind by kind.
func (f *Session) writeFacts(ctx context.Context, w *tapefile.Writer) error {
	p := newPile(w, f.parts)
	err := f.facts(ctx, "spans", "span_id", spanFields, func(row func(...any) error, to []any, fact *schema.Fact, at *key) error {
		s := schema.Span{}
		err := row(append(to, (*string)(&s.Kind), &s.Parent, &s.Name, (*string)(&s.Status), &s.Started, &s.Ended,
			&s.FirstToken, &s.Duration, &s.CallID, &s.Model, &s.Provider, &s.Error, &s.Attributes)...)
		s.Fact = *fact
		if err != nil {
			return err
		}
		return p.add(*at, len(s.Attributes)+len(s.Error), func(b *block.Facts) { b.Spans = append(b.Spans, s) })
	})
	if err != nil {
		return err
	}
	err = f.facts(ctx, "messages", "message_id", messageFields, func(row func(...any) error, to []any, fact *schema.Fact, at *key) error {
		m := schema.Message{}
		err := row(append(to, (*string)(&m.Kind), &m.Span, &m.Name, &m.Text, &m.Media, &m.Complete, &m.Started, &m.Ended,
			&m.ChunkAt, &m.ChunkEnd, &m.Attributes)...)
		m.Fact = *fact
		if err != nil {
			return err
		}
		if len(m.ChunkAt) != len(m.ChunkEnd) {
			return fmt.Errorf("message %q has %d times for %d chunks", m.ID, len(m.ChunkAt), len(m.ChunkEnd))
		}
		return p.add(*at, len(m.Text)+12*len(m.ChunkAt), func(b *block.Facts) { b.Messages = append(b.Messages, m) })
	})
	if err != nil {
		return err
	}
	err = f.facts(ctx, "usage", "usage_id", usageFields, func(row func(...any) error, to []any, fact *schema.Fact, at *key) error {
		u := schema.Usage{}
		t := &u.Tokens
		err := row(append(to, &u.Scope, (*string)(&u.Mode), &u.At, &u.Span, &u.Model, &u.Provider,
			&t.Input, &t.CacheRead, &t.CacheWrite5m, &t.CacheWrite1h, &t.Output, &t.Reasoning, &u.Total, &u.Raw)...)
		u.Fact = *fact
		if err != nil {
			return err
		}
		return p.add(*at, len(u.Raw), func(b *block.Facts) { b.Usages = append(b.Usages, u) })
	})
	if err != nil {
		return err
	}
	return p.flush()
}

// facts reads the facts of one table. scan reads a row into to, which are the
// fields that all facts have, and those of its kind.
func (f *Session) facts(ctx context.Context, table, id, fields string, scan func(row func(...any) error, to []any, fact *schema.Fact, at *key) error) error {
	query := "SELECT " + fmt.Sprintf(factFields, id) + ",\n  " + fields + "\nFROM " + table + ofFacts
	err := f.each(ctx, query, func(row func(...any) error) error {
		var fact schema.Fact
		var at key
		to := []any{&at.stream, &at.first, &fact.ID, &fact.Run, &fact.Node, &fact.Agent, &fact.SeenAt, &fact.SeenSeq, &fact.Version}
		return scan(row, to, &fact, &at)
	})
	if err != nil {
		return fmt.Errorf("read the %s of session %q: %w", table, f.id, err)
	}
	return nil
}
