package admission

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/metric/metrictest"
)

// store is a JetStream that acknowledges at once, and a sink that stores on request of the test.
type store struct{ last, stored atomic.Uint64 }

func (s *store) Publish(_ context.Context, _ ingest.EncodedBlock, done func(error)) error {
	s.last.Add(1)
	go done(nil)
	return nil
}

func (s *store) progress(context.Context) ([]jetstream.Progress, error) {
	return []jetstream.Progress{{Last: s.last.Load(), Stored: s.stored.Load()}}, nil
}

// storeAll has the sink store what was published so far.
func (s *store) storeAll() { s.stored.Store(s.last.Load()) }

// clock runs a test on virtual time, with a publisher that is bounded.
func clock(t *testing.T, o Unstored, test func(p *Publisher, s *store, publish func(bytes, frames int) time.Duration)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer func() { cancel(); synctest.Wait() }()
		s := &store{}
		p := New(ctx, Options{Next: s, Unstored: o, Progress: s.progress})
		test(p, s, func(bytes, frames int) time.Duration {
			began := time.Now()
			err := p.Publish(ctx, ingest.EncodedBlock{ID: fmt.Sprint("stream of blocks of ", bytes), Data: make([]byte, bytes), Frames: frames}, func(error) {})
			if err != nil {
				t.Error(err)
			}
			return time.Since(began)
		})
	})
}

// Blocks of bulk recordings wait until the sink has stored enough, small ones too. Blocks of other
// streams never do.
func TestWaitsForTheSink(t *testing.T) {
	metrictest.Grow(t, "tapedeck_ingest_unstored_waits_total")
	const mib = 1 << 20
	clock(t, Unstored{Bytes: 4 * mib, Frames: 10_000}, func(_ *Publisher, s *store, publish func(int, int) time.Duration) {
		for range 4 {
			if took := publish(mib, 1); took > 0 {
				t.Errorf("a block within the bound waited for %v", took)
			}
		}
		time.AfterFunc(3*time.Second, s.storeAll)
		if took := publish(1000, 10); took > 0 {
			t.Errorf("a block of another stream waited for %v", took)
		}
		if took := publish(mib, 1); took < 3*time.Second || took > 3*time.Second+2*askEvery {
			t.Errorf("a block beyond the bound waited for %v, want 3 s", took)
		}
		s.storeAll()
		time.Sleep(2 * askEvery) // until the publisher has asked
		for range 100 {
			if took := publish(500, 100); took > 0 {
				t.Errorf("frames within the bound waited for %v", took)
			}
		}
		time.AfterFunc(time.Second, s.storeAll)
		if took := publish(500, 100); took < time.Second || took > time.Second+2*askEvery {
			t.Errorf("frames beyond the bound waited for %v, want 1 s", took)
		}
	})
}

// While nothing is stored, blocks wait until that is known, and then no more: JetStream keeps them.
func TestSinkAway(t *testing.T) {
	const mib = 1 << 20
	clock(t, Unstored{Bytes: mib}, func(_ *Publisher, s *store, publish func(int, int) time.Duration) {
		publish(mib, 1)
		if took := publish(mib, 1); took > stalled+2*askEvery {
			t.Errorf("waited for %v for a sink that is away", took)
		}
		for range 10 {
			if took := publish(mib, 1); took > 0 {
				t.Errorf("then another one waited for %v", took)
			}
		}
		s.storeAll()
		time.Sleep(2 * askEvery) // until the publisher has asked
		publish(mib, 1)
		time.AfterFunc(time.Second, s.storeAll)
		if took := publish(mib, 1); took < time.Second {
			t.Errorf("waited for %v after the sink was back, want 1 s", took)
		}
	})
}

// What JetStream in this process keeps in memory is bounded over any ten seconds, though all of it
// is stored at once.
func TestCachedBytes(t *testing.T) {
	const mib = 1 << 20
	clock(t, Unstored{CachedBytes: 8 * mib}, func(_ *Publisher, s *store, publish func(int, int) time.Duration) {
		type sent struct {
			at    time.Time
			bytes int
		}
		var all []sent
		for range 40 {
			publish(mib, 1)
			s.storeAll()
			all = append(all, sent{time.Now(), mib})
			within := 0
			for _, x := range all {
				if time.Since(x.at) < 10*time.Second {
					within += x.bytes
				}
			}
			if within > 8*mib {
				t.Fatalf("%d bytes within ten seconds, want %d at most", within, 8*mib)
			}
		}
		if took := time.Since(all[0].at); took > 45*time.Second {
			t.Errorf("40 MiB took %v", took)
		}
	})
}

// A block that waits when its context ends is not taken, and counts no more.
func TestContextEnds(t *testing.T) {
	const mib = 1 << 20
	clock(t, Unstored{Bytes: mib}, func(p *Publisher, _ *store, publish func(int, int) time.Duration) {
		publish(mib, 1)
		ctx, cancel := context.WithTimeoutCause(context.Background(), time.Second, errors.New("over"))
		defer cancel()
		err := p.Publish(ctx, ingest.EncodedBlock{Data: make([]byte, mib)}, func(error) { t.Error("it was taken") })
		if err == nil || err.Error() != "over" || p.unstored.total.bytes != mib {
			t.Errorf("%v, and %d bytes count", err, p.unstored.total.bytes)
		}
	})
}
