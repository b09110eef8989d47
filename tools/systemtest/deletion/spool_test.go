package deletion

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/admission"
	"tapedeck/ingest/delivery/spool"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/metric/metrictest"
)

// gate is a publisher that is away while it is closed.
type gate struct {
	next   ingest.Publisher
	closed atomic.Bool
}

func (g *gate) Publish(ctx context.Context, b ingest.EncodedBlock, done func(error)) error {
	if g.closed.Load() {
		return errors.New("NATS is away")
	}
	return g.next.Publish(ctx, b, done)
}

// holds reports whether a file below a directory has some bytes.
func holds(t *testing.T, dir, text string) (found bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		found = found || bytes.Contains(data, []byte(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Blocks that a server accepted and keeps in its spool, since NATS is away, are dropped when
// their session is deleted meanwhile: neither JetStream nor the spool has them afterwards.
func TestSpoolDropsWhatWasDeleted(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	metrictest.Grow(t, "tapedeck_ingest_dropped_deleted_blocks_total")
	r := newRig(t)
	r.sink()
	r.record("gone", 5)
	away := &gate{next: r.publisher}
	away.closed.Store(true)
	dir := t.TempDir()
	spooled, err := spool.Open(spool.Options{Dir: dir, Next: away, Drop: admission.Dropped(r.set)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := spooled.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for _, session := range []string{"gone", "kept"} {
		s := r.open(spooled, ingest.StreamOptions{Session: session})
		if err := r.frames(s, session, 8); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Close(t.Context(), "eof"); err != nil {
			t.Fatal(err)
		}
	}
	const entry = "default\x04gone" // tenant and session of a block, each after its length; the frames are compressed
	if !holds(t, dir, entry) {
		t.Fatal("the spool does not hold the session's blocks, so this test shows nothing")
	}
	r.delete("gone")
	away.closed.Store(false)
	r.eventually("the spool is empty", func() bool { return spooled.State().Blocks == 0 })
	r.eventually("the other session shows", func() bool { return r.shown("kept") == 8 })
	if n := r.held("gone"); n != 0 {
		t.Errorf("JetStream has %d messages of the deleted session", n)
	}
	if holds(t, dir, entry) {
		t.Error("the spool still has bytes of the deleted session")
	}
	r.drained()
	r.gone("gone")
}
