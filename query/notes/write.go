package notes

import (
	"context"
	"fmt"
	"math"
	"time"

	"tapedeck/query"
)

// write inserts a version of a note. That of a deletion is the highest, so that a change that another request
// makes at the same time does not bring the note back.
func write(ctx context.Context, r *query.Reader, tenant string, deleted bool, n *Note) error {
	flag, version := uint8(0), uint64(n.Changed.UnixNano())
	if deleted {
		flag, version = 1, math.MaxUint64
	}
	at := time.Unix(0, 0)
	if n.At != nil {
		at = *n.At
	}
	err := r.Insert(ctx, statements.Must("insert_notes", nil), tenant, n.Session, n.stream, n.ID, version, query.Text(n.Span), at,
		n.Text, n.Labels, string(n.Thumb), n.Author, n.Written, flag)
	if err != nil {
		return fmt.Errorf("write a note: %w", err)
	}
	return nil
}
