package query_test

import (
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// large fills a database with half a million sessions over half a year: one
// stream, four usage records, four tool calls, a run and a model call for each.
func large(b *testing.B) *query.Reader {
	db := querytest.Open(b)
	db.Merge()
	db.Exec(`INSERT INTO streams (tenant, session_id, stream_id, first_seq, stream_started, version, transport, dialect,
		tags, title, first_at, last_at, frames, bytes, ended, end_reason)
	SELECT 'acme', 'run-' || toString(generateUUIDv4(number)), lower(hex(1759276800000 + number * 30000)) || '-' || toString(number), 0,
		toDateTime('2025-10-01 00:00:00', 'UTC') + number * 30 AS began, 9, 'ndjson', 'loom',
		map('customer', 'c' || toString(number % 500)), 'Refactor thing ' || toString(number),
		toDateTime64(began, 9, 'UTC') AS begun, begun + number % 600 AS last, 1000, 136000, last, 'eof'
	FROM numbers(500000)`)
	db.Exec(`INSERT INTO spans (tenant, session_id, stream_id, span_id, seen_at, seen_seq, version, kind, name, status,
		started, ended, run_id, agent, model, dialect)
	SELECT tenant, session_id, stream_id, 'span-' || toString(n) || '-' || stream_id, first_at + n, n, n + 1,
		['run', 'llm', 'tool', 'tool', 'tool', 'tool'][n + 1], ['', 'gpt-5', 'bash', 'read', 'grep', 'edit'][n + 1],
		if(cityHash64(session_id, n) % 50 = 0, 'error', 'ok'), first_at + n, first_at + n + cityHash64(session_id, n) % 1000 / 100,
		'r1', 'agent-' || toString(n % 7), ['', 'gpt-5', '', '', '', ''][n + 1], dialect
	FROM streams ARRAY JOIN range(6) AS n`)
	db.Exec(`INSERT INTO usage (tenant, session_id, stream_id, usage_id, seen_at, seen_seq, version, scope, mode, at, run_id,
		agent, model, provider, input, cache_read, output, reasoning, total, raw, dialect)
	SELECT tenant, session_id, stream_id, 'usage-' || toString(n) || '-' || stream_id, first_at + n, n, n + 1, toString(n), 'add',
		first_at + n, 'r1', 'agent-' || toString(n % 7), ['gpt-5', 'claude-sonnet-4', 'gemini-3', 'gpt-5'][n + 1],
		['openai', 'anthropic', 'google', 'openai'][n + 1], 1000 + n, 20000, 300, 50, 21350 + n, '{"total_tokens":21350}', dialect
	FROM streams ARRAY JOIN range(4) AS n`)
	return query.NewReader(db.Conn)
}

func BenchmarkHalfAMillionSessions(b *testing.B) {
	r := large(b)
	ctx, tenant := b.Context(), querytest.Tenant
	month := func(m time.Month) time.Time { return time.Date(2026, m, 1, 0, 0, 0, 0, time.UTC) }
	page, err := r.Sessions(ctx, query.SessionQuery{Tenant: tenant, Limit: 50})
	if err != nil {
		b.Fatal(err)
	}
	some := page.Items[20].ID
	for _, bm := range []struct {
		name string
		ask  func() error
	}{
		{"list", func() error {
			_, err := r.Sessions(ctx, query.SessionQuery{Tenant: tenant, Limit: 50})
			return err
		}},
		{"list/second page", func() error {
			_, err := r.Sessions(ctx, query.SessionQuery{Tenant: tenant, Limit: 50, Cursor: *page.Next})
			return err
		}},
		{"list/text and tag", func() error {
			_, err := r.Sessions(ctx, query.SessionQuery{Tenant: tenant, Limit: 50, SessionFilter: query.SessionFilter{
				Text: "thing 77", Tags: []query.TagFilter{{Key: "customer", Value: "c77"}},
			}})
			return err
		}},
		{"list/tool and model", func() error {
			_, err := r.Sessions(ctx, query.SessionQuery{Tenant: tenant, Limit: 50, SessionFilter: query.SessionFilter{
				Tools: []string{"bash"}, Models: []string{"gpt-5"},
			}})
			return err
		}},
		{"list/failed", func() error {
			_, err := r.Sessions(ctx, query.SessionQuery{Tenant: tenant, Limit: 50, SessionFilter: query.SessionFilter{
				Statuses: []query.SessionStatus{query.Failed},
			}})
			return err
		}},
		{"list/fine", func() error {
			_, err := r.Sessions(ctx, query.SessionQuery{Tenant: tenant, Limit: 50, SessionFilter: query.SessionFilter{
				Statuses: []query.SessionStatus{query.Fine},
			}})
			return err
		}},
		{"session", func() error {
			_, err := r.Session(ctx, tenant, some)
			return err
		}},
		{"timeline", func() error {
			_, err := r.Timeline(ctx, tenant, some)
			return err
		}},
		{"usage/2M records by model", func() error {
			_, err := r.Usage(ctx, query.UsageQuery{Tenant: tenant, GroupBy: []string{"model"}})
			return err
		}},
		{"usage/a month by day, customer and model", func() error {
			_, err := r.Usage(ctx, query.UsageQuery{
				Tenant: tenant, From: month(1), To: month(2), Granularity: query.Daily, GroupBy: []string{"tag:customer", "model"},
			})
			return err
		}},
		{"tools/2M calls by tool", func() error {
			_, err := r.Tools(ctx, query.ToolQuery{Tenant: tenant, GroupBy: []string{"tool"}})
			return err
		}},
		{"tools/a month by day and tool, slowest", func() error {
			_, err := r.Tools(ctx, query.ToolQuery{
				Tenant: tenant, From: month(1), To: month(2), Granularity: query.Daily, GroupBy: []string{"tool"}, Slowest: 20,
			})
			return err
		}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			for b.Loop() {
				if err := bm.ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTenMillionFrames reads one session of ten million frames of four
// streams, in a table of twenty million.
func BenchmarkTenMillionFrames(b *testing.B) {
	db := querytest.Open(b)
	db.Merge()
	db.Exec(`INSERT INTO frames (tenant, session_id, stream_id, seq, stream_started, captured_at, direction, transport, flags,
		type, run_id, node_id, agent, event_id, raw)
	SELECT 'acme', if(number % 2 = 0, 'big', 'other-' || toString(number % 5000)),
		'019cad0a-0000-7000-8000-00000000000' || toString(intDiv(number, 2) % 4), intDiv(number, 8),
		toDateTime('2026-03-02 10:00:00', 'UTC'), toDateTime64('2026-03-02 10:00:00', 9, 'UTC') + number / 1000,
		'receive', 'ndjson', 0, ['message_chunk', 'tool_call', 'usage'][1 + least(2, intDiv(number / 2 % 1000, 499))], 'r1',
		'run-think-' || toString(intDiv(number, 50000)), '', toString(number),
		'{"type":"message_chunk","content":"' || toString(cityHash64(number)) || ' words","session_id":"r1","event_id":' || toString(number) || '}\n'
	FROM numbers(20000000)`)
	db.Exec(`INSERT INTO streams (tenant, session_id, stream_id, first_seq, stream_started, version, transport, dialect, first_at, last_at, frames, bytes, ended)
	SELECT tenant, session_id, stream_id, 0, any(stream_started), 1, 'ndjson', 'loom', min(captured_at), max(captured_at), count(), sum(length(raw)), max(captured_at)
	FROM frames WHERE session_id = 'big' GROUP BY tenant, session_id, stream_id`)
	r := query.NewReader(db.Conn)
	ctx := b.Context()
	middle := schema.Position{At: querytest.Start.Add(10000 * time.Second).UnixNano(), StreamID: querytest.StreamID(1), Seq: 3}
	for _, bm := range []struct {
		name string
		q    query.FrameQuery
	}{
		{"first page", query.FrameQuery{}},
		{"page in the middle", query.FrameQuery{After: middle}},
		{"page in the middle of a rare type", query.FrameQuery{After: middle, FrameFilter: query.FrameFilter{Types: []string{"usage"}}}},
	} {
		bm.q.Tenant, bm.q.Session, bm.q.Limit = querytest.Tenant, "big", 200
		b.Run(bm.name, func(b *testing.B) {
			for b.Loop() {
				page, err := r.Frames(ctx, bm.q)
				if err != nil || len(page.Items) != 200 {
					b.Fatal(len(page.Items), err)
				}
			}
		})
	}
	b.Run("all as recorded", func(b *testing.B) {
		for b.Loop() {
			frames, bytes := 0, 0
			err := r.RawFrames(ctx, query.FrameQuery{Tenant: querytest.Tenant, Session: "big"}, func(_ schema.Transport, raw string) error {
				frames, bytes = frames+1, bytes+len(raw)
				return nil
			})
			if err != nil || frames != 10_000_000 {
				b.Fatal(frames, err)
			}
			b.SetBytes(int64(bytes))
		}
	})
}

// BenchmarkLongSession opens one session of 20,000 spans, 5,000 usage records
// and 10,000 messages of 100 chunks, beside 5,000 others.
func BenchmarkLongSession(b *testing.B) {
	db := querytest.Open(b)
	db.Merge()
	db.Exec(`INSERT INTO streams (tenant, session_id, stream_id, first_seq, stream_started, version, transport, dialect, first_at, last_at, frames, bytes, ended)
	SELECT 'acme', if(number = 0, 'long', 'other-' || toString(number)), '019cad0a-0000-7000-8000-000000000001', 0, toDateTime('2026-03-02 10:00:00', 'UTC'), 1, 'ndjson', 'loom',
		toDateTime64('2026-03-02 10:00:00', 9, 'UTC'), first_at_plus, 1000000, 100000000, first_at_plus
	FROM (SELECT number, toDateTime64('2026-03-02 16:00:00', 9, 'UTC') AS first_at_plus FROM numbers(5001))`)
	db.Exec(`INSERT INTO spans (tenant, session_id, stream_id, span_id, seen_at, seen_seq, version, kind, parent_id, name, status, started, ended, run_id, agent, attributes, dialect)
	SELECT 'acme', if(number < 20000, 'long', 'other-' || toString(number % 5000)), '019cad0a-0000-7000-8000-000000000001', 'span-' || toString(number),
		toDateTime64('2026-03-02 10:00:00', 9, 'UTC') + number % 20000 AS at, number, number + 1, if(number % 100 = 0, 'run', 'tool'),
		if(number % 100 = 0, '', 'span-' || toString(intDiv(number, 100) * 100)), 'bash', 'ok', at, at + 1, 'run-' || toString(intDiv(number, 100)), 'main',
		'{"arguments":{"command":"go test ./... and a few words more"}}', 'loom'
	FROM numbers(1000000)`)
	db.Exec(`INSERT INTO usage (tenant, session_id, stream_id, usage_id, seen_at, seen_seq, version, scope, mode, at, span_id, run_id, model, input, output, raw)
	SELECT tenant, session_id, stream_id, 'u' || span_id, seen_at, seen_seq, version, span_id, 'add', seen_at, span_id, run_id, 'gpt-5', 100, 10, '{"total_tokens":110}'
	FROM spans WHERE seen_seq % 4 = 0`)
	db.Exec(`INSERT INTO messages (tenant, session_id, stream_id, message_id, seen_at, seen_seq, version, kind, span_id, text, media, complete, started, ended, chunk_at, chunk_end, run_id)
	SELECT tenant, session_id, stream_id, 'm' || span_id, seen_at, seen_seq, version, 'assistant', span_id, repeat('twenty bytes of text', 50), 'text', 1, started, ended,
		arrayMap(i -> toUnixTimestamp64Nano(started) + i * 10000000, range(100)), arrayMap(i -> i * 10, range(1, 101)), run_id
	FROM spans WHERE seen_seq % 2 = 0 AND session_id = 'long'`)
	r := query.NewReader(db.Conn)
	ctx := b.Context()
	for name, ask := range map[string]func() error{
		"session":  func() error { _, err := r.Session(ctx, querytest.Tenant, "long"); return err },
		"timeline": func() error { _, err := r.Timeline(ctx, querytest.Tenant, "long"); return err },
		"transcript, 1000 messages with chunks": func() error {
			_, err := r.Transcript(ctx, query.TranscriptQuery{Tenant: querytest.Tenant, Session: "long", Limit: 1000, Chunks: true})
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
