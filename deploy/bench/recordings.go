package bench

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// recordings is a set of sessions generated in ClickHouse, as the sink would have
// written them: one stream each, of Loom frames of about 140 bytes, which arrived
// every 20 ms on average, each at most 19 ms after its slot.
type recordings struct {
	name     string // of the sessions, before their numbers
	sessions int
	frames   int // of each session
}

const (
	recordedGap = 20 * time.Millisecond
	// recordedFrom is when the first frame of each session arrived, s since 1970.
	recordedFrom = 1746748800
)

// id is that of a session.
func (r *recordings) id(session int) string { return fmt.Sprintf("%s-%d", r.name, session) }

// stream returns the id of a session's stream. The ids differ at the end.
func (r *recordings) stream(session int) string {
	return fmt.Sprintf("0196b3a0-0000-7000-8000-%012d", session)
}

const insertRecordings = `
INSERT INTO frames (tenant, session_id, stream_id, seq, stream_started, captured_at, direction, transport, flags,
  type, source_session, run_id, node_id, agent, event_id, cuts, raw)
WITH intDiv(number, {frames:UInt64}) AS session, number % {frames:UInt64} AS n,
  concat({name:String}, '-', toString(session)) AS id,
  concat('run-', toString(intDiv(n, 1000))) AS run, concat(run, '-think-', toString(intDiv(n, 100))) AS node,
  ['message_chunk', 'message_chunk', 'message_chunk', 'message_chunk', 'usage'][n % 5 + 1] AS kind
SELECT 'default', id, concat('0196b3a0-0000-7000-8000-', leftPad(toString(session), 12, '0')), n, toDateTime({from:Int64}, 'UTC'),
  fromUnixTimestamp64Nano(toInt64({from:Int64} * 1000000000 + n * {gap:Int64} + if(n = 0, 0, cityHash64(number) % {spread:Int64})), 'UTC'),
  'receive', 'ndjson', 0, kind, id, run, node, 'react', toString(n + 1), '',
  concat('{"session_id":"', id, '","node_id":"', node, '","event_id":', toString(n + 1), ',"type":"', kind,
    '","content":" ', lower(hex(cityHash64(number, 1))), '","id":"think"}\n')
FROM numbers({sessions:UInt64} * {frames:UInt64})
SETTINGS max_insert_threads = 1`

const insertStreams = `
INSERT INTO streams (tenant, session_id, stream_id, first_seq, stream_started, version, transport, dialect, first_at, last_at, frames, bytes, ended)
SELECT tenant, session_id, stream_id, min(seq), any(stream_started), 2 * (max(seq) + 1) + 1, 'ndjson', 'loom',
  min(captured_at), max(captured_at), count(), sum(length(raw)), max(captured_at)
FROM frames WHERE tenant = 'default' AND startsWith(session_id, concat({name:String}, '-')) GROUP BY tenant, session_id, stream_id`

// make inserts the sessions and returns the number of bytes of their frames.
func (r *recordings) make(ctx context.Context, c *cluster) (bytes uint64, err error) {
	ctx = clickhouse.Context(ctx, clickhouse.WithParameters(clickhouse.Parameters{
		"name": r.name, "sessions": strconv.Itoa(r.sessions), "frames": strconv.Itoa(r.frames), "from": strconv.Itoa(recordedFrom),
		"gap": strconv.FormatInt(int64(recordedGap), 10), "spread": strconv.FormatInt(int64(recordedGap-time.Millisecond), 10),
	}))
	for _, query := range []string{insertRecordings, insertStreams} {
		if err := c.db.Exec(ctx, query); err != nil {
			return 0, fmt.Errorf("make the sessions %s: %w", r.name, err)
		}
	}
	err = c.db.QueryRow(ctx, "SELECT sum(bytes) FROM streams FINAL WHERE startsWith(session_id, concat({name:String}, '-'))").Scan(&bytes)
	return bytes, err
}
