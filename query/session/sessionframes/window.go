package sessionframes

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/schema"
)

// Filter selects frames; of several values of one field any will do, and
// what is empty does not matter.
type Filter struct {
	Types      []string
	Nodes      []string // ids of node runs, or names of nodes
	Agents     []string
	Directions []string // receive, send
	// Bytes leaves out what is not among the bytes that a stream brought: heads
	// of HTTP messages, and notes on a WebSocket.
	Bytes bool
}

// framesShape selects the optional parts of the statements on frames.
type framesShape struct {
	Types, Nodes, Agents, Directions, Bytes, After, Reach, Raw, Careful, Span bool
}

// frameWindows goes through the frames of a session in order, a window at a
// time: the frames that come next, up to a number of rows and of bytes. So no
// question holds more than a window, however long the session is, and each
// reads little besides its own frames.
type windows struct {
	reader  *query.Reader
	session *sessionstreams.Row
	shape   framesShape
	args    query.Args
	rows    int // in a window, at most about
	bytes   int // in a window, unless a single frame has more
	after   schema.Position
	done    bool // the windows so far hold all there is
	// reach is how far after the last window the next one is looked for first,
	// ns; 0 for any distance.
	reach int64
}

func newWindows(tenant string, r *query.Reader, s *sessionstreams.Row, f *Filter, after schema.Position) *windows {
	a := sessionstreams.Parameters(tenant, s)
	a["session"], a["note"] = s.ID, uint32(schema.FlagNote)
	a["types"], a["nodes"], a["agents"], a["directions"] = f.Types, f.Nodes, f.Agents, f.Directions
	return &windows{
		reader: r, session: s, args: a, after: after,
		shape: framesShape{
			Types: len(f.Types) > 0, Nodes: len(f.Nodes) > 0, Agents: len(f.Agents) > 0, Directions: len(f.Directions) > 0,
			Bytes: f.Bytes,
		},
	}
}

type aheadRow struct {
	Ahead uint64 `ch:"ahead"` // rows that come next, repeats included
	Taken uint64 `ch:"taken"` // how many of them the window takes
	Until int64  `ch:"until_ns"`
}

// next finds the next window and returns the parameters that name it. Rows of the
// instant at which the last window ended may be a part of it, too. limit is the
// number of frames that may be read of it at once.
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
		// The next window will be about as long as this one.
		w.reach = 4 * (until - w.after.At)
	}
	w.done = ahead.Ahead < uint64(w.rows) && ahead.Taken == ahead.Ahead
	a["until_at"], a["after_stream"], a["after_seq"] = until, w.after.StreamID, w.after.Seq
	a["limit"] = limit
	return a, nil
}

// ahead looks for the next rows nearby, and anywhere if there are too few.
func (w *windows) ahead(ctx context.Context, a query.Args) (aheadRow, error) {
	if reach := w.near(); reach > 0 {
		w.shape.Reach = true
		from := max(w.after.At, w.session.Started)
		ahead, err := query.AskOne[aheadRow](ctx, w.reader, statements, "frames_ahead", w.shape, a.With("reach_at", from+reach))
		if err != nil || ahead.Ahead >= uint64(w.rows) {
			return ahead, err
		}
	}
	w.shape.Reach = false
	return query.AskOne[aheadRow](ctx, w.reader, statements, "frames_ahead", w.shape, a)
}

// near is how far away the next rows are likely to be, ns: a few times as far as
// those of the window before, or as frames of this session are on average. 0 is
// for sessions of which looking at all frames takes no time.
func (w *windows) near() int64 {
	const short = 200_000
	if w.reach > 0 || w.session.Frames < short {
		return w.reach
	}
	average := float64(w.session.Last-w.session.Started) / float64(w.session.Frames)
	return int64(8 * average * float64(w.rows))
}

// read says how far the window was read: up to its end, or, if it held as many
// frames as were asked for, up to the last of them.
func (w *windows) read(a query.Args, last schema.Position, full bool) {
	if full {
		w.after, w.done = last, false
		return
	}
	// "~" comes after every stream id.
	w.after = schema.Position{At: a["until_at"].(int64), StreamID: "~"}
}
