package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/schema/clickhouse"
)

// The ceiling of the sink: ClickHouse with raw lines.

const createLines = `
CREATE TABLE lines
(
    session_id String CODEC(ZSTD(1)),
    node_id    String CODEC(ZSTD(1)),
    event_id   UInt64 CODEC(ZSTD(1)),
    type       LowCardinality(String) CODEC(ZSTD(1)),
    raw        String CODEC(ZSTD(3))
)
ENGINE = MergeTree ORDER BY (session_id, event_id)`

// A single extraction of all four fields reads a line once; four would read it four
// times, which would lower the limit.
const insertLines = `
INSERT INTO lines (session_id, node_id, event_id, type, raw)
SELECT fields.1, fields.2, fields.3, fields.4, line
FROM
(
    SELECT line, JSONExtract(line, 'Tuple(session_id String, node_id String, event_id UInt64, type String)') AS fields
    FROM input('line String')
)
FORMAT Native`

// batchRows is the sink's default for one insert.
const batchRows = 100_000

// storeAlone inserts the lines, which are ready in memory, into ClickHouse,
// one insert after another.
func (d *database) storeAlone(ctx context.Context, batches []*proto.ColStr) (Lap, error) {
	if err := d.conn.Exec(ctx, createLines); err != nil {
		return Lap{}, fmt.Errorf("create table: %w", err)
	}
	client, err := clickhouse.Dial(ctx, d.dsn)
	if err != nil {
		return Lap{}, err
	}
	defer client.Close()
	var run Lap
	began, cpu := time.Now(), treeCPU()
	for _, batch := range batches {
		if err := client.Do(ctx, ch.Query{Body: insertLines, Input: proto.Input{{Name: "line", Data: batch}}}); err != nil {
			return run, fmt.Errorf("insert lines: %w", err)
		}
		run.Frames += uint64(batch.Rows())
		run.Bytes += uint64(len(batch.Buf))
	}
	err = waitFor(ctx, d.conn, "SELECT count() FROM lines WHERE session_id != ''", run.Frames)
	run.Took, run.CPU = time.Since(began), treeCPU()-cpu
	return run, err
}
