package sessionfilter

import (
	"context"

	"tapedeck/query"
)

// timeSorts maps orders by time to the column of a stream's row that determines a session's
// position: the minimum or the maximum over the session's rows.
var timeSorts = map[string]string{
	"started": "first_at",
	"last_at": "greatest(first_at, last_at)",
}

// sessionWindow is the extent of the first rows of an order.
type sessionWindow struct {
	Found    uint64   `ch:"found"`
	Edge     int64    `ch:"edge_ns"`
	Sessions []string `ch:"sessions"`
}

// frontFirst reads the first streams of an order by time, more of them if that yields too few
// sessions, and all streams only if necessary, so that the first pages need not read all sessions.
// It is correct in both directions, since the row that determines a session's position is in the
// window with it.
func frontFirst(
	ctx context.Context, r *query.Reader, q *Selection, after *query.Mark,
	limit int, shape sessionIDsShape, a query.Args,
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
			break // these are all streams
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

// windowBegin returns the earliest position of a session in the order, ns.
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

// beyond reports whether the query excludes everything after the edge.
func (s *sessionIDsShape) beyond(q *Selection, edge int64) bool {
	if s.Descending {
		return s.From && edge < q.From.UnixNano()
	}
	return s.To && s.Time == timeSorts["started"] && edge >= q.To.UnixNano()
}
