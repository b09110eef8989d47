package access

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// checkEvery is the interval at which a store checks whether its copy is too old.
	checkEvery = time.Second
	// KeepInvalid is how long revoked and expired tokens are listed before they are removed.
	KeepInvalid = 90 * 24 * time.Hour
	tidyEvery   = time.Hour
)

// tend ends the requests of tokens that cannot be checked any more, and removes old tokens, until
// ctx ends.
func (s *Store) tend(ctx context.Context) {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	var tidied time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.mu.Lock()
		away := s.current() != nil
		if away {
			endAll(s.copy.all(), ErrAway)
		}
		s.mu.Unlock()
		if !away && s.now().Sub(tidied) >= tidyEvery {
			tidied = s.now()
			s.tidy(ctx, tidied)
		}
	}
}

// tidy removes tokens that have been invalid for longer than KeepInvalid. Several servers may do so
// at once.
func (s *Store) tidy(ctx context.Context, now time.Time) {
	kv, err := s.bucket()
	if err != nil {
		return
	}
	old := now.Add(-KeepInvalid)
	var ids []string
	s.mu.Lock()
	for id, t := range s.copy.byID {
		if t.RevokedAt != nil && t.RevokedAt.Before(old) || t.ExpiresAt != nil && t.ExpiresAt.Before(old) {
			ids = append(ids, id)
		}
	}
	s.mu.Unlock()
	for _, id := range ids {
		ctx, cancel := context.WithTimeout(ctx, natsTimeout)
		// An invalid token never becomes valid, so no concurrent change is lost.
		err := errors.Join(kv.Purge(ctx, tokenKey+id), kv.Purge(ctx, usedKey+id))
		cancel()
		if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
			s.opts.Log.Warn("access: an old token could not be removed, trying again in an hour", "token", id, "error", err)
			return
		}
		s.opts.Log.Info("access: removed a token that was invalid for long", "token", id)
	}
}
