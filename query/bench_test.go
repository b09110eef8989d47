package query_test

import (
	"context"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/session/facets"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/session/streamlist"
	"tapedeck/query/session/timeline"
	"tapedeck/query/sessionfilter"
)

// large fills a database with half a million sessions over half a year: one
// stream, four usage records, four tool calls, a run and a model call for each.
func large(b *testing.B) *querytest.DB {
	db := querytest.New(b)
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
	return db
}

// idle adds ten thousand sessions that hang in a tool call.
func idle(db *querytest.DB) {
	db.Exec(`INSERT INTO streams (tenant, session_id, stream_id, stream_started, version, transport, dialect, first_at, last_at, frames, recorder)
	SELECT 'acme', 'idle-' || toString(number), lower(hex(1759276800000 + number)) || '-idle-' || toString(number),
		toDateTime('2026-03-20 00:00:00', 'UTC') AS began, 9, 'ndjson', 'loom', began, began + 3, 4, 'alive'
	FROM numbers(10000)`)
	db.Exec(`INSERT INTO spans (tenant, session_id, stream_id, span_id, seen_at, seen_seq, version, kind, name, status, started, run_id, dialect)
	SELECT tenant, session_id, stream_id, ['run', 'tool'][n + 1], first_at, n, n + 1, ['run', 'tool'][n + 1], 'psql', 'open', first_at, 'r1', dialect
	FROM streams ARRAY JOIN range(2) AS n WHERE startsWith(session_id, 'idle-')`)
}

// Engine CPU time of pages of 100, in one run on two cores, when all sessions were
// grouped and joined with what they used, and now: most tokens first 1,620 and
// 380 ms, the second page of that 1,760 and 550, longest first 400 and 340. Of the
// latter 200 are each time the summaries, of sessions from all over half a year.
func BenchmarkHalfAMillionSessions(b *testing.B) {
	db := large(b)
	idle(db)
	r := query.NewReader(db.Conn, query.WithRecorders(querytest.Alive{Ids: []string{"alive"}, Within: 35 * time.Second}))
	ctx, tenant := b.Context(), querytest.Tenant
	month := func(m time.Month) time.Time { return time.Date(2026, m, 1, 0, 0, 0, 0, time.UTC) }
	page, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 50})
	if err != nil {
		b.Fatal(err)
	}
	some := page.Items[20].ID
	richest, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 100, Sort: "-tokens"})
	if err != nil {
		b.Fatal(err)
	}
	for _, bm := range []struct {
		name string
		ask  func(ctx context.Context) error
	}{
		{"list", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 50})
			return err
		}},
		{"list/second page", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 50, Cursor: *page.Next})
			return err
		}},
		{"list/text and tag", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 50, Filter: sessionfilter.Filter{
				Text: "thing 77", Tags: []sessionfilter.TagFilter{{Key: "customer", Value: "c77"}},
			}})
			return err
		}},
		{"list/tool and model", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 50, Filter: sessionfilter.Filter{
				Tools: []string{"bash"}, Models: []string{"gpt-5"},
			}})
			return err
		}},
		{"list/failed", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 50, Filter: sessionfilter.Filter{
				Statuses: []sessionhead.Status{sessionhead.Failed},
			}})
			return err
		}},
		{"list/fine", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 50, Filter: sessionfilter.Filter{
				Statuses: []sessionhead.Status{sessionhead.Fine},
			}})
			return err
		}},
		{"list/text alone", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 100, Filter: sessionfilter.Filter{Text: "thing 77"}})
			return err
		}},
		{"list/text of which there is none", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 100, Filter: sessionfilter.Filter{Text: "no such words"}})
			return err
		}},
		{"list/dialect", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 100, Filter: sessionfilter.Filter{Dialects: []string{"loom"}}})
			return err
		}},
		{"list/longest first", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 100, Sort: "-duration"})
			return err
		}},
		{"list/last activity first", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 100, Sort: "-last_at"})
			return err
		}},
		{"list/oldest first", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 100, Sort: "started"})
			return err
		}},
		{"list/most tokens first", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 100, Sort: "-tokens"})
			return err
		}},
		{"list/most tokens first, second page", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 100, Sort: "-tokens", Cursor: *richest.Next})
			return err
		}},
		{"list/fewest tokens first", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 100, Sort: "tokens"})
			return err
		}},
		{"list/long ones with many tokens", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 100, Filter: sessionfilter.Filter{MinDuration: 5 * time.Minute, MinTokens: 50_000}})
			return err
		}},
		{"list/running", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 100, Filter: sessionfilter.Filter{Statuses: []sessionhead.Status{sessionhead.Running}}})
			return err
		}},
		{"list/silent for an hour", func(ctx context.Context) error {
			_, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: tenant, Limit: 100, Filter: sessionfilter.Filter{SilentFor: time.Hour}})
			return err
		}},
		{"facets", func(ctx context.Context) error {
			_, err := facets.Read(ctx, r, facets.Query{Tenant: tenant, Limit: 200})
			return err
		}},
		{"streams that run", func(ctx context.Context) error {
			_, err := streamlist.Latest(ctx, r, streamlist.Query{Tenant: tenant, Active: true, Limit: 100})
			return err
		}},
		{"session", func(ctx context.Context) error {
			_, err := sessiondetail.Read(ctx, r, tenant, some)
			return err
		}},
		{"timeline", func(ctx context.Context) error {
			_, err := timeline.Read(ctx, r, tenant, some)
			return err
		}},
		{"usage/2M records by model", func(ctx context.Context) error {
			_, err := usagereport.Read(ctx, r, usagereport.Query{Tenant: tenant, GroupBy: []string{"model"}})
			return err
		}},
		{"usage/a month by day, customer and model", func(ctx context.Context) error {
			_, err := usagereport.Read(ctx, r, usagereport.Query{
				Tenant: tenant, From: month(1), To: month(2), Granularity: grouping.Daily, GroupBy: []string{"tag:customer", "model"},
			})
			return err
		}},
		{"tools/2M calls by tool", func(ctx context.Context) error {
			_, err := toolreport.Read(ctx, r, toolreport.Query{Tenant: tenant, GroupBy: []string{"tool"}})
			return err
		}},
		{"tools/a month by day and tool, slowest", func(ctx context.Context) error {
			_, err := toolreport.Read(ctx, r, toolreport.Query{
				Tenant: tenant, From: month(1), To: month(2), Granularity: grouping.Daily, GroupBy: []string{"tool"}, Slowest: 20,
			})
			return err
		}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			ctx := querytest.WithEngineCPU(b, ctx)
			for b.Loop() {
				if err := bm.ask(ctx); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEverythingToldTwice is the worst case of the reports: another stream
// of its session writes every record and every call once more.
func BenchmarkEverythingToldTwice(b *testing.B) {
	db := large(b)
	for _, table := range []string{"spans", "usage"} {
		db.Exec("INSERT INTO " + table + " SELECT * REPLACE ('" + querytest.StreamID(1) + "' AS stream_id, seen_at + 1 AS seen_at) FROM " + table)
	}
	r := query.NewReader(db.Conn)
	b.Run("usage/2M records by model", func(b *testing.B) {
		for b.Loop() {
			report, err := usagereport.Read(b.Context(), r, usagereport.Query{Tenant: querytest.Tenant, GroupBy: []string{"model"}})
			if err != nil || report.Totals.Calls != 2_000_000 {
				b.Fatal(err)
			}
		}
	})
	b.Run("tools/2M calls by tool", func(b *testing.B) {
		for b.Loop() {
			report, err := toolreport.Read(b.Context(), r, toolreport.Query{Tenant: querytest.Tenant, GroupBy: []string{"tool"}})
			if err != nil || report.Totals.Calls != 2_000_000 {
				b.Fatal(err)
			}
		}
	})
}
