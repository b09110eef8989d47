package httpreplay

import (
	"context"
	"errors"

	"tapedeck/internal/problem"
	"tapedeck/replay"
	"tapedeck/replay/opening"
	"tapedeck/schema"
)

// opened returns the numbers of the frames before a place in an answer that opened what is open there: see
// package opening. A client that resumes has them. The error is a *problem.Problem if they are too large.
func (x *exchange) opened(ctx context.Context, t replay.Tape, from replay.Place) (map[uint64]bool, error) {
	if from.After || from.Position.Compare(x.first) <= 0 {
		return nil, nil
	}
	frames, err := opening.Frames(ctx, t, from, func(s *schema.StreamState) bool { return s.StreamID == x.stream.StreamID })
	if errors.Is(err, opening.ErrTooLarge) {
		return nil, problem.BadParameter("from", err.Error(), "a place near the start of a run")
	}
	if err != nil {
		return nil, err
	}
	numbers := make(map[uint64]bool, len(frames))
	for i := range frames {
		numbers[frames[i].Seq] = true
	}
	return numbers, nil
}
