package query

import "context"

// Insert appends a row to a table, by a statement INSERT INTO with the names of the columns.
func (r *Reader) Insert(ctx context.Context, statement string, row ...any) error {
	batch, err := r.conn.PrepareBatch(ctx, statement)
	if err != nil {
		return err
	}
	defer batch.Close()
	if err := batch.Append(row...); err != nil {
		return err
	}
	return batch.Send()
}
