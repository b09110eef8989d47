package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/schema/clickhouse"
)

// This file measures the upper bound of the sink: ClickHouse with raw lines.

// batchRows is the sink's default for one insert.
const batchRows = 100_000

// storeAlone inserts the lines, which are in memory, into ClickHouse, one insert after another.
func (d *database) storeAlone(ctx context.Context, batches []*proto.ColStr) (Pass, error) {
	if err := d.conn.Exec(ctx, statement("create_lines")); err != nil {
		return Pass{}, fmt.Errorf("create table: %w", err)
	}
	client, err := clickhouse.Dial(ctx, d.dsn)
	if err != nil {
		return Pass{}, err
	}
	defer client.Close()
	var run Pass
	began, cpu := time.Now(), treeCPU()
	for _, batch := range batches {
		if err := client.Do(ctx, ch.Query{Body: statement("insert_lines"), Input: proto.Input{{Name: "line", Data: batch}}}); err != nil {
			return run, fmt.Errorf("insert lines: %w", err)
		}
		run.Frames += uint64(batch.Rows())
		run.Bytes += uint64(len(batch.Buf))
	}
	err = waitFor(ctx, d.conn, statement("stored_lines"), run.Frames)
	run.Took, run.CPU = time.Since(began), treeCPU()-cpu
	return run, err
}
