package spool

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/speedtest"
)

// Attempts come at growing intervals while nothing succeeds, and at once again
// after a success.
func TestPausesBetweenAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next, f := &fakeNext{}, &ingesttest.Results{}
		defer f.Wait(t)
		var mu sync.Mutex
		var at []time.Duration // guarded by mu
		start := time.Now()
		s := openAt(t, Options{Dir: t.TempDir(), Next: publisherFunc(func(ctx context.Context, p ingest.EncodedBlock, done func(error)) error {
			mu.Lock()
			at = append(at, time.Since(start))
			mu.Unlock()
			return next.Publish(ctx, p, done)
		})})
		defer closeNow(t, s)
		next.set(errDown, nil)
		publish(t, s, f, 0, 1, 10)
		time.Sleep(time.Minute) // virtual time: all pauses of the backoff
		mu.Lock()
		for i, about := range []float64{250, 500, 1000, 2000, 4000, 5000, 5000, 5000, 5000} {
			low, high := max(250, 0.8*about), min(5000, 1.2*about)
			if ms := float64(at[i+1]-at[i]) / 1e6; ms < low || ms > high {
				t.Errorf("pause %d is %v ms, want %v to %v", i, ms, low, high)
			}
		}
		mu.Unlock()
		next.set(nil, nil)
		time.Sleep(6 * time.Second) // virtual time: longer than the longest pause
		if st := s.State(); st.Mode != "direct" {
			t.Fatalf("state %+v", st)
		}
		next.set(errDown, nil)
		publish(t, s, f, 1, 2, 10)
		mu.Lock()
		failed := len(at)
		mu.Unlock()
		time.Sleep(time.Second) // virtual time: the first pauses of the backoff
		mu.Lock()
		defer mu.Unlock()
		if d := at[failed] - at[failed-1]; d > 300*time.Millisecond {
			t.Errorf("after a success the first pause is %v", d)
		}
	})
}

// While blocks keep coming in, what is on disk leaves at a multiple of their
// rate, and the disk becomes empty, though each takes longer than the next one is
// away.
func TestDrainsFasterThanLive(t *testing.T) {
	const live, size, backlog = 100, 8 << 10, 3000 // blocks per second, bytes, blocks
	next, f := &fakeNext{refuse: errDown, delay: 20 * time.Millisecond}, &ingesttest.Results{}
	s := openAt(t, Options{Dir: t.TempDir(), Next: next})
	publish(t, s, f, 0, backlog, size)
	next.set(nil, nil)
	eventually(t, "the first is sent", func() bool { return len(next.delivered()) > 0 })
	start, i := time.Now(), backlog
	tick := time.NewTicker(time.Second / live)
	defer tick.Stop()
	for ; s.State().Blocks > 0; i++ {
		<-tick.C
		publish(t, s, f, i, i+1, size)
		if time.Since(start) > bounded.Limit {
			t.Fatalf("not drained: %+v", s.State())
		}
	}
	took := time.Since(start)
	t.Logf("%d blocks left in %v while %d came", i, took, i-backlog)
	speedtest.Within(t, "draining at four times the rate of new blocks", took, time.Duration(i)*time.Second/(4*live))
	f.Wait(t)
	wantSameIDs(t, ids(0, i), inOrder(next.attempts()))
	closeNow(t, s)
}

// sink confirms at once.
type sink struct{ n atomic.Int64 }

func (k *sink) Publish(_ context.Context, _ ingest.EncodedBlock, done func(error)) error {
	go func() {
		done(nil)
		k.n.Add(1)
	}()
	return nil
}

func BenchmarkDirect(b *testing.B) {
	s, err := Open(Options{Dir: b.TempDir(), Next: &sink{}})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(b.Context())
	p := testBlock(1, 64<<10)
	b.SetBytes(64 << 10)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Publish(b.Context(), p, func(error) {}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	for name, sync := range map[string]bool{"page cache": false, "fsync": true} {
		b.Run(name, func(b *testing.B) {
			s, err := Open(Options{Dir: b.TempDir(), Next: &fakeNext{refuse: errDown}, Limit: 64 << 30, Sync: sync})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close(b.Context())
			p := testBlock(1, 64<<10)
			b.SetBytes(64 << 10)
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Publish(b.Context(), p, func(error) {}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDrain(b *testing.B) {
	const blocks = 4000
	b.SetBytes(blocks * 64 << 10)
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		s, err := Open(Options{Dir: dir, Next: &fakeNext{refuse: errDown}})
		if err != nil {
			b.Fatal(err)
		}
		for i := range blocks {
			if err := s.Publish(b.Context(), testBlock(i, 64<<10), func(error) {}); err != nil {
				b.Fatal(err)
			}
		}
		s.Close(b.Context())
		b.StartTimer()
		if s, err = Open(Options{Dir: dir, Next: &sink{}}); err != nil {
			b.Fatal(err)
		}
		for s.State().Blocks > 0 {
			time.Sleep(100 * time.Microsecond) // between two looks at the condition
		}
		s.Close(b.Context())
	}
}
