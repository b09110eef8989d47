package sessionfilter

import (
	"cmp"
	"context"
	"slices"

	"tapedeck/query"
)

// sessionBound is a session and how many tokens it used at most.
type sessionBound struct {
	ID    string `ch:"session_id"`
	Bound int64  `ch:"bound"`
}

// mostTokens returns a page in the descending order of tokens. What a session used is
// added up with care only for those at the front of an order by bounds, which take
// one pass over columns of numbers; for more of them if that leaves too few that
// are surely ahead of all others, and only then for all.
func mostTokens(
	ctx context.Context, r *query.Reader, q *Selection, after *query.Mark, limit int, shape sessionIDsShape, a query.Args,
) ([]Session, error) {
	spare := q.spare()
	for _, rows := range []int{limit + spare, 8*limit + spare} {
		bounds, err := query.Ask[sessionBound](ctx, r, statements, "session_bounds", shape, a.With("rows", rows))
		if err != nil {
			return nil, err
		}
		ids, err := bounded(ctx, r, q, after, shape, a, bounds)
		if err != nil {
			return nil, err
		}
		all := len(bounds) < rows // that have records
		if !all {
			ids = ahead(ids, bounds[rows-1])
		}
		if len(ids) >= limit {
			return ids[:limit], nil
		}
		if all && q.MinTokens > 0 {
			return ids, nil
		}
		if all {
			break // those that used nothing come next
		}
	}
	return query.Ask[Session](ctx, r, statements, "session_ids", shape, a)
}

// bounded returns the sessions that pass the filter and used any tokens, with their usage, in
// order.
func bounded(
	ctx context.Context, r *query.Reader, q *Selection, after *query.Mark, shape sessionIDsShape, a query.Args, bounds []sessionBound,
) ([]Session, error) {
	names := make([]string, len(bounds))
	for i := range bounds {
		names[i] = bounds[i].ID
	}
	shape.Few, shape.SortKey = true, "toInt64(0)"
	shape.Tokens, shape.MinTokens, shape.MaxTokens, shape.After = false, false, false, false
	ids, err := query.Ask[Session](ctx, r, statements, "session_ids", shape, a.With("among", names).With("limit", len(names)))
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	totals, err := readTotals(ctx, r, q.Tenant, ids, q.view)
	if err != nil {
		return nil, err
	}
	for i := range ids {
		s := totals[ids[i].ID]
		ids[i].totals, ids[i].SortKey = &s, s.Tokens.Total
	}
	ids = slices.DeleteFunc(ids, func(s Session) bool {
		return s.SortKey < max(q.MinTokens, 1) || q.MaxTokens != nil && s.SortKey > *q.MaxTokens ||
			after != nil && compareTokens(s, after.Key, after.ID) >= 0
	})
	slices.SortFunc(ids, func(x, y Session) int { return -compareTokens(x, y.SortKey, y.ID) })
	return ids, nil
}

// ahead returns the sessions that come no later than one of which the bound was the
// last: all that were not looked at come after that.
func ahead(ids []Session, last sessionBound) []Session {
	n := slices.IndexFunc(ids, func(s Session) bool { return compareTokens(s, last.Bound, last.ID) < 0 })
	if n < 0 {
		return ids
	}
	return ids[:n]
}

// compareTokens holds a session's place against another in the ascending order.
func compareTokens(s Session, tokens int64, id string) int {
	return cmp.Or(cmp.Compare(s.SortKey, tokens), cmp.Compare(s.ID, id))
}
