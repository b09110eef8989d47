package spool

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/internal/syncbuffer"
)

func TestFull(t *testing.T) {
	dir, next, f := t.TempDir(), &fakeNext{refuse: errDown}, &ingesttest.Results{}
	s := openAt(t, Options{Dir: dir, Next: next, Limit: 100 << 10})
	publish(t, s, f, 0, 1, 1000) // after it the spool knows that Next is down
	taken := 1
	var err error
	for err == nil {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		p := testBlock(taken, 1000)
		done := f.Of(t, p.ID)
		if err = s.Publish(ctx, p, done); err == nil {
			taken++
		} else {
			f.Refused()
		}
		cancel()
	}
	if !errors.Is(err, ErrFull) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a full spool refuses with %v", err)
	}
	for _, part := range []string{dir, "of 100.0 KiB", errDown.Error(), "raise --spool-limit"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
	if st := s.State(); !st.Full || st.Blocks != taken || st.Bytes > 100<<10 || taken < 95 {
		t.Errorf("after %d blocks: %+v", taken, st)
	}
	metrictest.Of(s).Show(t, "tapedeck_spool_full")
	// Once there is room, a Publish that waits goes on.
	waiting := make(chan error)
	p := testBlock(taken, 1000)
	go func() { waiting <- s.Publish(t.Context(), p, f.Of(t, p.ID)) }()
	next.set(nil, nil)
	if err := bounded.Receive(t, waiting); err != nil {
		t.Errorf("publish once there is room: %v", err)
	}
	drained(t, s)
	f.Wait(t)
	if st := s.State(); st.Full || st.DiskError != "" {
		t.Errorf("state %+v", st)
	}
	if diff := cmp.Diff(ids(0, taken+1), inOrder(next.attempts())); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	closeNow(t, s)
}

// A wait for room is logged once when it begins and once when it ends, also if small blocks still fit.
func TestWaitIsLogged(t *testing.T) {
	var logged syncbuffer.Output
	dir, next, f := t.TempDir(), &fakeNext{refuse: errDown}, &ingesttest.Results{}
	s := openAt(t, Options{Dir: dir, Next: next, Limit: 100 << 10, Log: slog.New(slog.NewTextHandler(&logged, nil))})
	lines := func(part string) int { return strings.Count(logged.String(), part) }
	number := 0
	for episode := 1; episode <= 2; episode++ {
		next.set(errDown, nil)
		for lines("so recording waits") < episode {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			if p := testBlock(number, 9000); s.Publish(ctx, p, f.Of(t, p.ID)) != nil {
				f.Refused()
			}
			number++
			cancel()
		}
		publish(t, s, f, number, number+1, 10)
		waiting := make(chan error)
		p := testBlock(number+1, 9000)
		go func() { waiting <- s.Publish(t.Context(), p, f.Of(t, p.ID)) }()
		number += 2
		if n := lines("goes on"); n != episode-1 {
			t.Errorf("episode %d: the log says %d times that recording goes on:\n%s", episode, n, logged.String())
		}
		next.set(nil, nil)
		if err := bounded.Receive(t, waiting); err != nil {
			t.Fatal(err)
		}
		drained(t, s)
		if begun, ended := lines("so recording waits"), lines("goes on"); begun != episode || ended != episode {
			t.Errorf("episode %d: %d waits began and %d ended:\n%s", episode, begun, ended, logged.String())
		}
	}
	for _, part := range []string{dir, "KiB\" limit=\"100.0 KiB\"", errDown.Error()} {
		if !strings.Contains(logged.String(), part) {
			t.Errorf("the log does not say %s:\n%s", part, logged.String())
		}
	}
	f.Wait(t)
	closeNow(t, s)
}

// Blocks that are to be dropped count as delivered and do not reach Next, whether they are on disk or
// wait for room. A block that does not wait is not asked for.
func TestDrop(t *testing.T) {
	next, f := &fakeNext{}, &ingesttest.Results{}
	var asked atomic.Int64
	s := openAt(t, Options{Dir: t.TempDir(), Next: next, Limit: 100 << 10, Drop: func(_ context.Context, b *ingest.EncodedBlock) bool {
		asked.Add(1)
		return b.Frames%2 == 1
	}})
	publish(t, s, f, 0, 4, 1000)
	f.Wait(t)
	if n := asked.Load(); n > 0 {
		t.Errorf("%d blocks were asked for that went straight to Next", n)
	}
	next.set(errDown, nil)
	taken := 4
	for waits := false; !waits; taken++ { // until the disk is full
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		p := testBlock(taken, 1000)
		if waits = s.Publish(ctx, p, f.Of(t, p.ID)) != nil; waits {
			f.Refused()
		}
		cancel()
	}
	full := taken - 1
	waiting := make(chan error, 2)
	for i := range cap(waiting) {
		p := testBlock(full+i, 1000)
		go func() { waiting <- s.Publish(t.Context(), p, f.Of(t, p.ID)) }()
	}
	next.set(nil, nil)
	for range cap(waiting) {
		if err := bounded.Receive(t, waiting); err != nil {
			t.Errorf("publish once there is room: %v", err)
		}
	}
	drained(t, s)
	f.Durable(t)
	var want []string
	for i := range full + 2 {
		if i < 4 || i%2 == 0 {
			want = append(want, strconv.Itoa(i))
		}
	}
	if diff := cmp.Diff(want, inOrder(next.delivered())); diff != "" {
		t.Errorf("delivered (-want +got):\n%s", diff)
	}
	closeNow(t, s)
}

// What Next abandoned and the disk does not take is not lost.
func TestMoreGivenUpThanFits(t *testing.T) {
	for _, how := range []string{"the server comes back", "closed and opened again", "closed while they are sent"} {
		t.Run(how, func(t *testing.T) {
			dir, next, f := t.TempDir(), &fakeNext{hold: true}, &ingesttest.Results{}
			s := openAt(t, Options{Dir: dir, Next: next, Limit: 8 << 10})
			publish(t, s, f, 0, 30, 1000)
			next.set(errDown, nil)
			next.settle(func(string) error { return errDown })
			eventually(t, "the disk is full", func() bool { return s.State().Full })
			if st := s.State(); st.Mode != "spooling" || st.Blocks == 0 || st.Blocks >= 30 {
				t.Errorf("state %+v", st)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			if err := s.Publish(ctx, testBlock(99, 1000), func(error) {}); !errors.Is(err, ErrFull) {
				t.Errorf("a new block was answered %v", err)
			}
			next.mu.Lock()
			next.handed = nil
			next.mu.Unlock()
			if how == "closed while they are sent" {
				next.mu.Lock()
				next.refuse, next.hold = nil, true
				next.mu.Unlock()
				eventually(t, "all are in flight", func() bool {
					next.mu.Lock()
					defer next.mu.Unlock()
					return len(next.waiting) == 30
				})
			}
			if how != "the server comes back" {
				closeNow(t, s)
				next.mu.Lock()
				next.handed, next.hold = nil, false
				next.mu.Unlock()
				s = openAt(t, Options{Dir: dir, Next: next, Limit: 8 << 10})
			}
			next.set(nil, nil)
			drained(t, s)
			publish(t, s, f, 30, 40, 1000)
			f.Durable(t)
			if diff := cmp.Diff(ids(0, 40), inOrder(next.attempts())); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			closeNow(t, s)
		})
	}
}

func TestTooLargeForTheLimit(t *testing.T) {
	next := &fakeNext{refuse: errDown}
	s := openAt(t, Options{Dir: t.TempDir(), Next: next, Limit: 100 << 10})
	f := &ingesttest.Results{}
	publish(t, s, f, 0, 1, 10)
	f.Wait(t)
	err := s.Publish(t.Context(), testBlock(1, 60<<10), func(error) { t.Error("done was called") })
	if !ingest.IsPermanent(err) || !strings.Contains(err.Error(), "too large for the spool") {
		t.Errorf("publish: %v", err)
	}
	publish(t, s, f, 2, 3, 10)
	closeNow(t, s)
}

// However much goes through the disk, the memory it takes does not grow.
func TestMemoryStaysFlat(t *testing.T) {
	next, f := &fakeNext{refuse: errDown}, &ingesttest.Results{}
	s := openAt(t, Options{Dir: t.TempDir(), Next: next})
	publish(t, s, f, 0, 10, 64<<10)
	before := heap()
	publish(t, s, f, 10, 1500, 64<<10)
	f.Wait(t)
	if grown := heap() - before; grown > 8<<20 {
		t.Errorf("the heap grew by %d bytes while %d were spooled", grown, s.State().Bytes)
	}
	next.set(nil, nil)
	drained(t, s)
	if grown := heap() - before; grown > 8<<20 {
		t.Errorf("the heap grew by %d bytes while all was sent", grown)
	}
	closeNow(t, s)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
