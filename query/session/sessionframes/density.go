package sessionframes

import (
	"context"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/schema"
)

// Density is the distribution of a session's frames over its time, in slices of equal length. Slice
// i begins i*SliceMS after the session's start; the last slice contains the last frame.
type Density struct {
	SessionID  string    `json:"session_id"`
	Started    time.Time `json:"started"`
	DurationMS float64   `json:"duration_ms"`
	SliceMS    float64   `json:"slice_ms"`
	// Frames[i] is the number of frames in slice i. First[i] is the position of the first of them,
	// null if there are none.
	Frames []uint64  `json:"frames"`
	First  []*string `json:"first"`
}

type densityRow struct {
	Slice  int64  `ch:"slice"`
	Frames uint64 `ch:"frames"`
	At     int64  `ch:"first_ns"`
	Stream string `ch:"first_stream"`
	Seq    uint64 `ch:"first_seq"`
}

// ReadDensity counts a session's frames in at most the given number of slices, at least 1. A
// session that is shorter than that many nanoseconds has fewer slices.
func ReadDensity(ctx context.Context, r *query.Reader, tenant, session string, slices int) (*Density, error) {
	s, err := sessionstreams.Kept(ctx, r, tenant, session)
	if err != nil {
		return nil, err
	}
	if _, to, limited := SpanOf(ctx); limited { // do not disclose the session's time outside of the span
		s.Started = Start(ctx, s.Started)
		s.Last = max(s.Started, min(s.Last, to-1))
	}
	d, width := newDensity(s, slices)
	rows, err := countFrames(ctx, r, "density", s, query.Args{
		"tenant": tenant, "session": session, "from": s.Started, "until": s.Last, "width": width,
	}, func(row *densityRow) uint64 { return row.Frames })
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		first := schema.Position{At: row.At, StreamID: row.Stream, Seq: row.Seq}.String()
		d.Frames[row.Slice], d.First[row.Slice] = row.Frames, &first
	}
	return d, nil
}

// newDensity returns the density of a session without its frames, and the length of a slice, ns.
func newDensity(s *sessionstreams.Row, slices int) (*Density, int64) {
	length := max(s.Last-s.Started, 0) // a tape may state times that are further apart than an int64 can hold
	width := length/int64(slices) + 1
	n := length/width + 1
	return &Density{
		SessionID: s.ID, Started: query.Instant(s.Started),
		DurationMS: query.Millis(s.Last - s.Started), SliceMS: query.Millis(width),
		Frames: make([]uint64, n), First: make([]*string, n),
	}, width
}
