package erasure

import (
	"context"
	"time"

	"tapedeck/schema/lifecycle/erasure"
	"tapedeck/schema/lifecycle/tombstone"
)

// stonesAtOnce bounds the tombstones of one insert.
const stonesAtOnce = 1000

// hide writes the tombstones of an erasure.
func (s *Service) hide(ctx context.Context, e *erasure.Erasure) error {
	had, err := s.stones.OfErasure(ctx, e.Tenant, e.ID) // of an attempt that was interrupted
	if err != nil {
		return err
	}
	sessions, err := s.covered(ctx, e, wholeOf(had))
	if err != nil {
		return err
	}
	if _, err := s.cover(ctx, e, had, sessions); err != nil {
		return err
	}
	if err := s.reached(ctx, "tombstones"); err != nil {
		return err
	}
	e.State, e.HiddenAt = erasure.Hidden, time.Now().UTC()
	e.Until = tombstone.Bound(e.HiddenAt)
	if err := s.store.Put(ctx, e); err != nil {
		return err
	}
	return s.reached(ctx, "hidden")
}

// cover writes the tombstones that an erasure does not have yet, besides those that it had, and
// returns how many.
func (s *Service) cover(ctx context.Context, e *erasure.Erasure, had []*tombstone.Tombstone, sessions []string) (int, error) {
	known := make(map[string]bool, len(had))
	for _, t := range had {
		known[t.Session] = true
		s.learn(t) // the process that wrote it may have been killed before it added it
	}
	if e.State == erasure.Requested { // or before it announced it
		if err := s.stones.Announce(ctx, keysOf(had)...); err != nil {
			return 0, err
		}
	}
	var missing []string
	for _, id := range sessions {
		if !known[id] {
			missing = append(missing, id)
		}
	}
	if e.Kind == erasure.Tenant && !known[""] {
		missing = append(missing, "")
	}
	whole := wholeOf(had)
	for from := 0; from < len(missing); from += stonesAtOnce {
		some := missing[from:min(from+stonesAtOnce, len(missing))]
		var list []*tombstone.Tombstone
		var err error
		if whole == nil {
			list, err = s.stones.PutAll(ctx, e.Tenant, e.ID, some)
		} else {
			// Of the time of that one, so that they cover no stream that was imported since.
			list, err = s.stones.PutLike(ctx, whole, some)
		}
		if err != nil {
			return from, err
		}
		for _, t := range list {
			s.learn(t)
		}
		if err := s.stones.Announce(ctx, keysOf(list)...); err != nil {
			return from, err
		}
	}
	return len(missing), nil
}

// wholeOf returns the latest tombstone of a whole tenant among the tombstones of an erasure, nil if
// there is none. There are two if a server continued the request while it was answered.
func wholeOf(list []*tombstone.Tombstone) (latest *tombstone.Tombstone) {
	for _, t := range list {
		if t.Session == "" && (latest == nil || t.At.After(latest.At)) {
			latest = t
		}
	}
	return latest
}

// keysOf returns the sessions of tombstones.
func keysOf(list []*tombstone.Tombstone) []tombstone.Key {
	keys := make([]tombstone.Key, len(list))
	for i, t := range list {
		keys[i] = t.Key
	}
	return keys
}

// recount counts what an erasure covers once more, since blocks that were in JetStream when it was
// requested are stored by now: of known sessions, and of sessions that were found since. A figure
// does not fall, for an attempt that was interrupted may have removed rows.
func (s *Service) recount(ctx context.Context, e *erasure.Erasure, stones []*tombstone.Tombstone) error {
	var sessions []string // nil for all of the tenant
	if e.Kind != erasure.Tenant {
		sessions = make([]string, len(stones))
		for i, t := range stones {
			sessions[i] = t.Session
		}
	}
	now, err := s.store.Count(ctx, e.Tenant, sessions, e.Until)
	if err != nil {
		return err
	}
	found := &e.Found
	found.Sessions, found.Streams = max(found.Sessions, now.Sessions), max(found.Streams, now.Streams)
	found.Frames, found.Bytes = max(found.Frames, now.Frames), max(found.Bytes, now.Bytes)
	return nil
}

func (s *Service) learn(t *tombstone.Tombstone) {
	if s.opts.Deleted != nil {
		s.opts.Deleted.Add(t)
	}
}
