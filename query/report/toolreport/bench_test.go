package toolreport_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/toolreport"
)

// benchTools is the number of calls of the benchmark, in 31 days.
const benchTools = 100_000

// monthOfTools returns a month of calls of tools, five in each session, below a run. One in fifty has no
// end, and one in a hundred has a second row, of another stream.
func monthOfTools(b *testing.B) *querytest.DB {
	db := querytest.Month(b, benchTools)
	db.Exec(`INSERT INTO spans (tenant, session_id, stream_id, span_id, seen_at, seen_seq, version, kind, name, status,
		started, ended, run_id, parent_id, agent, dialect)
	SELECT tenant, session_id, stream_id, if(n = 5, 'run', 'tool-' || toString(n)), first_at + n, n, n + 1, if(n = 5, 'run', 'tool'),
		if(n = 5, '', ['bash', 'read', 'edit', 'search', 'fetch', 'psql'][cityHash64(session_id, n) % 6 + 1]),
		multiIf(n = 5, 'ok', cityHash64(session_id, n) % 50 = 0, 'unclosed', cityHash64(session_id, n) % 50 = 1, 'error', 'ok') AS how, first_at + n,
		if(how = 'unclosed', toDateTime64(0, 9, 'UTC'), first_at + n + cityHash64(session_id, n) % 1000 / 100),
		'run', if(n = 5, '', 'run'), 'agent-' || toString(n % 7), dialect
	FROM streams ARRAY JOIN range(6) AS n`)
	db.Exec(`INSERT INTO spans (tenant, session_id, stream_id, span_id, seen_at, seen_seq, version, kind, status, ended, dialect)
	SELECT tenant, session_id, toString(generateUUIDv7()), span_id, seen_at + 1, 1, 1, 'tool', 'ok', ended, dialect
	FROM spans WHERE kind = 'tool' AND status = 'ok' AND cityHash64(session_id, span_id) % 100 = 0`)
	return db
}

// ClickHouse's processor time for a report on a month by tool, and for the page of tools: by day and tool,
// with the 100 slowest calls.
func BenchmarkTools(b *testing.B) {
	db := monthOfTools(b)
	ctx := b.Context()
	reader := querytest.Reader(db, 100*86400)
	settler := rollup.NewSettler(querytest.Reader(db, 100*86400, query.WithLimits(query.Limits{Time: 5 * time.Minute, Memory: 2 << 30, Threads: 1})), slog.New(slog.DiscardHandler))
	report := func(r *query.Reader, q toolreport.Query) func(context.Context) error {
		return func(ctx context.Context) error {
			q.Tenant, q.From, q.To = querytest.Tenant, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
			got, err := toolreport.Read(ctx, r, q)
			if err == nil && got.Totals.Calls != benchTools {
				b.Fatalf("%d calls", got.Totals.Calls)
			}
			return err
		}
	}
	byTool := toolreport.Query{GroupBy: []string{"tool"}}
	page := toolreport.Query{GroupBy: []string{"tool"}, Granularity: grouping.Daily, Slowest: 100}
	tables := querytest.Reader(db, 100*86400, query.WithoutSettled())
	if err := settler.Settle(ctx); err != nil {
		b.Fatal(err)
	}
	for _, bm := range []struct {
		name string
		ask  func(context.Context) error
	}{
		{"tables/by tool", report(tables, byTool)},
		{"settled/by tool", report(reader, byTool)},
		{"tables/page", report(tables, page)},
		{"settled/page", report(reader, page)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			counted := querytest.WithEngineCPU(b, ctx)
			for b.Loop() {
				if err := bm.ask(counted); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
