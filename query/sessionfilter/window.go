package sessionfilter

import (
	"context"

	"tapedeck/query"
)

// timeSorts are the columns of a stream's row that a session's place in an order
// of time comes from: of its rows the least, or the greatest.
var timeSorts = map[string]string{
	"started": "first_at",
	"last_at": "greatest(first_at, last_at)",
}

// sessionWindow is how far the rows at the front of an order reach.
type sessionWindow struct {
	Found    uint64   `ch:"found"`
	Edge     int64    `ch:"edge_ns"`
	Sessions []string `ch:"sessions"`
}

// frontFirst looks at the streams at the front of an order of time first, at more
// of them if that finds too few sessions, and only then at all: the first pages
// need not go through all sessions that there ever were. That holds both ways, for
// the row that decides a session's place lies in the window with it.
func frontFirst(
	ctx context.Context, r *query.Reader, q *Selection, after *query.Mark, limit int, shape sessionIDsShape, a query.Args,
) ([]Session, error) {
	if begin, ok := shape.windowBegin(q, after); ok {
		shape.Begin, a["begin"] = true, begin
	}
	for _, rows := range []int{8 * limit, 512 * limit} {
		shape.Few = rows == 8*limit
		window, err := query.AskOne[sessionWindow](ctx, r, statements, "session_window", shape, a.With("rows", rows))
		if err != nil {
			return nil, err
		}
		if window.Found < uint64(rows) {
			break // these are all the streams there are
		}
		shape.Edge, shape.Floor = true, shape.oldestLast()
		ids, err := askIDs(ctx, r, q, shape, a.With("edge", window.Edge).With("among", window.Sessions))
		if err != nil || len(ids) == limit || shape.beyond(q, window.Edge) {
			return ids, err
		}
	}
	shape.Edge, shape.Few, shape.Floor = false, false, false
	return askIDs(ctx, r, q, shape, a)
}

// oldestLast reports whether no session of a window began before its edge.
func (s *sessionIDsShape) oldestLast() bool { return s.Descending && s.Time == timeSorts["started"] }

// windowBegin returns where a session's place is at the earliest in the order, ns.
func (s *sessionIDsShape) windowBegin(q *Selection, after *query.Mark) (int64, bool) {
	switch {
	case after != nil:
		return after.Key, true
	case s.oldestLast() && s.To:
		return q.To.UnixNano(), true
	case !s.Descending && s.From:
		return q.From.UnixNano(), true
	}
	return 0, false
}

// beyond reports whether nothing that comes after the edge is asked for.
func (s *sessionIDsShape) beyond(q *Selection, edge int64) bool {
	if s.Descending {
		return s.From && edge < q.From.UnixNano()
	}
	return s.To && s.Time == timeSorts["started"] && edge >= q.To.UnixNano()
}
