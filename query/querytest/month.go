package querytest

import (
	"fmt"
	"testing"
)

// Month returns a database of the test's own with the given number of calls in March 2026, of eight
// models, five calls per session.
func Month(t testing.TB, calls int) *DB {
	db := New(t)
	db.Merge()
	const step = 31 * 24 * 3600
	db.Exec(fmt.Sprintf(`INSERT INTO streams (tenant, session_id, stream_id, first_seq, stream_started, version, transport, dialect,
		tags, title, first_at, last_at, frames, bytes, ended, end_reason)
	SELECT 'acme', 'session-' || toString(generateUUIDv4(number)), '019cad0a-0000-7000-8000-' || leftPad(lower(hex(number)), 12, '0'), 0,
		toDateTime('2026-03-01 00:00:00', 'UTC') + intDiv(number * %d, %d) AS began, 9, 'ndjson', 'loom',
		map('customer', 'c' || toString(number %% 500), 'team', 't' || toString(number %% 9)), 'Refactor thing ' || toString(number),
		toDateTime64(began, 9, 'UTC') AS begun, begun + 60 AS last, 1000, 136000, last, 'eof'
	FROM numbers(%d)`, step, calls/5, calls/5))
	db.Exec(`INSERT INTO usage (tenant, session_id, stream_id, usage_id, seen_at, seen_seq, version, scope, mode, at, span_id, run_id,
		agent, model, provider, input, cache_read, output, reasoning, total, raw, dialect, request_id, message_id)
	SELECT tenant, session_id, stream_id, 'usage-' || toString(n) || '-' || stream_id, first_at + n, n, n + 1, toString(n), 'add',
		first_at + n, 'span-' || toString(generateUUIDv4(n)), 'run-' || session_id, 'agent-' || toString(n % 7), 
		['gpt-5', 'claude-sonnet-4-5', 'gemini-2.5-pro', 'gpt-5-mini', 'claude-opus-4-5', 'gpt-4.1', 'gpt-4o', 'nobody-1'][cityHash64(session_id, n) % 8 + 1] AS m,
		multiIf(startsWith(m, 'gpt'), 'openai', startsWith(m, 'claude'), 'anthropic', 'google'),
		1000 + cityHash64(session_id, n) % 9000, 20000, 300 + n, 50, 21350 + n, '{"total_tokens":21350}', dialect,
		'req_' || toString(generateUUIDv4(n + 10)), 'msg_' || toString(generateUUIDv4(n + 20))
	FROM streams ARRAY JOIN range(5) AS n`)
	return db
}
