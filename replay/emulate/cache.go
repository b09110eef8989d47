package emulate

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"tapedeck/replay"
)

// Keeper is a tape that keeps values derived from its session for all readers of the process, until
// the session changes or is deleted.
type Keeper interface {
	// Keep returns the value of a kind, or the result of load for the current tape. ok is false if
	// the tape keeps nothing.
	Keep(ctx context.Context, kind string, load func(context.Context, replay.Tape) (any, error)) (v any, ok bool, err error)
}

// Cache returns values derived from sessions. Tapes that are Keepers keep them. For other tapes,
// such as those of files, it keeps them until frames are added to a session. It is bounded: the
// least recently used value is evicted first.
type Cache[T any] struct {
	Limit int // maximum number of sessions; 0 means 64

	mu      sync.Mutex // guards items and their field used
	entries map[cacheKey]*cacheEntry[T]
}

type cacheKey struct{ tenant, session string }

type cacheEntry[T any] struct {
	used time.Time

	mu          sync.Mutex // held while the value is computed; guards the fields below
	fingerprint uint64
	known       bool
	value       T
}

// Get returns the result of learn for the session's tape, cached if the tape is
// unchanged.
func (s *Cache[T]) Get(
	ctx context.Context, tenant, session string, t replay.Tape, learn func(context.Context, replay.Tape) (T, error),
) (T, error) {
	if k, ok := t.(Keeper); ok {
		kind := fmt.Sprintf("emulation %T", *new(T)) // each server has a type of its own
		kept, ok, err := k.Keep(ctx, kind, func(ctx context.Context, t replay.Tape) (any, error) { return learn(ctx, t) })
		if v, is := kept.(T); ok && (is || err != nil) {
			return v, err
		}
	}
	item := s.entry(cacheKey{tenant, session})
	item.mu.Lock()
	defer item.mu.Unlock()
	if print := fingerprintOf(t); !item.known || item.fingerprint != print {
		v, err := learn(ctx, t)
		if err != nil {
			return v, err
		}
		item.value, item.fingerprint, item.known = v, print, true
	}
	return item.value, nil
}

func (s *Cache[T]) entry(k cacheKey) *cacheEntry[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	item := s.entries[k]
	if item == nil {
		if s.entries == nil {
			s.entries = map[cacheKey]*cacheEntry[T]{}
		}
		if len(s.entries) >= cmp.Or(s.Limit, 64) {
			s.dropOldest()
		}
		item = &cacheEntry[T]{}
		s.entries[k] = item
	}
	item.used = time.Now()
	return item
}

// dropOldest evicts the least recently used entry. The caller holds s.mu.
func (s *Cache[T]) dropOldest() {
	var oldest cacheKey
	var at time.Time
	for k, item := range s.entries {
		if at.IsZero() || item.used.Before(at) {
			oldest, at = k, item.used
		}
	}
	delete(s.entries, oldest)
}

// fingerprintOf returns a hash that changes whenever frames are added to the tape.
func fingerprintOf(t replay.Tape) uint64 {
	var h xxhash.Digest
	for _, s := range t.Streams() {
		_, _ = h.WriteString(s.StreamID)
		var b [24]byte
		for i := range 8 {
			b[i], b[8+i], b[16+i] = byte(s.Version>>(8*i)), byte(s.Frames>>(8*i)), byte(s.LastAt>>(8*i))
		}
		_, _ = h.Write(b[:])
		_, _ = h.WriteString(s.Dialect + s.EndReason)
	}
	return h.Sum64()
}
