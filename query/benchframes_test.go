package query_test

import (
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionframes"
	"tapedeck/query/session/timeline"
	"tapedeck/query/session/transcript"
	"tapedeck/schema"
)

// BenchmarkTenMillionFrames reads one session of ten million frames of four
// streams, in a table of twenty million.
func BenchmarkTenMillionFrames(b *testing.B) {
	db := querytest.New(b)
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
		q    sessionframes.Query
	}{
		{"first page", sessionframes.Query{}},
		{"page in the middle", sessionframes.Query{After: middle}},
		{"page in the middle of a rare type", sessionframes.Query{After: middle, Filter: sessionframes.Filter{Types: []string{"usage"}}}},
	} {
		bm.q.Tenant, bm.q.Session, bm.q.Limit = querytest.Tenant, "big", 200
		b.Run(bm.name, func(b *testing.B) {
			for b.Loop() {
				page, err := sessionframes.Read(ctx, r, bm.q)
				if err != nil || len(page.Items) != 200 {
					b.Fatal(len(page.Items), err)
				}
			}
		})
	}
	b.Run("all as recorded", func(b *testing.B) {
		for b.Loop() {
			frames, bytes := 0, 0
			err := sessionframes.ReadRaw(ctx, r, sessionframes.Query{Tenant: querytest.Tenant, Session: "big"}, func(f *sessionframes.RawFrame) error {
				frames, bytes = frames+1, bytes+len(f.Raw)
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
	db := querytest.New(b)
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
		"session":  func() error { _, err := sessiondetail.Read(ctx, r, querytest.Tenant, "long"); return err },
		"timeline": func() error { _, err := timeline.Read(ctx, r, querytest.Tenant, "long"); return err },
		"transcript, 1000 messages with chunks": func() error {
			_, err := transcript.Read(ctx, r, transcript.Query{Tenant: querytest.Tenant, Session: "long", Limit: 1000, Chunks: true})
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
