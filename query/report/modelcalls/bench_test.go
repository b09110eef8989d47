package modelcalls_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
	"tapedeck/query/report/modelcalls"
)

// benchCalls is the number of calls of the benchmark, in 31 days.
const benchCalls = 100_000

// monthOfCalls returns a month of calls, five in each session, with a run, and text of 2 kB in 40 chunks
// each.
func monthOfCalls(b *testing.B) *querytest.DB {
	db := querytest.Month(b, benchCalls)
	db.Exec(`INSERT INTO spans (tenant, session_id, stream_id, span_id, seen_at, seen_seq, version, kind, name, status,
		started, first_token, ended, run_id, parent_id, agent, model, provider, dialect, attributes)
	SELECT tenant, session_id, stream_id, if(n = 5, 'run', usage.span_id), first_at + n, n, n + 1, if(n = 5, 'run', 'llm'), '',
		if(cityHash64(session_id, n) % 50 = 0, 'error', 'ok'), first_at + n, first_at + n + 0.4, first_at + n + 3 + cityHash64(session_id, n) % 1000 / 100,
		'run', if(n = 5, '', 'run'), 'agent-' || toString(n % 7), if(n = 5, '', model), if(n = 5, '', provider), dialect, if(n = 5, '{"stop_reason":"end_turn"}', '')
	FROM (SELECT tenant, session_id, stream_id, first_at, dialect, n FROM streams ARRAY JOIN range(6) AS n) AS s
	LEFT ANY JOIN (SELECT session_id, seen_seq, span_id, model, provider FROM usage) AS usage ON s.session_id = usage.session_id AND s.n = usage.seen_seq`)
	db.Exec(`INSERT INTO messages (tenant, session_id, stream_id, message_id, seen_at, seen_seq, version, kind, span_id, text, complete, started, chunk_at, chunk_end, run_id, dialect)
	SELECT tenant, session_id, stream_id, 'm' || span_id, started, seen_seq, version, 'assistant', span_id, randomPrintableASCII(2000), true, started,
		arrayMap(i -> toUnixTimestamp64Nano(first_token) + i * 70000000 + cityHash64(span_id, i) % 50000000, range(40)), arrayMap(i -> toUInt32(i * 50 + 50), range(40)), run_id, dialect
	FROM spans WHERE kind = 'llm'
	SETTINGS max_block_size = 2000, max_threads = 1, min_insert_block_size_rows = 20000, min_insert_block_size_bytes = 0`)
	return db
}

// ClickHouse's processor time for a report on a month by model, and for the page of calls: by day and
// model, with distributions and the 100 calls with the longest gaps.
func BenchmarkCalls(b *testing.B) {
	db := monthOfCalls(b)
	ctx := b.Context()
	reader := querytest.Reader(db, 100*86400)
	settler := rollup.NewSettler(querytest.Reader(db, 100*86400, query.WithLimits(query.Limits{Time: 5 * time.Minute, Memory: 2 << 30, Threads: 1})), slog.New(slog.DiscardHandler))
	report := func(r *query.Reader, q modelcalls.Query) func(context.Context) error {
		return func(ctx context.Context) error {
			q.Tenant, q.From, q.To = querytest.Tenant, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
			got, err := modelcalls.Read(ctx, r, q)
			if err == nil && got.Totals.Calls != benchCalls {
				b.Fatalf("%d calls", got.Totals.Calls)
			}
			return err
		}
	}
	byModel := modelcalls.Query{GroupBy: []string{"model"}}
	page := modelcalls.Query{GroupBy: []string{"model"}, Granularity: "day", Bins: true, Limit: 100, Order: "longest_gap"}
	tables := querytest.Reader(db, 100*86400, query.WithoutSettled())
	if err := settler.Settle(ctx); err != nil {
		b.Fatal(err)
	}
	for _, bm := range []struct {
		name string
		ask  func(context.Context) error
	}{
		{"tables/by model", report(tables, byModel)},
		{"settled/by model", report(reader, byModel)},
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
