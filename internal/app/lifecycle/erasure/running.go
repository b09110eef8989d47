package erasure

import (
	"context"

	"tapedeck/schema/lifecycle/erasure"
	"tapedeck/schema/lifecycle/tombstone"
)

// running returns the erasure in progress that covers all that is stored of some sessions; nil if
// there is none, such as for a session that was recorded or imported again since.
func (s *Service) running(ctx context.Context, tenant string, sessions []string) (*erasure.Erasure, error) {
	latest, err := s.stones.Find(ctx, tombstone.Key{Tenant: tenant, Session: sessions[0]})
	if err != nil || latest == nil || latest.Erasure == "" {
		return nil, err
	}
	e, err := s.store.Find(ctx, tenant, latest.Erasure)
	if err != nil || e == nil || e.State != erasure.Hidden {
		return nil, err
	}
	stones, err := s.stones.OfErasure(ctx, tenant, e.ID)
	if err != nil {
		return nil, err
	}
	hidden := make(map[string]bool, len(stones))
	for _, t := range stones {
		hidden[t.Session] = true
	}
	for _, id := range sessions {
		if !hidden[id] {
			return nil, nil
		}
	}
	restored, err := s.store.Restored(ctx, tenant, stones[0].At)
	if err != nil || len(restored) > 0 {
		return nil, err
	}
	all, err := s.store.Count(ctx, tenant, sessions, "")
	if err != nil {
		return nil, err
	}
	covered, err := s.store.Count(ctx, tenant, sessions, e.Until)
	if err != nil || covered != all {
		return nil, err
	}
	return e, nil
}
