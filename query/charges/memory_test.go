package charges_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"tapedeck/deploy/local/localtest"
	"tapedeck/internal/memorytest"
	"tapedeck/query/charges"
	"tapedeck/query/querytest"
)

// month records as many calls in March 2026, five in a session, of eight models.
func month(t testing.TB, calls int) *querytest.DB {
	db := querytest.Open(t, localtest.ClickHouse(t))
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

// resident returns the memory of the process that is in RAM, bytes.
func resident(t testing.TB) (bytes int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("the memory of the process is not known: ", err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// grown runs a function and returns by how much the process grew meanwhile, at most.
func grown(t testing.TB, run func()) int64 {
	t.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	before := resident(t)
	most, stop, done := before, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				most = max(most, resident(t))
			}
		}
	}()
	run()
	close(stop)
	<-done
	return most - before
}

// BenchmarkExport writes a month of 100,000 calls. The first run of the benchmark opens the
// connections and reads the price table.
func BenchmarkExport(b *testing.B) {
	db := month(b, 100_000)
	r := querytest.Reader(db, 1e8)
	q := charges.Query{Tenant: querytest.Tenant, From: querytest.Start.AddDate(0, 0, -1).Truncate(24 * time.Hour), To: querytest.Start.AddDate(0, 1, -1).Truncate(24 * time.Hour)}
	for _, f := range charges.Formats[1:] {
		b.Run(string(f), func(b *testing.B) {
			var size counter
			if err := charges.Write(b.Context(), r, charges.Query{Tenant: querytest.Tenant, From: q.From, To: q.From.Add(time.Hour)}, f, io.Discard); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				size = 0
				most := grown(b, func() {
					if err := charges.Write(b.Context(), r, q, f, &size); err != nil {
						b.Fatal(err)
					}
				})
				b.ReportMetric(float64(most)/(1<<20), "MiB-grown")
			}
			b.ReportMetric(float64(size)/(1<<20), "MiB-written")
		})
	}
}

// counter counts bytes.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// An export of Parquet takes no more memory for more calls.
func TestMemory(t *testing.T) {
	db := month(t, 30_000)
	r := querytest.Reader(db, 1e8)
	var out bytes.Buffer
	if err := charges.Write(t.Context(), r, charges.Query{Tenant: querytest.Tenant, To: querytest.Start.AddDate(0, 0, -1)}, charges.Parquet, &out); err != nil {
		t.Fatal(err)
	}
	var size counter
	most := grown(t, func() {
		if err := charges.Write(t.Context(), r, charges.Query{Tenant: querytest.Tenant}, charges.Parquet, &size); err != nil {
			t.Error(err)
		}
	})
	t.Logf("%d bytes written, the process grew by %.1f MiB", size, float64(most)/(1<<20))
	memorytest.AtMost(t, "the process", most, 64<<20)
}
