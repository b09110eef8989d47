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
	"tapedeck/schema/lifecycle/erasure"
	"tapedeck/schema/lifecycle/tombstone"
	"tapedeck/schema/tables"
)

// remove deletes all data that a hidden erasure covers.
func (s *Service) remove(ctx context.Context, e *erasure.Erasure) (waits string, err error) {
	if e.Kind == erasure.Tenant && !e.Progress.TokensGone {
		if err := s.revoke(ctx, e.Tenant); err != nil {
			return "", fmt.Errorf("revoke the tokens of tenant %s: %w", e.Tenant, err)
		}
		e.Progress.TokensGone = true
		if err := s.saved(ctx, e, "tokens"); err != nil {
			return "", err
		}
	}
	if left := s.opts.Grace - time.Since(e.HiddenAt); left > 0 {
		return "every server to learn of it", nil
	}
	if s.opts.Spooled != nil && s.opts.Spooled() > time.Since(e.HiddenAt) {
		return "the spool of this server, which waits for NATS", nil
	}
	if waits, err = s.blocks(ctx, e); err != nil || waits != "" {
		return waits, err
	}
	// The sink has now stored all blocks that were in JetStream when the erasure was hidden.
	stones, err := s.stones.OfErasure(ctx, e.Tenant, e.ID)
	if err != nil {
		return "", err
	}
	if e.RemovedAt.IsZero() {
		// An attempt after the first one that ended looks for no further sessions: all that were in
		// JetStream were found. What has come since may be an import.
		if waits, err := s.find(ctx, e, stones); err != nil || waits != "" {
			return waits, err
		}
		if err := s.recount(ctx, e, stones); err != nil {
			return "", err
		}
	}
	covers, err := s.coverage(ctx, e, stones)
	if err != nil {
		return "", err
	}
	if err := s.letters(ctx, e, covers); err != nil {
		return "", err
	}
	if err := s.keys(ctx, e, covers); err != nil {
		return "", err
	}
	if err := s.rows(ctx, e, stones); err != nil {
		return "", err
	}
	e.State, e.RemovedAt, e.Waits = erasure.Removed, time.Now().UTC(), ""
	return "", s.saved(ctx, e, "removed")
}

// find looks for sessions that are stored by now and have no tombstone of the erasure, and writes
// their tombstones.
func (s *Service) find(ctx context.Context, e *erasure.Erasure, stones []*tombstone.Tombstone) (waits string, err error) {
	sessions, err := s.store.Covered(ctx, e, wholeOf(stones))
	if err != nil {
		return "", err
	}
	n, err := s.cover(ctx, e, stones, sessions)
	if err == nil && n == 0 {
		return "", nil
	}
	e.HiddenAt = time.Now().UTC()
	if e.Kind == erasure.Tag {
		// The sessions continued while they were not hidden, so JetStream has blocks of them
		// after the removed blocks.
		e.Progress.Blocks, e.Progress.MoreBlocks, e.Progress.BlocksGone = 0, nil, false
	}
	if err == nil {
		err = s.saved(ctx, e, "more tombstones")
	}
	return "every server to learn of sessions that were found", err
}

// revoke revokes all tokens of a tenant.
func (s *Service) revoke(ctx context.Context, tenant string) error {
	if s.opts.Tokens == nil {
		return nil
	}
	list, err := s.opts.Tokens.List(tenant)
	if err != nil {
		return err
	}
	for _, t := range list {
		if t.RevokedAt == nil {
			if _, err := s.opts.Tokens.Revoke(ctx, tenant, t.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// saved writes the record, and reports a step to tests.
func (s *Service) saved(ctx context.Context, e *erasure.Erasure, step string) error {
	if err := s.store.Put(ctx, e); err != nil {
		return err
	}
	return s.reached(ctx, step)
}

// coverage returns a function that reports whether a stream is erased. Some messages name only the
// stream, and some only the session.
func (s *Service) coverage(ctx context.Context, e *erasure.Erasure, stones []*tombstone.Tombstone) (func(session, streamID string) bool, error) {
	list, err := s.covering(ctx, e, stones)
	if err != nil {
		return nil, err
	}
	streams := map[string]bool{}
	for _, r := range list {
		ids, err := r.Streams(ctx)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			streams[id] = true
		}
	}
	by := make(map[string]*tombstone.Tombstone, len(stones))
	for _, t := range stones {
		by[t.Session] = t
	}
	return func(session, streamID string) bool {
		return streams[streamID] || by[session].Covers(streamID) || by[""].Covers(streamID)
	}, nil
}

// blocks removes all stored messages from the stream of blocks, with their files.
func (s *Service) blocks(ctx context.Context, e *erasure.Erasure) (waits string, err error) {
	if e.Progress.BlocksGone {
		return "", nil
	}
	js, err := jetstream.New(s.opts.NATS)
	if err != nil {
		return "", fmt.Errorf("JetStream: %w", err)
	}
	if e.Progress.Blocks == 0 {
		last, err := stream.RollBlocks(ctx, js)
		if err != nil {
			return "", err
		}
		e.Progress.Blocks, e.Progress.MoreBlocks = last[0], last[1:]
		if err := s.saved(ctx, e, "rolled"); err != nil {
			return "", err
		}
	}
	waits, err = stream.RemoveStored(ctx, js, sink.ConsumerName, slices.Concat([]uint64{e.Progress.Blocks}, e.Progress.MoreBlocks), s.opts.Grace)
	if err != nil || waits != "" {
		return waits, err
	}
	if err := s.reached(ctx, "purged"); err != nil {
		return "", err
	}
	e.Progress.BlocksGone = true
	return "", s.saved(ctx, e, "blocks")
}

// letters removes dead letters.
func (s *Service) letters(ctx context.Context, e *erasure.Erasure, covers func(session, streamID string) bool) error {
	if e.Progress.LettersGone || s.opts.Letters == nil {
		return nil
	}
	unreadable, err := s.opts.Letters.Of(e.Tenant).Erase(ctx, func(l *deadletters.Letter) bool {
		return e.Kind == erasure.Tenant && l.Session == "" || l.Session != "" && covers(l.Session, l.StreamID)
	})
	if err != nil {
		return err
	}
	if unreadable > 0 {
		e.Remarks = append(e.Remarks, fmt.Sprintf("%d dead letters of the tenant cannot be read and may hold "+
			"blocks of what is erased: look at them with \"tapedeck dead-letters\"", unreadable))
	}
	e.Progress.LettersGone = true
	return s.saved(ctx, e, "letters")
}

// keys removes logs of idempotency keys.
func (s *Service) keys(ctx context.Context, e *erasure.Erasure, covers func(session, streamID string) bool) error {
	if e.Progress.KeysGone || !e.Progress.KeysUntil.IsZero() {
		return nil
	}
	gone, err := keys.Erase(ctx, s.opts.NATS, e.Tenant, s.opts.Sync, covers)
	if err != nil {
		return err
	}
	e.Progress.Keys, e.Progress.KeysUntil, e.Progress.KeysGone = gone.Last, gone.Until, gone.Last == 0
	return s.saved(ctx, e, "keys")
}

// rows deletes the rows from every table of recordings.
func (s *Service) rows(ctx context.Context, e *erasure.Erasure, stones []*tombstone.Tombstone) error {
	list, err := s.covering(ctx, e, stones)
	if err != nil {
		return err
	}
	for _, table := range tables.Names(tables.Recording) {
		for _, r := range list {
			if err := r.Remove(ctx, table); err != nil {
				return err
			}
		}
		if err := s.reached(ctx, "rows of "+table); err != nil {
			return err
		}
	}
	e.Progress.RowsAt, err = s.store.Now(ctx)
	return err
}

// covering returns the rows that tombstones cover. For a tenant it returns all rows at once: those
// that its own tombstone covers, and streams that the tombstones of its sessions name.
func (s *Service) covering(ctx context.Context, e *erasure.Erasure, stones []*tombstone.Tombstone) ([]erasure.Rows, error) {
	if e.Kind == erasure.Tenant {
		whole := wholeOf(stones)
		if whole == nil {
			return nil, nil // another erasure of the tenant has replaced it
		}
		all := *whole
		for _, t := range stones {
			all.Streams = append(all.Streams, t.Streams...)
		}
		stones = []*tombstone.Tombstone{&all}
	}
	return s.store.Rows(ctx, stones)
}
