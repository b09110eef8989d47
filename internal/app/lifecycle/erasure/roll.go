package erasure

import (
	"context"
	"errors"
	"slices"
	"time"

	stream "tapedeck/ingest/delivery/jetstream"
	"tapedeck/schema/lifecycle/erasure"
)

// rolled is the last beginning of new files of the stream of blocks.
type rolled struct {
	at   time.Time // a time before it
	last []uint64  // the sequences that stream.RollBlocks returned
	// spooled is the time since which the oldest block in the spool had waited; at for an empty spool.
	spooled time.Time
}

// covers reports whether all blocks from before an erasure was hidden were in the files before. An
// erasure that is repeated may have later ones.
func (r *rolled) covers(e *erasure.Erasure, grace time.Duration) bool {
	return len(r.last) > 0 && e.RemovedAt.IsZero() && !r.at.Before(e.HiddenAt.Add(grace)) && !r.spooled.Before(e.HiddenAt)
}

// removeTogether performs remove. Erasures that were hidden before the stream of blocks began new files
// use the same ones, since each beginning writes a file of fillers to each partition. A stream that was
// replaced begins new files once more.
func (s *Service) removeTogether(ctx context.Context, e *erasure.Erasure) (waits string, err error) {
	now := rolled{at: time.Now()}
	now.spooled = now.at
	if s.opts.Spooled != nil {
		now.spooled = now.at.Add(-s.opts.Spooled())
	}
	p := &e.Progress
	if p.Blocks == 0 && !p.BlocksGone && s.rolled.covers(e, s.opts.Grace) {
		p.Blocks, p.MoreBlocks = s.rolled.last[0], s.rolled.last[1:]
	}
	had := p.Blocks
	waits, err = s.remove(ctx, e)
	if had == 0 && p.Blocks != 0 {
		now.last = slices.Concat([]uint64{p.Blocks}, p.MoreBlocks)
		s.rolled = now
	}
	if errors.Is(err, stream.ErrNewBlocks) {
		s.rolled, p.Blocks, p.MoreBlocks = rolled{}, 0, nil
		return "", s.saved(ctx, e, "new blocks")
	}
	return waits, err
}
