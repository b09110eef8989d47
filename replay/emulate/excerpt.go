package emulate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"tapedeck/replay"
	"tapedeck/schema"
)

// Excerpt is a part of a tape: the frames from First to Last for which Keep is true.
type Excerpt struct {
	replay.Tape
	First, Last schema.Position // a zero value means the start or the end of the tape
	Directions  []schema.Direction
	Keep        func(*replay.Frame) bool
}

// Read implements replay.Tape. It returns frames from First on even if the query begins later: such
// frames are overdue and are played at once.
func (e *Excerpt) Read(ctx context.Context, q replay.Query) (replay.Reader, error) {
	q.From = replay.Place{Position: e.First}
	if q.To.IsZero() {
		q.To = e.Last
	}
	q.Filter.Directions = e.Directions
	r, err := e.Tape.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	return &excerptReader{Reader: r, keep: e.Keep}, nil
}

type excerptReader struct {
	replay.Reader
	keep func(*replay.Frame) bool
	kept []replay.Frame // aliases the reader's memory
}

// Next implements replay.Reader.
func (r *excerptReader) Next(ctx context.Context) ([]replay.Frame, error) {
	for {
		frames, err := r.Reader.Next(ctx)
		if err != nil {
			return nil, err
		}
		r.kept = r.kept[:0]
		for i := range frames {
			if r.keep(&frames[i]) {
				r.kept = append(r.kept, frames[i])
			}
		}
		if len(r.kept) > 0 {
			return r.kept, nil
		}
	}
}

// Scan calls see with every frame of a tape that the query selects, in order. A frame is valid only
// during the call. If see returns ErrEnough, Scan ends without an error.
func Scan(ctx context.Context, t replay.Tape, q replay.Query, see func(*replay.Frame) error) error {
	r, err := t.Read(ctx, q)
	if err != nil {
		return fmt.Errorf("read the recording: %w", err)
	}
	defer r.Close()
	for {
		frames, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the recording: %w", err)
		}
		for i := range frames {
			if err := see(&frames[i]); errors.Is(err, ErrEnough) {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
}

// ErrEnough ends a Scan.
var ErrEnough = errors.New("enough was read")

// EndOf returns a position after all current frames of a stream.
func EndOf(s *schema.StreamState) schema.Position {
	return schema.Position{At: s.LastAt, StreamID: s.StreamID, Seq: ^uint64(0)}
}
