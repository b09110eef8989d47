package tombstone

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// Set caches the tombstones of the latest deletions in a process. While it is in use it is at most
// about a second behind ClickHouse. It is safe for use by many goroutines.
type Set struct {
	store *Store

	mu sync.Mutex // guards the fields below
	// known has the tombstones. Sessions with imports after the tombstone of their tenant, and without
	// one of their own, have one with Restored only.
	known   map[Key]*Tombstone
	asked   map[Key]time.Time // when the tombstone of a single session was read from ClickHouse
	loaded  time.Time         // when the latest successful load began
	loading bool
	tried   time.Time    // when a load began last
	learned []*Tombstone // not yet returned by Learned
	learns  bool         // learned is kept, since Learned was called

	asking bool   // a goroutine is reading requested tombstones
	next   *batch // its next read, nil if there is none
}

const (
	// maxAge is the minimum interval between two loads of new tombstones.
	maxAge = time.Second
	// overlap is needed since rows may be written late and by servers whose clocks differ.
	overlap = 5 * time.Minute
	// mostKnown bounds the number of tombstones in memory. The latest are kept; SQL statements
	// apply all of them.
	mostKnown   = 100_000
	loadTimeout = 5 * time.Second
	// askTimeout bounds a read. Readers that open sessions wait for it, within the time of their
	// requests. It is long, so that a slow ClickHouse does not cause errors when hundreds of
	// readers open sessions at once.
	askTimeout = 20 * time.Second
)

// NewSet returns an empty set.
func NewSet(store *Store) *Set {
	return &Set{store: store, known: map[Key]*Tombstone{}, asked: map[Key]time.Time{}}
}

// Load loads new tombstones.
func (s *Set) Load(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	began := time.Now()
	s.mu.Lock()
	s.tried = began
	since := time.Unix(0, 0)
	if !s.loaded.IsZero() {
		since = s.loaded.Add(-overlap)
	}
	s.mu.Unlock()
	rows, err := s.store.since(ctx, since, mostKnown)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range rows {
		s.add(t)
	}
	s.evict()
	s.loaded = began
	return nil
}

// Add adds a tombstone that was just written or read.
func (s *Set) Add(t *Tombstone) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(t)
}

// add is Add for callers that hold s.mu.
func (s *Set) add(t *Tombstone) {
	was := s.known[t.Key]
	if was == nil {
		if t.Until == "" {
			s.addRestore(t)
			return
		}
		own := &Tombstone{Key: t.Key}
		own.merge(t)
		s.known[t.Key] = own
	} else {
		if !t.At.After(was.At) && t.Until <= was.Until {
			was.merge(t)
			return
		}
		was.merge(t)
	}
	if s.learns && len(s.learned) < mostKnown {
		s.learned = append(s.learned, s.known[t.Key].clone())
	}
}

// addRestore adds imports of a session without a tombstone of its own. Those that count are after the
// tombstone of its tenant. The caller holds s.mu.
func (s *Set) addRestore(t *Tombstone) {
	whole := s.known[Key{Tenant: t.Tenant}]
	if whole == nil {
		return
	}
	for _, at := range t.Restored {
		if at.After(whole.At) {
			own := &Tombstone{Key: t.Key}
			own.merge(t)
			s.known[t.Key] = own
			return
		}
	}
}

func (t *Tombstone) clone() *Tombstone {
	if t == nil {
		return nil
	}
	own := &Tombstone{Key: t.Key}
	own.merge(t)
	return own
}

// evict removes the oldest tombstones if there are too many. The caller holds s.mu.
func (s *Set) evict() {
	if len(s.known) <= mostKnown+mostKnown/10 {
		return
	}
	all := make([]*Tombstone, 0, len(s.known))
	for _, t := range s.known {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *Tombstone) int { return cmp.Compare(b.At.UnixNano(), a.At.UnixNano()) })
	for _, t := range all[mostKnown:] {
		delete(s.known, t.Key)
		delete(s.asked, t.Key)
	}
}

// touch starts a load in the background if the set is out of date. The caller holds s.mu.
func (s *Set) touch() {
	if s.loading || time.Since(s.tried) < maxAge {
		return
	}
	s.loading = true
	go func() {
		// The load ends within loadTimeout. Inserts and queries report an unreachable ClickHouse.
		_ = s.Load(context.Background())
		s.mu.Lock()
		defer s.mu.Unlock()
		s.loading = false
	}()
}

// Known returns the known tombstone of a session, nil if there is none.
func (s *Set) Known(of Key) *Tombstone {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.touch()
	return s.lookup(of).clone()
}

// lookup returns the tombstone of a session or of its whole tenant, nil if there is none. The
// caller holds s.mu.
func (s *Set) lookup(of Key) *Tombstone {
	own, whole := s.known[of], s.known[Key{Tenant: of.Tenant}]
	if whole == nil && own != nil && own.Until == "" {
		return nil // it has only imports, and the tombstone of the tenant was evicted
	}
	if whole == nil || own == whole {
		return own
	}
	t := &Tombstone{Key: of}
	t.merge(whole)
	if own != nil {
		t.merge(own)
	}
	return t
}

// Covers reports whether a stream of a session is deleted, for a block of it that arrived at the
// given time. It returns true only if a read from ClickHouse after that time shows that the stream
// was not imported since. Without such a read it makes one, and returns false if the read fails.
func (s *Set) Covers(ctx context.Context, of Key, stream string, arrived time.Time) bool {
	s.mu.Lock()
	s.touch()
	covers, asked := s.lookup(of).Covers(stream), s.asked[of]
	s.mu.Unlock()
	if !covers || arrived.Before(asked) {
		return covers // a restore is written before the first block of its import is published
	}
	if err := s.Ask(ctx, of); err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lookup(of).Covers(stream)
}

// Learned returns the tombstones that were added since the last call; the first call
// returns all.
func (s *Set) Learned() []*Tombstone {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.touch()
	if !s.learns {
		s.learns = true
		for _, t := range s.known {
			if t.Until != "" {
				s.learned = append(s.learned, t.clone())
			}
		}
	}
	list := s.learned
	s.learned = nil
	return list
}
