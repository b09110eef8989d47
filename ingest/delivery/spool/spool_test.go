package spool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/metric/metrictest"
)

func TestPassesStraightThrough(t *testing.T) {
	dir, next, f := t.TempDir(), &fakeNext{}, &ingesttest.Results{}
	s := openAt(t, Options{Dir: dir, Next: next})
	publish(t, s, f, 0, 100, 1000)
	f.Wait(t)
	if got := next.attempts(); !slices.Equal(got, ids(0, 100)) {
		t.Errorf("handed on %v", got)
	}
	if st := s.State(); st.Mode != "direct" || st.Bytes != 0 || st.Blocks != 0 || st.LastError != "" {
		t.Errorf("state %+v", st)
	}
	closeNow(t, s)
	wantFiles(t, dir, lockName)
}

// While some blocks are in flight, the middle ones fail; they, what is in flight then and what
// is published meanwhile go to disk, and all of that is sent.
func TestKeepsWhatFails(t *testing.T) {
	dir, next, f := t.TempDir(), &fakeNext{hold: true}, &ingesttest.Results{}
	s := openAt(t, Options{Dir: dir, Next: next})
	publish(t, s, f, 0, 10, 1000)
	var newer sync.WaitGroup
	newer.Go(func() {
		eventually(t, "the first failure is known", func() bool { return s.State().Mode != "direct" })
		publish(t, s, f, 10, 20, 1000)
	})
	next.set(errDown, errDown)
	next.settle(func(id string) error {
		if "3" <= id && id <= "6" {
			return errDown
		}
		return nil
	})
	bounded.Wait(t, newer.Wait)
	f.Durable(t)
	if st := s.State(); st.Mode != "spooling" || st.Blocks < 14 || st.Blocks > 20 || st.LastError != errDown.Error() || st.OldestMS <= 0 {
		t.Errorf("state %+v", st)
	}
	next.mu.Lock()
	next.handed, next.got = nil, nil
	next.mu.Unlock()
	next.set(nil, nil)
	drained(t, s)
	bounded.Wait(t, next.calls.Wait)
	sent := next.attempts()
	for _, id := range append(ids(3, 7), ids(10, 20)...) {
		if !slices.Contains(sent, id) {
			t.Errorf("block %s was not sent; sent %v", id, sent)
		}
	}
	publish(t, s, f, 20, 30, 1000)
	f.Wait(t)
	closeNow(t, s)
	wantFiles(t, dir, lockName)
}

// TestKilledWithBlocksInFlight copies the directory, as a kill leaves it, when a block has gone
// to disk while those before it were in flight: they are on disk as well, before it.
func TestKilledWithBlocksInFlight(t *testing.T) {
	dir, killed := t.TempDir(), filepath.Join(t.TempDir(), "killed")
	next, f := &fakeNext{hold: true}, &ingesttest.Results{}
	s := openAt(t, Options{Dir: dir, Next: next})
	publish(t, s, f, 0, 4, 1000)
	next.set(errDown, nil)
	publish(t, s, f, 4, 5, 1000)
	if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	later := &fakeNext{}
	again := openAt(t, Options{Dir: killed, Next: later})
	drained(t, again)
	if diff := gocmp.Diff(ids(0, 5), inOrder(later.attempts())); diff != "" {
		t.Errorf("sent after the kill (-want +got):\n%s", diff)
	}
	closeNow(t, again)
	next.settle(func(string) error { return nil })
	closeNow(t, s)
	f.Durable(t)
}

func TestSendsWhatWasLeft(t *testing.T) {
	dir, next, f := t.TempDir(), &fakeNext{refuse: errDown}, &ingesttest.Results{}
	s := openAt(t, Options{Dir: dir, Next: next, SegmentSize: 8000})
	publish(t, s, f, 0, 50, 1000)
	f.Wait(t)
	closeNow(t, s)
	if err := s.Publish(t.Context(), testBlock(50, 10), func(error) {}); !errors.Is(err, ErrClosed) {
		t.Errorf("publish after close: %v", err)
	}
	later := &fakeNext{refuse: errDown} // until the state was looked at
	s = openAt(t, Options{Dir: dir, Next: later, SegmentSize: 8000})
	if st := s.State(); st.Mode != "spooling" || st.Blocks != 50 || st.OldestMS <= 0 {
		t.Errorf("state after opening again %+v", st)
	}
	later.set(nil, nil)
	publish(t, s, f, 50, 60, 1000)
	drained(t, s)
	if diff := gocmp.Diff(ids(0, 60), inOrder(later.attempts())); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	closeNow(t, s)
	wantFiles(t, dir, lockName)
}

// What Next has not confirmed when Close may wait no longer goes to disk.
func TestCloseKeepsWhatIsInTheAir(t *testing.T) {
	dir, next, f := t.TempDir(), &fakeNext{hold: true}, &ingesttest.Results{}
	s := openAt(t, Options{Dir: dir, Next: next})
	publish(t, s, f, 0, 20, 1000)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Fatal(err)
	}
	f.Wait(t)
	next.settle(func(string) error { return errDown }) // too late to matter
	later := &fakeNext{}
	s = openAt(t, Options{Dir: dir, Next: later})
	drained(t, s)
	if diff := gocmp.Diff(ids(0, 20), inOrder(later.attempts())); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	closeNow(t, s)
}

func TestPermanentErrorsGoBack(t *testing.T) {
	next, f := &fakeNext{}, &ingesttest.Results{}
	s := openAt(t, Options{Dir: t.TempDir(), Next: next})
	tooLarge := ingest.Permanent(errors.New("too large"))
	next.set(tooLarge, nil)
	if err := s.Publish(t.Context(), testBlock(0, 10), func(error) { t.Error("done was called") }); !errors.Is(err, tooLarge) {
		t.Errorf("refused with %v", err)
	}
	next.set(nil, tooLarge)
	publish(t, s, f, 1, 2, 10)
	f.Wait(t)
	if !errors.Is(f.Reported()["1"], tooLarge) {
		t.Errorf("abandoned with %v", f.Reported()["1"])
	}
	if st := s.State(); st.Mode != "direct" {
		t.Errorf("state %+v", st)
	}
	closeNow(t, s)
}

// A block on disk that Next will never take blocks no other, and is tried
// again at the next start.
func TestRefusedBlocksAreSetAside(t *testing.T) {
	dir, next, f := t.TempDir(), &fakeNext{refuse: errDown}, &ingesttest.Results{}
	s := openAt(t, Options{Dir: dir, Next: next})
	publish(t, s, f, 0, 10, 100)
	f.Wait(t)
	next.mu.Lock()
	next.refuse, next.hold = nil, true
	next.mu.Unlock()
	eventually(t, "all are in flight", func() bool {
		next.mu.Lock()
		defer next.mu.Unlock()
		return len(next.waiting) == 10
	})
	next.settle(func(id string) error {
		if id == "4" || id == "5" {
			return ingest.Permanent(errors.New("too large"))
		}
		return nil
	})
	drained(t, s)
	if st := s.State(); st.Refused != 2 || st.Bytes == 0 {
		t.Errorf("state %+v", st)
	}
	metrictest.Of(s).Show(t, "tapedeck_spool_refused_total")
	closeNow(t, s)

	later := &fakeNext{}
	s = openAt(t, Options{Dir: dir, Next: later})
	drained(t, s)
	got := later.delivered()
	slices.Sort(got)
	if !slices.Equal(got, ids(4, 6)) {
		t.Errorf("sent %v", got)
	}
	closeNow(t, s)
	wantFiles(t, dir, lockName)
}

type revoked struct{ error }

func (revoked) RefusesAll() bool { return true }

// Where Next takes nothing from anybody, streams hear of it at once, and what
// is on disk stays.
func TestRefusingAll(t *testing.T) {
	dir, next, f := t.TempDir(), &fakeNext{refuse: errDown}, &ingesttest.Results{}
	s := openAt(t, Options{Dir: dir, Next: next})
	publish(t, s, f, 0, 10, 100)
	f.Wait(t)
	gone := ingest.Permanent(revoked{errors.New("token was revoked")})
	next.set(gone, nil)
	eventually(t, "it is known", func() bool { return strings.Contains(s.State().LastError, "revoked") })
	if err := s.Publish(t.Context(), testBlock(10, 100), func(error) { t.Error("done was called") }); !errors.Is(err, gone) {
		t.Errorf("refused with %v", err)
	}
	if st := s.State(); st.Blocks != 10 || st.Refused != 0 {
		t.Errorf("state %+v", st)
	}
	next.set(nil, nil)
	drained(t, s)
	publish(t, s, f, 10, 12, 100)
	f.Wait(t)
	if got := inOrder(next.attempts()); !slices.Equal(got, ids(0, 12)) {
		t.Errorf("sent %v", got)
	}
	closeNow(t, s)
}

// A publisher that takes nothing and does not say so counts as one that fails.
func TestTimeout(t *testing.T) {
	f := &ingesttest.Results{}
	stuck := publisherFunc(func(ctx context.Context, _ ingest.EncodedBlock, _ func(error)) error {
		<-ctx.Done()
		return context.Cause(ctx)
	})
	s := openAt(t, Options{Dir: t.TempDir(), Next: stuck, Timeout: 20 * time.Millisecond})
	publish(t, s, f, 0, 5, 100)
	f.Wait(t)
	if st := s.State(); st.Mode != "spooling" || st.Blocks != 5 {
		t.Errorf("state %+v", st)
	}
	closeNow(t, s)
}

type publisherFunc func(context.Context, ingest.EncodedBlock, func(error)) error

func (f publisherFunc) Publish(ctx context.Context, p ingest.EncodedBlock, done func(error)) error {
	return f(ctx, p, done)
}

// A caller whose context ends receives its error, and its block is not kept.
func TestCallerGivesUp(t *testing.T) {
	next := &fakeNext{}
	s := openAt(t, Options{Dir: t.TempDir(), Next: publisherFunc(func(ctx context.Context, p ingest.EncodedBlock, done func(error)) error {
		if p.ID == "0" {
			<-ctx.Done()
			return ctx.Err()
		}
		return next.Publish(ctx, p, done)
	})})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := s.Publish(ctx, testBlock(0, 10), func(error) { t.Error("done was called") }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("publish: %v", err)
	}
	if st := s.State(); st.Mode != "direct" {
		t.Errorf("state %+v", st)
	}
	closeNow(t, s)
}

// Whoever publishes may hold a lock that the callback takes.
func TestCallsBackFromElsewhere(t *testing.T) {
	s := openAt(t, Options{Dir: t.TempDir(), Next: &fakeNext{refuse: errDown}})
	var mu sync.Mutex
	var settled sync.WaitGroup
	for i := range 10 {
		settled.Add(1)
		mu.Lock()
		err := s.Publish(t.Context(), testBlock(i, 10), func(error) {
			mu.Lock()
			defer mu.Unlock()
			settled.Done()
		})
		mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
	}
	bounded.Wait(t, settled.Wait)
	closeNow(t, s)
}

// The spool may change its mode many times; that is logged once each time.
func TestLogsEachChangeOnce(t *testing.T) {
	var text strings.Builder
	next, f := &fakeNext{}, &ingesttest.Results{}
	s := openAt(t, Options{Dir: t.TempDir(), Next: next, Log: slog.New(slog.NewTextHandler(&text, nil))})
	for round := range 3 {
		next.set(errDown, nil)
		publish(t, s, f, round*100, round*100+100, 100)
		next.set(nil, nil)
		drained(t, s)
	}
	closeNow(t, s)
	for _, line := range []string{"blocks are kept on disk", "spool: drained"} {
		if n := strings.Count(text.String(), line); n != 3 {
			t.Errorf("%q was logged %d times, want 3:\n%s", line, n, text.String())
		}
	}
}

func TestOneProcessPerDirectory(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, Options{Dir: dir, Next: &fakeNext{}})
	_, err := Open(Options{Dir: dir, Next: &fakeNext{}})
	want := fmt.Sprintf("is in use by process %d (", os.Getpid())
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
		t.Errorf("opened twice: %v", err)
	}
	closeNow(t, s)
	closeNow(t, openAt(t, Options{Dir: dir, Next: &fakeNext{}}))
}

// inOrder sorts the ids of a list of attempts and drops the repeats.
func inOrder(all []string) []string {
	first := firsts(all)
	slices.SortFunc(first, func(a, b string) int {
		return cmp.Or(len(a)-len(b), strings.Compare(a, b))
	})
	return first
}

// firsts drops the repeats from a list of attempts.
func firsts(all []string) []string {
	seen := map[string]bool{}
	var first []string
	for _, id := range all {
		if !seen[id] {
			seen[id] = true
			first = append(first, id)
		}
	}
	return first
}

func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("files in the spool: %v, want %v", got, want)
	}
}
