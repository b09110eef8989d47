package query_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionframes"
	"tapedeck/query/session/timeline"
	"tapedeck/query/session/transcript"
	"tapedeck/schema"
)

// Whatever is asked of one session reads its own rows and, of each table, the
// granules that these lie in: not the other sessions, of which there are 600,000
// rows in every table.
func TestOneSessionIsReadByKey(t *testing.T) {
	fulltest.Long(t)
	db := querytest.New(t)
	const rows = `SELECT 'acme' AS tenant, 's' || toString(intDiv(number, 1000)) AS session_id, '019cad0a-0000-7000-8000-000000000001' AS stream_id,
		number % 1000 AS n, toDateTime('2026-03-02 10:00:00', 'UTC') AS stream_started, toDateTime64(stream_started, 9, 'UTC') + n AS at FROM numbers(600000)`
	db.Exec(`INSERT INTO frames (tenant, session_id, stream_id, seq, stream_started, captured_at, type, raw)
		SELECT tenant, session_id, stream_id, n, stream_started, at, 'chunk', '{}\n' FROM (` + rows + `)`)
	db.Exec(`INSERT INTO spans (tenant, session_id, stream_id, span_id, seen_at, seen_seq, version, kind, status, started, ended)
		SELECT tenant, session_id, stream_id, toString(n), at, n, 1, 'tool', 'ok', at, at FROM (` + rows + `)`)
	db.Exec(`INSERT INTO usage (tenant, session_id, stream_id, usage_id, seen_at, seen_seq, version, mode, at, input)
		SELECT tenant, session_id, stream_id, toString(n), at, n, 1, 'add', at, 1 FROM (` + rows + `)`)
	db.Exec(`INSERT INTO messages (tenant, session_id, stream_id, message_id, seen_at, seen_seq, version, kind, text, complete, started, ended)
		SELECT tenant, session_id, stream_id, toString(n), at, n, 1, 'assistant', 'a word', 1, at, at FROM (` + rows + `)`)
	db.Exec(`INSERT INTO streams (tenant, session_id, stream_id, first_seq, stream_started, version, dialect, first_at, last_at, frames, ended)
		SELECT tenant, session_id, stream_id, n, stream_started, 1, 'loom', at, at, 1, at FROM (` + rows + `)`)
	r, tenant := query.NewReader(db.Conn), db.Tenant
	frames := sessionframes.Query{Tenant: tenant, Session: "s300", Limit: 100}
	middle := schema.Position{At: querytest.AtSecond(500), StreamID: querytest.StreamID(1), Seq: 500}
	for name, ask := range map[string]func(ctx context.Context) error{
		"session":  func(ctx context.Context) error { _, err := sessiondetail.Read(ctx, r, tenant, "s300"); return err },
		"timeline": func(ctx context.Context) error { _, err := timeline.Read(ctx, r, tenant, "s300"); return err },
		"frames":   func(ctx context.Context) error { _, err := sessionframes.Read(ctx, r, frames); return err },
		"one frame": func(ctx context.Context) error {
			_, err := sessionframes.ReadOne(ctx, r, tenant, "s300", middle)
			return err
		},
		"index": func(ctx context.Context) error { _, err := sessionframes.ReadIndex(ctx, r, frames, 100); return err },
		"types": func(ctx context.Context) error { _, err := sessionframes.ReadTypes(ctx, r, tenant, "s300"); return err },
		"density": func(ctx context.Context) error {
			_, err := sessionframes.ReadDensity(ctx, r, tenant, "s300", 100)
			return err
		},
		"transcript": func(ctx context.Context) error {
			_, err := transcript.Read(ctx, r, transcript.Query{Tenant: tenant, Session: "s300", Limit: 100})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var read atomic.Uint64 // statements run side by side
			ctx := clickhouse.Context(t.Context(), clickhouse.WithProgress(func(p *clickhouse.Progress) { read.Add(p.Rows) }))
			if err := ask(ctx); err != nil {
				t.Fatal(err)
			}
			// Of several statements: twice as much as is read now at most.
			const granule = 8192
			if n := read.Load(); n == 0 || n > 10*granule {
				t.Errorf("%d rows were read", n)
			}
		})
	}
}
