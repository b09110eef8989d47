package notes

import (
	"context"
	"fmt"
	"time"

	"tapedeck/query"
)

// write inserts versions of notes.
func write(ctx context.Context, r *query.Reader, tenant string, deleted bool, list ...Note) error {
	var flag uint8
	if deleted {
		flag = 1
	}
	rows := make([][]any, len(list))
	for i := range list {
		n := &list[i]
		at := time.Unix(0, 0)
		if n.At != nil {
			at = *n.At
		}
		rows[i] = []any{tenant, n.Session, n.stream, n.ID, uint64(n.Changed.UnixNano()), query.Text(n.Span), at, n.Text, n.Labels, string(n.Thumb),
			n.Author, n.Written, flag}
	}
	if err := r.Insert(ctx, statements.Must("insert_notes", nil), rows...); err != nil {
		return fmt.Errorf("write notes: %w", err)
	}
	return nil
}
