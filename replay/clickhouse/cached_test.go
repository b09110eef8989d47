package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/local/localtest"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/internal/speedtest"
	"tapedeck/replay"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/change"
	"tapedeck/schema/lifecycle/tombstone"
	"tapedeck/schema/sessioncache"
)

// newCache returns a cache that follows the announcements of a NATS of its own.
func newCache(t testing.TB, bytes int64) *sessioncache.Cache {
	t.Helper()
	return cacheOn(t, announcements(t), bytes)
}

// announcements returns a connection to a NATS with the stream of announcements.
func announcements(t testing.TB) *nats.Conn {
	t.Helper()
	nc := localtest.NATS(t)
	js, err := jetstream.New(nc)
	if err == nil {
		err = change.EnsureStream(t.Context(), js, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return nc
}

func cacheOn(t testing.TB, nc *nats.Conn, bytes int64) *sessioncache.Cache {
	t.Helper()
	c, err := sessioncache.New(sessioncache.Options{NATS: nc, Bytes: bytes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// announcer returns a function that announces sessions of the tenant default.
func announcer(t testing.TB, nc *nats.Conn) func(sessions ...string) {
	t.Helper()
	a, err := change.NewAnnouncer(nc)
	if err != nil {
		t.Fatal(err)
	}
	return func(sessions ...string) {
		t.Helper()
		for _, s := range sessions {
			if err := a.Sessions(t.Context(), tombstone.Key{Tenant: "default", Session: s}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// few returns a session of a few short streams at the same time, which fits into a lead.
func few(r *rand.Rand) *replaytest.Tape {
	tape := &replaytest.Tape{}
	for range 4 {
		s := tape.Stream(schema.Transport(r.IntN(4)), "loom")
		at := time.Duration(r.IntN(50)) * time.Millisecond
		for range 1 + r.IntN(200) {
			s.Add(at, fmt.Sprint(r.IntN(1000)), func(f *schema.Frame) {
				f.Type, f.Agent = []string{"", "text", "tool"}[r.IntN(3)], []string{"", "text"}[r.IntN(2)]
				f.Direction, f.Flags = schema.Direction(r.IntN(2)), schema.Flags(r.IntN(1<<12))
			})
			at += time.Duration(r.IntN(3)) * time.Millisecond
		}
	}
	return tape
}

// statements returns the number of statements that readers of the store have run.
func (s *Store) statements() int64 { return s.queries.Load() }

// first opens a session and reads its first frames.
func (s *Store) first(ctx context.Context, session string) ([]byte, error) {
	tape, err := s.Tape(ctx, "default", session)
	if err != nil {
		return nil, err
	}
	r, err := tape.Read(ctx, replay.Query{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	frames, err := r.Next(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Clone(frames[0].Raw), nil
}

// A session that is opened 300 times, one after another and all at once, costs the statements of one
// opening.
func TestStatementsOfOpenings(t *testing.T) {
	db := shared(t)
	db.record("default", "s", few(rand.New(rand.NewPCG(1, 2))), nil)
	db.record("default", "other", few(rand.New(rand.NewPCG(3, 4))), nil)
	cache := newCache(t, 0)
	store := db.open(Options{Cache: cache})
	if _, err := store.first(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	one := store.statements()
	for range 300 {
		if _, err := store.first(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
	}
	if n := store.statements(); n != one || one != 2 {
		t.Errorf("%d statements for one opening and %d for 301, want 2", one, n)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var slowest time.Duration
	start := make(chan struct{})
	for range 300 {
		all.Go(func() {
			<-start
			began := time.Now()
			if _, err := store.first(t.Context(), "other"); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			slowest = max(slowest, time.Since(began))
		})
	}
	close(start)
	all.Wait()
	if n := store.statements(); n != 2*one {
		t.Errorf("%d statements after 300 have opened another session at once, want %d", n, 2*one)
	}
	if _, err := store.first(t.Context(), "none"); !errors.Is(err, replay.ErrNoSession) || store.statements() != 2*one+1 {
		t.Errorf("a session that does not exist: %v after %d statements, want 1", err, store.statements()-2*one)
	}
	t.Logf("300 at once: the slowest had its first frame after %s", slowest)
	speedtest.Within(t, "slowest first frame of 300", slowest, 1500*time.Millisecond)
	metrictest.Of(cache).Show(t, "tapedeck_session_cache_hits_total", "tapedeck_session_cache_misses_total",
		"tapedeck_session_cache_bytes")
}

// A cache that is filled with more sessions than it has room for stays within its bound.
func TestCacheStaysWithinItsBound(t *testing.T) {
	db := shared(t)
	const limit = 1 << 20
	cache := newCache(t, limit)
	store := db.open(Options{Cache: cache})
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 24 {
		tape := &replaytest.Tape{}
		s := tape.Stream(schema.NDJSON, "")
		for n := range 50 { // bytes that cannot be compressed, more than a lead holds
			raw := make([]byte, 8<<10)
			for j := range raw {
				raw[j] = byte(random.Uint32())
			}
			s.Add(time.Duration(n)*time.Millisecond, string(raw))
		}
		name := fmt.Sprint("s", i)
		db.record("default", name, tape, nil)
		got, err := store.Tape(t.Context(), "default", name)
		if err != nil {
			t.Fatal(err)
		}
		read, err := drain(t, got, replay.Query{})
		if err == nil {
			err = same(read, tape.Frames(), false)
		}
		if err != nil {
			t.Errorf("session %d: %.200s", i, err.Error())
		}
		if n := cache.Bytes(); n > limit || i > 8 && n < limit/4 {
			t.Errorf("after %d sessions the cache has %d bytes of %d", i+1, n, limit)
		}
	}
}

// A session that grows, also by a late block, is served with its new frames once they are announced.
func TestGrowingSession(t *testing.T) {
	db, nc := shared(t), announcements(t)
	changed := announcer(t, nc)
	store, other := db.open(Options{Cache: cacheOn(t, nc, 0)}), db.open(Options{Cache: cacheOn(t, nc, 0)})
	tape := few(rand.New(rand.NewPCG(1, 2)))
	all := len(tape.Frames())
	for step := 1; step <= 8; step++ {
		db.record("default", "s", tape, func(i int, _ *replay.Frame) bool { return i%8 == (step*5)%8 })
		changed("s")
		want, err := drain(t, tapeOf(t, db.open(Options{}), "s"), replay.Query{})
		if err != nil || len(want) == 0 || step == 8 && len(want) != all {
			t.Fatalf("step %d: %d frames, %v", step, len(want), err)
		}
		for i, s := range []*Store{store, other} {
			got, err := drain(t, tapeOf(t, s, "s"), replay.Query{})
			if err == nil {
				err = same(got, want, false)
			}
			if err != nil {
				t.Errorf("step %d, server %d: %v", step, i, err)
			}
		}
	}
}

func tapeOf(t testing.TB, s *Store, session string) replay.Tape {
	t.Helper()
	tape, err := s.Tape(t.Context(), "default", session)
	if err != nil {
		t.Fatal(err)
	}
	return tape
}

// A deleted session leaves the caches of all servers, and is not read by a tape that was opened
// before. A session of another name stays.
func TestDeletedSessionLeaves(t *testing.T) {
	db, nc := shared(t), announcements(t)
	for _, name := range []string{"s", "kept"} {
		db.record("default", name, few(rand.New(rand.NewPCG(1, 2))), nil)
	}
	stores := []*Store{db.open(Options{Cache: cacheOn(t, nc, 0)}), db.open(Options{Cache: cacheOn(t, nc, 0)})}
	var before []replay.Tape
	for _, s := range stores {
		for _, name := range []string{"s", "kept"} {
			if _, err := s.first(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		before = append(before, tapeOf(t, s, "s"))
	}
	a, err := change.NewAnnouncer(nc)
	if err != nil {
		t.Fatal(err)
	}
	stones := tombstone.NewStore(db.conn).WithAnnouncements(a.Sessions)
	if _, err := stones.Put(t.Context(), tombstone.Key{Tenant: "default", Session: "s"}); err != nil {
		t.Fatal(err)
	}
	for i, s := range stores {
		if _, err := s.first(t.Context(), "s"); !errors.Is(err, replay.ErrNoSession) {
			t.Errorf("server %d: the deleted session: %v", i, err)
		}
		if _, err := drain(t, before[i], replay.Query{}); !errors.Is(err, replay.ErrDeleted) {
			t.Errorf("server %d: a tape from before the deletion: %v", i, err)
		}
		had := s.statements()
		if _, err := s.first(t.Context(), "kept"); err != nil || s.statements() != had {
			t.Errorf("server %d: another session takes %d statements, %v", i, s.statements()-had, err)
		}
	}
}

// While NATS is away nothing of the cache is served, and after it the cache is used again.
func TestWithoutNATS(t *testing.T) {
	db, nc := shared(t), announcements(t)
	tape := few(rand.New(rand.NewPCG(1, 2)))
	db.record("default", "s", tape, nil)
	store := db.open(Options{Cache: cacheOn(t, nc, 0)})
	if _, err := store.first(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	had := store.statements()
	nc.Close()
	if _, err := store.first(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if n := store.statements() - had; n == 0 {
		t.Error("the cache was used although nobody announces changes")
	}
}

// A reader that waits for its client holds no connection to ClickHouse.
func TestWaitingReaderHoldsNoConnection(t *testing.T) {
	db := shared(t)
	tape := &replaytest.Tape{}
	s := tape.Stream(schema.NDJSON, "")
	for n := range 20_000 {
		s.Add(time.Duration(n)*time.Millisecond, "{\"some\":\"frame\"}\n")
	}
	db.record("default", "s", tape, nil)
	store := db.open(Options{Connections: 1, Cache: newCache(t, 0)})
	var readers []replay.Reader
	for i := range 20 { // of one connection
		r, err := tapeOf(t, store, "s").Read(t.Context(), replay.Query{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for range 20 { // beyond the lead
			if _, err := r.Next(t.Context()); err != nil && !errors.Is(err, io.EOF) {
				t.Fatalf("reader %d: %v", i, err)
			}
		}
		readers = append(readers, r)
	}
	if _, err := store.first(t.Context(), "s"); err != nil {
		t.Errorf("with %d readers that wait: %v", len(readers), err)
	}
}
