package sink

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tapedeck/ingest/delivery/deadletters"
	"tapedeck/schema/block"
)

// tryLetter stores the blocks of a dead letter. It succeeds only if all blocks are stored. It uses
// a connection of its own, concurrently with the batches.
func (s *Sink) tryLetter(ctx context.Context, subject string, data []byte) error {
	g := gatherer{sink: s, batch: newBatch()}
	tenant, err := g.open(subject, data)
	if err != nil {
		return fmt.Errorf("%w: %w", deadletters.ErrRefused, err)
	}
	if size := unpackedSize(g.entries); size > s.blockLimit() {
		return fmt.Errorf("%w: its blocks have %d bytes before compression", deadletters.ErrRefused, size)
	}
	for _, e := range g.entries {
		if err := block.Readable(e.Data); err != nil {
			return fmt.Errorf("%w: %w", deadletters.ErrRefused, err)
		}
		err := g.decode(ctx, tenant, e.Data, time.Now())
		if errors.Is(err, errDeleted) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%w: %w", deadletters.ErrRefused, err)
		}
		g.batch.blocks++
	}
	if g.batch.blocks == 0 {
		return nil // all of its sessions were deleted
	}
	out := &inserter{sink: s, dsn: s.opts.DSN}
	defer out.close()
	err = out.try(ctx, g.batch)
	if isRefusal(err) {
		return fmt.Errorf("%w: %w", deadletters.ErrRefused, err)
	}
	if err == nil {
		storedFrames.Add(float64(g.batch.columns.Frames()))
		storedBlocks.Add(float64(g.batch.blocks))
	}
	return err
}
