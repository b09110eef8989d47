package erasure

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest/delivery/deadletters"
	stream "tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/delivery/keys"
	"tapedeck/ingest/sink"
)

// Copies removes copies of a session outside of ClickHouse's rows, for sessions that are not
// deleted, such as those in which secrets are masked. It implements redecode.Copies.
type Copies struct{ *Service }

// copiesLimit bounds the wait for the sink.
const copiesLimit = time.Minute

// Remove removes all stored blocks from JetStream, and the logs of idempotency keys of the streams.
// The remarks name what it does not remove.
func (c Copies) Remove(ctx context.Context, tenant, session string, streams []string) (until time.Time, remarks []string, err error) {
	s := c.Service
	if err := s.removeBlocks(ctx); err != nil {
		return until, nil, err
	}
	covers := func(of, id string) bool { return of == session || slices.Contains(streams, id) }
	gone, err := keys.Erase(ctx, s.opts.NATS, tenant, s.opts.Sync, covers)
	if err != nil {
		return until, nil, err
	}
	if gone.Logs > 0 {
		until = gone.Until
	}
	if s.opts.Letters != nil {
		n := 0
		_, err := s.opts.Letters.Of(tenant).Erase(ctx, func(l *deadletters.Letter) bool {
			if l.Session != "" && covers(l.Session, l.StreamID) {
				n++
			}
			return false
		})
		if err != nil {
			return until, nil, err
		}
		if n > 0 {
			remarks = append(remarks, fmt.Sprintf("%d dead letters of the session hold blocks as they were: "+
				"retry them with \"tapedeck dead-letters retry\" and mask once more, or drop them", n))
		}
	}
	if s.opts.Spooled != nil && s.opts.Spooled() > 0 {
		remarks = append(remarks, "the spool of this server holds blocks, which may be of the session: mask once more when it is empty")
	}
	return until, append(remarks, "blocks in spools of recorders and of other servers, and tapes, exports and backups, are as they were"), nil
}

// removeBlocks waits until the sink has stored all blocks that are in JetStream now, and removes
// them with their files.
func (s *Service) removeBlocks(ctx context.Context) error {
	js, err := jetstream.New(s.opts.NATS)
	if err != nil {
		return fmt.Errorf("JetStream: %w", err)
	}
	last, err := stream.RollBlocks(ctx, js)
	if err != nil {
		return err
	}
	for end := time.Now().Add(copiesLimit); ; {
		waits, err := stream.RemoveStored(ctx, js, sink.ConsumerName, last, s.opts.Grace)
		if err != nil || waits == "" {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("blocks in JetStream still wait for %s", waits)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// Now returns ClickHouse's time.
func (s *Service) Now(ctx context.Context) (time.Time, error) { return s.store.Now(ctx) }

// Replaced describes the files that ClickHouse has replaced before a time of its clock and that are
// still on the disk; "" for none.
func (s *Service) Replaced(ctx context.Context, at time.Time) (string, error) {
	n, err := s.store.OldParts(ctx, at)
	if err != nil || n == 0 {
		return "", err
	}
	return fmt.Sprintf("ClickHouse to remove %d replaced files of tables (old_parts_lifetime)", n), nil
}
