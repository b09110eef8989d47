package query

import "context"

// carefulShape is what statements that count the frames of a session ask of.
type carefulShape struct{ Careful bool }

// countFrames counts the rows of a session's frames, and where they are more
// than its streams tell of, anew with care: then some stand there several times.
// A row of the answer says how many frames it counts.
func countFrames[Row any](
	ctx context.Context, r *Reader, name string, s *sessionStreamsRow, a args, frames func(*Row) uint64,
) ([]Row, error) {
	rows, err := ask[Row](ctx, r, name, carefulShape{}, a)
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
	return ask[Row](ctx, r, name, carefulShape{Careful: true}, a)
}

// repeated reports whether some of a session's frames stand there several times.
func (r *Reader) repeated(ctx context.Context, s *sessionStreamsRow, a args) (bool, error) {
	rows, err := askOne[struct {
		Found uint64 `ch:"found"`
	}](ctx, r, "frame_rows", nil, a)
	return rows.Found > s.Frames, err
}
