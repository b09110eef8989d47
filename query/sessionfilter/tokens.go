package sessionfilter

import (
	"cmp"
	"context"
	"slices"

	"tapedeck/query"
)

// sessionBound is a session with an upper bound of its tokens.
type sessionBound struct {
	ID    string `ch:"session_id"`
	Bound int64  `ch:"bound"`
}

// mostTokens returns a page in the descending order of tokens. It first sorts sessions by an upper
// bound of their tokens, which takes one pass over columns of numbers. It computes the exact usage
// of the first sessions of that order only; of more sessions if too few of them are certain to
// precede all others, and of all sessions only if that is still not enough.
func mostTokens(
	ctx context.Context, r *query.Reader, q *Selection, after *query.Mark,
	limit int, shape sessionIDsShape, a query.Args,
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
		all := len(bounds) < rows // all sessions with records were read
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
			break // sessions without usage come next
		}
	}
	return query.Ask[Session](ctx, r, statements, "session_ids", shape, a)
}

// bounded returns, in order, the sessions that pass the filter and used tokens, with their usage.
func bounded(
	ctx context.Context, r *query.Reader, q *Selection, after *query.Mark,
	shape sessionIDsShape, a query.Args, bounds []sessionBound,
) ([]Session, error) {
	names := make([]string, len(bounds))
	for i := range bounds {
		names[i] = bounds[i].ID
	}
	shape.Few, shape.SortKey = true, "toInt64(0)"
	shape.Tokens, shape.MinTokens, shape.MaxTokens, shape.After = false, false, false, false
	ids, err := query.Ask[Session](ctx, r, statements, "session_ids", shape,
		a.With("among", names).With("limit", len(names)))
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

// ahead returns the sessions that come no later than a session whose bound was the last one
// examined: sessions that were not examined come after it.
func ahead(ids []Session, last sessionBound) []Session {
	n := slices.IndexFunc(ids, func(s Session) bool { return compareTokens(s, last.Bound, last.ID) < 0 })
	if n < 0 {
		return ids
	}
	return ids[:n]
}

// compareTokens compares a session's position with another one in ascending order.
func compareTokens(s Session, tokens int64, id string) int {
	return cmp.Or(cmp.Compare(s.SortKey, tokens), cmp.Compare(s.ID, id))
}
