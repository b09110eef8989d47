package erasure

import (
	"context"
	"fmt"
	"time"

	"tapedeck/internal/app/lifecycle/lease"
	"tapedeck/schema/lifecycle/erasure"
)

// Run processes erasures until ctx ends. Of all servers on one NATS, one does so at a time.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(s.opts.Every)
	defer tick.Stop()
	for {
		if err := s.round(ctx); err != nil && ctx.Err() == nil && s.opts.NATS.IsConnected() {
			s.opts.Log.Warn("erasures: an attempt failed, trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-tick.C:
		}
	}
}

// round advances every open erasure as far as possible.
func (s *Service) round(ctx context.Context) error {
	list, err := s.store.Open(ctx)
	if err != nil {
		return err
	}
	s.report(list)
	late := time.Since(s.asked) >= lateEvery
	if len(list) == 0 && !late {
		return nil
	}
	_, err = lease.Hold(ctx, s.opts.NATS, "erasures", s.holder, func(ctx context.Context) error {
		if late {
			s.asked = time.Now()
			if err := s.reopen(ctx); err != nil {
				return err
			}
		}
		// Another server may have advanced them.
		list, err := s.store.Open(ctx)
		if err != nil {
			return err
		}
		for i := range list {
			if err := s.attempt(ctx, &list[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// report updates the metrics.
func (s *Service) report(list []erasure.Erasure) {
	var overdue, oldest float64
	now := time.Now()
	for i := range list {
		if list[i].Overdue(now) {
			overdue++
		}
		oldest = max(oldest, now.Sub(list[i].RequestedAt).Seconds())
	}
	open.Set(float64(len(list)))
	late.Set(overdue)
	oldestOpen.Set(oldest)
}

// attempt advances an erasure as far as possible. It notes in the record what the erasure waits
// for.
func (s *Service) attempt(ctx context.Context, e *erasure.Erasure) error {
	before := *e
	waits, err := s.carry(ctx, e)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		waits = err.Error()
		s.opts.Log.Warn("erasures: an attempt failed, trying again", "erasure", e.ID, "tenant", e.Tenant, "error", err)
	}
	if e.Done() || e.Version == before.Version && e.Waits == waits {
		return nil
	}
	e.Waits = waits
	return s.store.Put(ctx, e)
}

// carry performs the steps until one has to wait.
func (s *Service) carry(ctx context.Context, e *erasure.Erasure) (waits string, err error) {
	for {
		var next func(context.Context, *erasure.Erasure) (string, error)
		switch e.State {
		case erasure.Requested:
			next = func(ctx context.Context, e *erasure.Erasure) (string, error) { return "", s.hide(ctx, e) }
		case erasure.Hidden:
			next = s.removeTogether
		case erasure.Removed:
			next = s.verify
		default:
			return "", nil
		}
		if waits, err = next(ctx, e); err != nil || waits != "" {
			return waits, err
		}
	}
}

// until describes a wait until a time.
func until(what string, at time.Time) string {
	return fmt.Sprintf("%s, until %s", what, at.UTC().Format(time.RFC3339))
}
