package notes

import (
	"context"
	"fmt"
	"math"
	"time"

	"tapedeck/query"
)

// write inserts versions of notes. That of a deletion is the highest, so that a change that another request
// makes at the same time does not bring the note back.
func write(ctx context.Context, r *query.Reader, tenant string, deleted bool, list ...Note) error {
	var flag uint8
	if deleted {
		flag = 1
	}
	rows := make([][]any, len(list))
	for i := range list {
		n := &list[i]
		version := uint64(n.Changed.UnixNano())
		if deleted {
			version = math.MaxUint64
		}
		at := time.Unix(0, 0)
		if n.At != nil {
			at = *n.At
		}
		rows[i] = []any{tenant, n.Session, n.stream, n.ID, version, query.Text(n.Span), at, n.Text, n.Labels, string(n.Thumb),
			n.Author, n.Written, flag}
	}
	if err := r.Insert(ctx, statements.Must("insert_notes", nil), rows...); err != nil {
		return fmt.Errorf("write notes: %w", err)
	}
	return nil
}
