package sessionframes

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/schema"
)

// Filter selects frames. A frame matches a field if it has any of the field's values. Empty fields
// match all frames.
type Filter struct {
	Types      []string
	Nodes      []string // ids of node runs, or names of nodes
	Agents     []string
	Directions []string // receive, send
	// Bytes leaves out frames that are not part of the stream's data: heads of HTTP messages and
	// notes on a WebSocket.
	Bytes bool
}

// framesShape selects the optional parts of the statements on frames.
type framesShape struct {
	Types, Nodes, Agents, Directions, Bytes, After, Reach, Raw, Careful, Span bool
}

// windows iterates over the frames of a session in order, one window at a time. A window is the
// next frames up to a number of rows and bytes. So a query holds only one window in memory, however
// long the session is, and each statement reads few rows outside of its window.
type windows struct {
	reader  *query.Reader
	session *sessionstreams.Row
	shape   framesShape
	args    query.Args
	rows    int // approximate maximum of rows in a window
	bytes   int // maximum of bytes in a window, unless a single frame is larger
	after   schema.Position
	done    bool // no frames follow the windows so far
	// reach is the range after the last window in which the next window is searched first, ns; 0
	// for any distance.
	reach int64
}

func newWindows(tenant string, r *query.Reader, s *sessionstreams.Row, f *Filter, after schema.Position) *windows {
	a := sessionstreams.Parameters(tenant, s)
	a["session"], a["note"] = s.ID, uint32(schema.FlagNote)
	a["types"], a["nodes"], a["agents"], a["directions"] = f.Types, f.Nodes, f.Agents, f.Directions
	return &windows{
		reader: r, session: s, args: a, after: after,
		shape: framesShape{
			Types: len(f.Types) > 0, Nodes: len(f.Nodes) > 0,
			Agents: len(f.Agents) > 0, Directions: len(f.Directions) > 0,
			Bytes: f.Bytes,
		},
	}
}

type aheadRow struct {
	Ahead uint64 `ch:"ahead"` // number of next rows, including duplicates
	Taken uint64 `ch:"taken"` // number of rows that the window takes
	Until int64  `ch:"until_ns"`
}

// next finds the next window and returns the parameters that select it. Rows of the instant at
// which the last window ended may belong to it too. limit is the number of frames of it that may be
// read at once.
func (w *windows) next(ctx context.Context, limit int) (query.Args, error) {
	w.shape.After = !w.after.IsZero()
	a := w.args.With("after_at", w.after.At)
	a["rows"], a["budget"] = w.rows, w.bytes
	ahead, err := w.ahead(ctx, a)
	if err != nil {
		return nil, err
	}
	until := ahead.Until
	if ahead.Ahead == 0 {
		until = w.after.At
	}
	if w.shape.After {
		// The next window is likely to be as long as this one.
		w.reach = 4 * (until - w.after.At)
	}
	w.done = ahead.Ahead < uint64(w.rows) && ahead.Taken == ahead.Ahead
	a["until_at"], a["after_stream"], a["after_seq"] = until, w.after.StreamID, w.after.Seq
	a["limit"] = limit
	return a, nil
}

// ahead reads the sizes of the next rows, first nearby, then anywhere if there are too few.
func (w *windows) ahead(ctx context.Context, a query.Args) (aheadRow, error) {
	if reach := w.near(); reach > 0 {
		w.shape.Reach = true
		from := max(w.after.At, w.session.Started)
		ahead, err := query.AskOne[aheadRow](ctx, w.reader, statements, "frames_ahead", w.shape,
			a.With("reach_at", from+reach))
		if err != nil || ahead.Ahead >= uint64(w.rows) {
			return ahead, err
		}
	}
	w.shape.Reach = false
	return query.AskOne[aheadRow](ctx, w.reader, statements, "frames_ahead", w.shape, a)
}

// near returns the range in which the next rows are likely to be, ns: a multiple of the length of
// the previous window, or of the average distance of frames in the session. It returns 0 for
// sessions whose frames can all be examined quickly.
func (w *windows) near() int64 {
	const short = 200_000
	if w.reach > 0 || w.session.Frames < short {
		return w.reach
	}
	average := float64(w.session.Last-w.session.Started) / float64(w.session.Frames)
	return int64(8 * average * float64(w.rows))
}

// read records how far the window was read: to its end, or, if as many frames were read as were
// requested, to the last of them.
func (w *windows) read(a query.Args, last schema.Position, full bool) {
	if full {
		w.after, w.done = last, false
		return
	}
	// "~" sorts after every stream id.
	w.after = schema.Position{At: a["until_at"].(int64), StreamID: "~"}
}
