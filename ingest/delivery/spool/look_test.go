package spool

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"tapedeck/ingest/ingesttest"
)

// What waits in a spool is counted from outside while its process uses it, and
// after that process is gone.
func TestLook(t *testing.T) {
	dir := t.TempDir()
	began := time.Now()
	s := openAt(t, Options{Dir: dir, Next: &fakeNext{refuse: errDown}, SegmentSize: 100 << 10})
	publish(t, s, &ingesttest.Results{}, 0, 30, 10_000)
	eventually(t, "all on disk", func() bool { return s.State().Blocks == 30 })
	if err := os.WriteFile(filepath.Join(dir, "note.txt"), []byte("none of ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		w, err := Look(dir)
		if err != nil || w.Blocks != 30 || w.Bytes < 300_000 || w.Bytes > 310_000 || w.OldestAt.Before(began.Add(-time.Second)) || w.OldestAt.After(time.Now()) {
			t.Errorf("%s: %+v, %v", when, w, err)
		}
	}
	check("in use")
	closeNow(t, s)
	check("left behind")
	if w, err := Look(t.TempDir()); err != nil || w != (Waiting{}) {
		t.Errorf("an empty one: %+v, %v", w, err)
	}
}
