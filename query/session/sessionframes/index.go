package sessionframes

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/schema"
)

// Index lists the cursors at regular intervals in the list of a session's frames, so that a reader
// can start anywhere in the list without reading what precedes.
type Index struct {
	Total uint64 `json:"total"` // frames that match the filter
	Every int    `json:"every"`
	// Items[i] is frame (i+1)*Every, counted from 1. It is the cursor of the page that begins after
	// that many frames. The last frame is not an item, since no frame follows it.
	Items []Mark `json:"items"`
}

// Mark is the position of a frame.
type Mark struct {
	Position string  `json:"position"`
	OffsetMS float64 `json:"offset_ms"` // since the session's start
}

// Types lists the types of frames in a session, the most frequent first.
type Types struct {
	Items []Type `json:"items"`
}

// Type counts the frames of a type in one direction.
type Type struct {
	Type      string `json:"type"`
	Direction string `json:"direction"`
	Frames    uint64 `json:"frames"`
}

type indexRow struct {
	At     int64  `ch:"at_ns"`
	Stream string `ch:"stream_id"`
	Seq    uint64 `ch:"seq"`
	Place  uint64 `ch:"place"`
	Total  uint64 `ch:"total"`
}

// ReadIndex returns every nth frame of those that match the query's filter. It ignores the query's
// position and limit.
func ReadIndex(ctx context.Context, r *query.Reader, q Query, every int) (*Index, error) {
	s, err := sessionstreams.Kept(ctx, r, q.Tenant, q.Session)
	if err != nil {
		return nil, err
	}
	w := newWindows(q.Tenant, r, s, &q.Filter, schema.Position{})
	if w.args, w.shape.Span = inSpan(ctx, w.args); w.shape.Span {
		w.shape.Careful = true
	} else if w.shape.Careful, err = repeated(ctx, r, s, w.args); err != nil {
		return nil, err
	}
	rows, err := query.Ask[indexRow](ctx, r, statements, "frames_index", w.shape, w.args.With("every", every))
	if err != nil {
		return nil, err
	}
	index := &Index{Every: every, Items: []Mark{}}
	for _, row := range rows {
		index.Total = row.Total
		if row.Place >= row.Total {
			break
		}
		index.Items = append(index.Items, Mark{
			Position: schema.Position{At: row.At, StreamID: row.Stream, Seq: row.Seq}.String(),
			OffsetMS: query.Millis(row.At - Start(ctx, s.Started)),
		})
	}
	return index, nil
}

type frameTypeRow struct {
	Type      string `ch:"type"`
	Direction string `ch:"direction_name"`
	Frames    uint64 `ch:"frames"`
}

// ReadTypes counts the frames of a session by type.
func ReadTypes(ctx context.Context, r *query.Reader, tenant, session string) (*Types, error) {
	s, err := sessionstreams.Kept(ctx, r, tenant, session)
	if err != nil {
		return nil, err
	}
	rows, err := countFrames(ctx, r, "frame_types", s, query.Args{"tenant": tenant, "session": session},
		func(row *frameTypeRow) uint64 { return row.Frames })
	if err != nil {
		return nil, err
	}
	types := &Types{Items: make([]Type, len(rows))}
	for i, row := range rows {
		types.Items[i] = Type(row)
	}
	return types, nil
}
