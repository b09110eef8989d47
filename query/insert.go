package query

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Insert appends a row to a table, by a statement INSERT INTO with the names of the columns.
func (r *Reader) Insert(ctx context.Context, statement string, row ...any) error {
	return r.InsertAll(ctx, statement, [][]any{row})
}

// InsertAll appends rows to a table at once. Rows that an earlier insert wrote, and that were deleted since, are
// written again.
func (r *Reader) InsertAll(ctx context.Context, statement string, rows [][]any) error {
	again := clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"insert_deduplicate": 0}))
	batch, err := r.conn.PrepareBatch(again, statement)
	if err != nil {
		return err
	}
	defer batch.Close()
	for _, row := range rows {
		if err := batch.Append(row...); err != nil {
			return err
		}
	}
	return batch.Send()
}
