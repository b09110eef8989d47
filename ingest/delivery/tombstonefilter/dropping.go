package tombstonefilter

import (
	"context"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/metric"
	"tapedeck/schema/block"
	"tapedeck/schema/lifecycle/tombstone"
)

var droppedBlocks = metric.Counter(metric.Ingest, "tapedeck_ingest_dropped_deleted_blocks_total",
	"Blocks that had been accepted and were dropped before JetStream because their session was deleted meanwhile.")

// Dropping drops blocks whose session was deleted after they were accepted, such as blocks of a
// spool. It is safe for use by many goroutines.
type Dropping struct {
	next    ingest.Publisher
	deleted *tombstone.Set
}

// NewDropping returns a publisher that passes the remaining blocks to next.
func NewDropping(next ingest.Publisher, deleted *tombstone.Set) *Dropping {
	return &Dropping{next, deleted}
}

// Publish implements ingest.Publisher.
func (p *Dropping) Publish(ctx context.Context, b ingest.EncodedBlock, done func(error)) error {
	if p.deleted.Known(tombstone.Key{Tenant: b.Tenant, Session: b.Session}) == nil || !p.erased(ctx, &b) {
		return p.next.Publish(ctx, b, done)
	}
	droppedBlocks.Inc()
	go done(nil)
	return nil
}

// erased reports whether no part of a block is to be stored.
func (p *Dropping) erased(ctx context.Context, b *ingest.EncodedBlock) bool {
	opened, err := block.Decode(b.Data)
	if err != nil {
		return false // the sink sets it aside
	}
	now := time.Now()
	if !p.deleted.Covers(ctx, tombstone.Key{Tenant: b.Tenant, Session: b.Session}, opened.State.StreamID, now) {
		return false
	}
	for _, l := range opened.Left {
		if !p.deleted.Covers(ctx, tombstone.Key{Tenant: b.Tenant, Session: l.Session}, opened.State.StreamID, now) {
			return false // the block has segments of another session
		}
	}
	return true
}
