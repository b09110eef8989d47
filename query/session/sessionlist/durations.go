package sessionlist

import (
	"context"

	"tapedeck/query"
)

// severalLimit is up to how many sessions that stand in several rows are listed
// apart. With more of them it is cheaper to group all rows. A variable for tests.
var severalLimit = 20_000

// whole reports whether no filter names the sessions by what stands in some row.
func (s *sessionIDsShape) whole() bool {
	return !(s.facts() || s.Dialects || s.Text || s.Tokens || s.RunStatuses) && len(s.Tags) == 0
}

// byDuration returns a page in the order of durations. Nearly every session is one row
// of one stream, which has its duration: only the others are grouped, which is
// most of the work.
func byDuration(ctx context.Context, r *query.Reader, shape sessionIDsShape, a query.Args) ([]sessionID, error) {
	several, err := query.Ask[struct {
		Hash uint64 `ch:"hash"`
	}](ctx, r, statements, "several_rows", nil, a.With("rows", severalLimit+1))
	if err != nil {
		return nil, err
	}
	shape.Apart = len(several) <= severalLimit
	hashes := make([]uint64, len(several))
	for i := range several {
		hashes[i] = several[i].Hash
	}
	ids, err := query.Ask[sessionID](ctx, r, statements, "session_ids", shape, a.With("several", hashes))
	if err != nil || !shape.Apart || !anyTwice(ids) {
		return ids, err
	}
	// A row came in between.
	shape.Apart = false
	return query.Ask[sessionID](ctx, r, statements, "session_ids", shape, a)
}

func anyTwice(ids []sessionID) bool {
	seen := make(map[string]bool, len(ids))
	for i := range ids {
		seen[ids[i].ID] = true
	}
	return len(seen) < len(ids)
}
