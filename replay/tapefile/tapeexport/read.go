package tapeexport

import (
	"context"
	"fmt"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/replay/clickhouse/factsql"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// each runs a statement for the session and calls scan for each row.
func (f *Session) each(ctx context.Context, statement string, scan func(row func(...any) error) error) error {
	first, last := f.bounds()
	rows, err := f.source.db.Query(ctx, statement, driver.Named("tenant", f.tenant), driver.Named("session", f.id),
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

// bounds returns when the session's first and last frames arrived, ns.
func (f *Session) bounds() (first, last int64) {
	for i := range f.segments {
		if first == 0 || f.segments[i].FirstAt < first {
			first = f.segments[i].FirstAt
		}
		last = max(last, f.segments[i].LastAt)
	}
	return first, last
}

func (f *Session) readSegments(ctx context.Context) (list []schema.StreamState, err error) {
	err = f.each(ctx, segments, func(row func(...any) error) error {
		var s schema.StreamState
		var transport string
		c := &s.Counters
		err := row(&s.StreamID, &s.FirstSeq, &s.Version, &transport, &s.Dialect, &s.Evidence, &s.Source, &s.Tags,
			&s.Title,
			&s.FirstAt, &s.LastAt, &s.Frames, &s.Bytes, &s.Ended, &s.EndReason,
			&s.Recorder, &s.Digest, &s.Key, &s.DecoderVersion, &s.Redacted, &s.Limits,
			&c.NotJSON, &c.InvalidUTF8, &c.Oversize, &c.Unknown, &c.Lost, &c.Repeated, &c.Back)
		if err == nil {
			s.Transport, err = schema.ParseTransport(transport)
		}
		list = append(list, s)
		return err
	})
	return list, err
}

// writeFacts writes the facts of the segments, kind by kind.
func (f *Session) writeFacts(ctx context.Context, w *tapefile.Writer) error {
	p := newFactBuffer(w, f.segments)
	err := f.facts(ctx, factsql.Spans, func(row func(...any) error, to []any, fact *schema.Fact, at *key) error {
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
	err = f.facts(ctx, factsql.Messages, func(row func(...any) error, to []any, fact *schema.Fact, at *key) error {
		m := schema.Message{}
		err := row(append(to, (*string)(&m.Kind), &m.Span, &m.Name, &m.Text, &m.Media, &m.Complete, &m.Started,
			&m.Ended,
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
	err = f.facts(ctx, factsql.Usage, func(row func(...any) error, to []any, fact *schema.Fact, at *key) error {
		u := schema.Usage{}
		t := &u.Tokens
		to = append(to, &u.Scope, (*string)(&u.Mode), &u.At, &u.Span, &u.Model, &u.Provider,
			&t.Input, &t.CacheRead, &t.CacheWrite5m, &t.CacheWrite1h, &t.Output, &t.Reasoning, &u.Total, &u.Raw)
		for _, text := range u.Billing.Texts() {
			to = append(to, text)
		}
		for _, n := range u.Billing.Counts() {
			to = append(to, n)
		}
		err := row(to...)
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

// facts reads the facts of one table. scan reads a row into to, the fields common to all facts, and
// into the fields of the kind.
func (f *Session) facts(
	ctx context.Context, table string, scan func(row func(...any) error, to []any, fact *schema.Fact, at *key) error,
) error {
	err := f.each(ctx, factsql.All(table), func(row func(...any) error) error {
		var fact schema.Fact
		var at key
		to := []any{&at.stream, &at.first, &fact.ID, &fact.Run, &fact.Node, &fact.Agent, &fact.SeenAt, &fact.SeenSeq,
			&fact.Version}
		return scan(row, to, &fact, &at)
	})
	if err != nil {
		return fmt.Errorf("read the %s of session %q: %w", table, f.id, err)
	}
	return nil
}
