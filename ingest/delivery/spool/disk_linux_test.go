package spool

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tapedeck/ingest/ingesttest"
)

// A disk without room holds sources back, loses nothing, and is written again
// once there is room.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("a small file system cannot be mounted here (%v); TestFileSizeLimit shows the same", err)
	}
	defer func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	}()
	ballast := dir + "/ballast"
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	next, f := &fakeNext{refuse: errDown}, &ingesttest.Results{}
	s := openAt(t, Options{Dir: dir, Next: next, SegmentSize: 100 << 10})
	taken, err := fill(t, s, f, 0)
	if !errors.Is(err, ErrFull) || !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "make room on that disk") {
		t.Errorf("a full disk refuses with %v", err)
	}
	if st := s.State(); taken < 50 || !st.Full || st.Blocks != taken || !strings.Contains(st.DiskError, "no space left") {
		t.Errorf("after %d blocks: %+v", taken, st)
	}
	// Somebody makes room: writing goes on by itself.
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	publish(t, s, f, taken, taken+1, 10_000)
	more, err := fill(t, s, f, taken+1)
	if !errors.Is(err, unix.ENOSPC) || more < 50 {
		t.Errorf("then %d more went in, and %v", more, err)
	}
	total := taken + 1 + more
	closeNow(t, s)
	s = openAt(t, Options{Dir: dir, Next: next})
	next.set(nil, nil)
	drained(t, s)
	f.Wait(t)
	wantSameIDs(t, ids(0, total), inOrder(next.attempts()))
	closeNow(t, s)
	wantFiles(t, dir, lockName)
}

// fill publishes until nothing more fits, and says how many did.
func fill(t *testing.T, s *Spool, f *ingesttest.Results, from int) (int, error) {
	for i := from; ; i++ {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		p := testBlock(i, 10_000)
		err := s.Publish(ctx, p, f.Of(t, p.ID))
		cancel()
		if err != nil {
			f.Refused()
			return i - from, err
		}
	}
}

func wantSameIDs(t *testing.T, want, got []string) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%d blocks were sent, want %d", len(got), len(want))
	}
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Errorf("block %s was sent in place %d, want %s", got[i], i, want[i])
			return
		}
	}
}
