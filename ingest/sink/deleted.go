package sink

import (
	"context"
	"errors"
	"time"

	"tapedeck/internal/metric"
	"tapedeck/schema/block"
	"tapedeck/schema/lifecycle/tombstone"
)

var deletedBlocks = metric.Counter(metric.Sink, "tapedeck_sink_deleted_blocks_total",
	"Blocks that were not stored because their session was deleted.")

// errDeleted reports that a block is not stored because its session was deleted.
var errDeleted = errors.New("the session was deleted")

// undeleted removes from a block everything that belongs to deleted sessions. at is the arrival of
// the block. It reports whether anything is left to store. If the block's own session is deleted
// but the block ends segments in other sessions, these ends stay, and the block is moved to one of
// those sessions.
func (s *Sink) undeleted(ctx context.Context, tenant string, b *block.Block, at time.Time) bool {
	if s.opts.Deleted == nil {
		return true
	}
	covers := func(session string) bool {
		return s.opts.Deleted.Covers(ctx, tombstone.Key{Tenant: tenant, Session: session}, b.State.StreamID, at)
	}
	left := b.Left[:0]
	for _, l := range b.Left {
		if !covers(l.Session) {
			left = append(left, l)
		}
	}
	b.Left = left
	if !covers(b.Session) {
		return true
	}
	deletedBlocks.Inc()
	b.Frames, b.Facts = b.Frames[:0], block.Facts{}
	if len(b.Left) == 0 {
		return false
	}
	b.Session, b.State, b.Left = b.Left[0].Session, b.Left[0].State, b.Left[1:]
	return true
}

const (
	// sweepAfter is the time after a deletion within which inserts that were in flight have ended.
	sweepAfter = 5 * time.Second
	// sweepSince is the age above which the first sweep skips completed deletions.
	sweepSince = time.Hour
)

// sweep removes rows of deleted sessions that sinks stored before they received the tombstone, and
// completes interrupted deletions. Readers hide these rows meanwhile, so a failure of sweep only
// leaves disk space in use.
func (s *Sink) sweep(ctx context.Context) {
	var due []*tombstone.Tombstone
	tick := time.NewTicker(sweepAfter)
	defer tick.Stop()
	for {
		for _, t := range due {
			if ctx.Err() != nil {
				return
			}
			if t.Finished && time.Since(t.At) > sweepSince {
				continue
			}
			if err := s.opts.Complete(ctx, t); err != nil && ctx.Err() == nil {
				s.log.Warn(
					"sink: the rows of a deleted session could not be removed; delete it again or restart this server to remove them",
					"session", t.Session, "error", err,
				)
			}
		}
		due = s.opts.Deleted.Learned()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
