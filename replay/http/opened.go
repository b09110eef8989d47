package replayhttp

import (
	"context"
	"errors"
	"slices"

	"tapedeck/internal/budget"
	"tapedeck/internal/problem"
	"tapedeck/replay"
	"tapedeck/replay/opening"
	"tapedeck/schema"
)

// asClient reports whether the request begins in the middle and takes everything that the recorded client
// received from there on.
func (req *request) asClient() bool {
	f := &req.filter
	return req.raw && req.from != nil && req.resume == nil && len(f.Types)+len(f.Agents) == 0 &&
		(len(f.Directions) == 0 || slices.Contains(f.Directions, schema.Receive))
}

// openedAt returns a tape whose playback from a place begins with the frames that opened what is open there: see
// package opening. The error is a *problem.Problem if they are too large.
func openedAt(ctx context.Context, t replay.Tape, from replay.Place, grant *budget.Grant) (replay.Tape, error) {
	first, err := opening.Frames(ctx, t, from, nil)
	if errors.Is(err, opening.ErrTooLarge) {
		return nil, problem.BadParameter("from", err.Error(), "a place near the start of a run")
	}
	if err != nil {
		return nil, err
	}
	size := int64(0)
	for i := range first {
		size += int64(len(first[i].Raw))
	}
	if err := grant.Need(ctx, size); err != nil {
		return nil, err
	}
	return opening.Before(t, from, first), nil
}
