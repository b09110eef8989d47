package sessionframes

import (
	"context"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
)

// carefulShape selects the optional parts of statements that count the frames of a session.
type carefulShape struct{ Careful, Span bool }

// countFrames counts the rows of a session's frames. If there are more rows than its streams
// report, some frames are stored several times, and it counts again with deduplication. A result
// row reports how many frames it counts.
func countFrames[Row any](
	ctx context.Context, r *query.Reader, name string, s *sessionstreams.Row, a query.Args, frames func(*Row) uint64,
) ([]Row, error) {
	if a, in := inSpan(ctx, a); in { // the counts of the streams cover more than the span
		return query.Ask[Row](ctx, r, statements, name, carefulShape{Careful: true, Span: true}, a)
	}
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

// repeated reports whether some frames of a session are stored several times.
func repeated(ctx context.Context, r *query.Reader, s *sessionstreams.Row, a query.Args) (bool, error) {
	rows, err := query.AskOne[struct {
		Found uint64 `ch:"found"`
	}](ctx, r, statements, "frame_rows", nil, a)
	return rows.Found > s.Frames, err
}

// Counted is the number of frames and bytes of a stream.
type Counted struct {
	Stream string `ch:"stream_id"`
	Frames uint64 `ch:"frames"`
	Bytes  uint64 `ch:"bytes"`
}

// CountView counts, by stream, the frames of a session that the request's view shows.
func CountView(ctx context.Context, r *query.Reader, tenant, session string) (map[string]Counted, error) {
	a, in := inSpan(ctx, query.Args{"tenant": tenant, "session": session})
	rows, err := query.Ask[Counted](ctx, r, statements, "span_frames", carefulShape{Careful: true, Span: in}, a)
	if err != nil {
		return nil, err
	}
	counted := make(map[string]Counted, len(rows))
	for _, row := range rows {
		counted[row.Stream] = row
	}
	return counted, nil
}
