package sessionframes

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/sessionstreams"
)

// carefulShape is what statements that count the frames of a session ask of.
type carefulShape struct{ Careful bool }

// countFrames counts the rows of a session's frames, and where they are more
// than its streams report, anew with care: then some stand there several times.
// A row of the answer says how many frames it counts.
func countFrames[Row any](
	ctx context.Context, r *query.Reader, name string, s *sessionstreams.Row, a query.Args, frames func(*Row) uint64,
) ([]Row, error) {
	rows, err := query.Ask[Row](ctx, r, statements, name, carefulShape{}, a)
	if err != nil {
		return nil, err
	}
	var counted uint64
	for i := range rows {
		counted += frames(&rows[i])
	}
	if counted <= s.Frames {
		return rows, nil
	}
	return query.Ask[Row](ctx, r, statements, name, carefulShape{Careful: true}, a)
}

// repeated reports whether some of a session's frames stand there several times.
func repeated(ctx context.Context, r *query.Reader, s *sessionstreams.Row, a query.Args) (bool, error) {
	rows, err := query.AskOne[struct {
		Found uint64 `ch:"found"`
	}](ctx, r, statements, "frame_rows", nil, a)
	return rows.Found > s.Frames, err
}
