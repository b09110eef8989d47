package erasure

import (
	"context"
	"time"

	"tapedeck/ingest/delivery/keys"
	"tapedeck/schema/lifecycle/erasure"
	"tapedeck/schema/tables"
)

// verify searches for data that a removed erasure covers. It removes rows that a server has stored
// meanwhile.
func (s *Service) verify(ctx context.Context, e *erasure.Erasure) (waits string, err error) {
	stones, err := s.stones.OfErasure(ctx, e.Tenant, e.ID)
	if err != nil {
		return "", err
	}
	list, err := s.covering(ctx, e, stones)
	if err != nil {
		return "", err
	}
	for _, table := range tables.Names(tables.Recording) {
		for _, r := range list {
			n, err := r.Count(ctx, table)
			if err != nil {
				return "", err
			}
			if n > 0 {
				return "", s.again(ctx, e)
			}
		}
	}
	if waits, err := s.Replaced(ctx, e.Progress.RowsAt); err != nil || waits != "" {
		return waits, err
	}
	if !e.Progress.KeysGone && time.Now().Before(e.Progress.KeysUntil) {
		gone, err := keys.Gone(ctx, s.opts.NATS, e.Progress.Keys)
		if err != nil {
			return "", err
		}
		if !gone {
			return until("JetStream to compact or expire files of idempotency keys", e.Progress.KeysUntil), nil
		}
	}
	if err := s.stones.Finish(ctx, stones); err != nil {
		return "", err
	}
	if err := s.reached(ctx, "finished"); err != nil {
		return "", err
	}
	e.State, e.VerifiedAt, e.Named, e.Waits, e.Progress.KeysGone = erasure.Verified, time.Now().UTC(), nil, "", true
	if err := s.saved(ctx, e, "verified"); err != nil {
		return "", err
	}
	finished.Inc()
	took.Observe(e.VerifiedAt.Sub(e.RequestedAt).Seconds())
	s.opts.Log.Info("erasures: erased", "erasure", e.ID, "tenant", e.Tenant, "kind", e.Kind, "sessions", e.Found.Sessions,
		"took", e.VerifiedAt.Sub(e.RequestedAt).Round(time.Millisecond))
	return "", nil
}

// again repeats the removal of an erasure.
func (s *Service) again(ctx context.Context, e *erasure.Erasure) error {
	e.State, e.Progress = erasure.Hidden, erasure.Progress{TokensGone: e.Progress.TokensGone}
	return s.saved(ctx, e, "again")
}

// lateEvery is the interval between searches for rows that were stored after their erasure was
// verified, for example by a sink that was suspended.
const lateEvery = time.Hour

// reopen repeats the erasures that cover stored rows.
func (s *Service) reopen(ctx context.Context) error {
	list, err := s.store.Late(ctx)
	if err != nil {
		return err
	}
	for _, l := range list {
		e, err := s.store.Find(ctx, l.Tenant, l.Erasure)
		if err != nil {
			return err
		}
		if e != nil && e.Done() {
			s.opts.Log.Warn("erasures: rows were stored after an erasure, removing them", "erasure", e.ID, "tenant", e.Tenant)
			if err := s.again(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}
