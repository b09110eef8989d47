package query

import "context"

// severalLimit is up to how many sessions that stand in several rows are told
// apart. With more of them it is cheaper to group all rows. A variable for tests.
var severalLimit = 20_000

// whole reports whether no filter names the sessions by what stands in some row.
func (s *sessionIDsShape) whole() bool {
	return !(s.Agents || s.Tools || s.Models || s.Dialects || s.Text || s.Tokens || s.RunStatuses) && len(s.Tags) == 0
}

// byDuration gives a page in the order of durations. Nearly every session is one row
// of one stream, which tells how long it is: only the others are grouped, which is
// most of the work.
func (r *Reader) byDuration(ctx context.Context, shape sessionIDsShape, a args) ([]sessionID, error) {
	several, err := ask[struct {
		Hash uint64 `ch:"hash"`
	}](ctx, r, "several_rows", nil, a.with("rows", severalLimit+1))
	if err != nil {
		return nil, err
	}
	shape.Apart = len(several) <= severalLimit
	hashes := make([]uint64, len(several))
	for i := range several {
		hashes[i] = several[i].Hash
	}
	ids, err := ask[sessionID](ctx, r, "session_ids", shape, a.with("several", hashes))
	if err != nil || !shape.Apart || !anyTwice(ids) {
		return ids, err
	}
	// A row came in between.
	shape.Apart = false
	return ask[sessionID](ctx, r, "session_ids", shape, a)
}

func anyTwice(ids []sessionID) bool {
	seen := make(map[string]bool, len(ids))
	for i := range ids {
		seen[ids[i].ID] = true
	}
	return len(seen) < len(ids)
}
