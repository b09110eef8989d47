package sessionfilter

import (
	"context"

	"tapedeck/query"
)

// whole reports whether no filter selects sessions by the contents of single rows.
func (s *sessionIDsShape) whole() bool {
	return !(s.facts() || s.Dialects || s.Text || s.Tokens || s.Labels || s.Thumbs || s.RunStatuses) && len(s.Tags) == 0
}

// byDuration returns a page in the order of durations. Nearly every session has a single row of a
// single stream, which has its duration. Only sessions with several rows are grouped, since
// grouping is most of the work.
func byDuration(
	ctx context.Context, r *query.Reader, q *Selection, shape sessionIDsShape, a query.Args,
) ([]Session, error) {
	limit := q.severalRows()
	several, err := query.Ask[struct {
		Hash uint64 `ch:"hash"`
	}](ctx, r, statements, "several_rows", nil, a.With("rows", limit+1))
	if err != nil {
		return nil, err
	}
	shape.Apart = len(several) <= limit
	hashes := make([]uint64, len(several))
	for i := range several {
		hashes[i] = several[i].Hash
	}
	ids, err := query.Ask[Session](ctx, r, statements, "session_ids", shape, a.With("several", hashes))
	if err != nil || !shape.Apart || !anyTwice(ids) {
		return ids, err
	}
	// A row was inserted between the two statements.
	shape.Apart = false
	return query.Ask[Session](ctx, r, statements, "session_ids", shape, a)
}

func anyTwice(ids []Session) bool {
	seen := make(map[string]bool, len(ids))
	for i := range ids {
		seen[ids[i].ID] = true
	}
	return len(seen) < len(ids)
}
