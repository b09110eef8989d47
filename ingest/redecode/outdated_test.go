package redecode

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/ingest"
	"tapedeck/internal/failpoint"
	"tapedeck/internal/fulltest"
	"tapedeck/schema"
)

// Twenty sessions of an earlier version are decoded by a run that is killed after some,
// and by another one: each once. Readers see the facts of one generation at any time, and the
// facts and frames are those of a recording by the present decoders.
func TestOutdated(t *testing.T) {
	fulltest.Long(t)
	b := newBench(t)
	lines := loomCase(t, "../dialect/loom/testdata/cases/usage.txtar")
	const sessions = 20
	name := func(i int) string { return fmt.Sprintf("s%02d", i) }
	for i := range sessions {
		opts := ingest.StreamOptions{Session: name(i), Resume: &ingest.Resume{StreamID: schema.NewStreamID()}}
		right := record(t, opts, ahead, lines)
		b.store("right", right)
		for _, blk := range right { // as an earlier program wrote it, with other facts
			blk.State.DecoderVersion, blk.State.Title = 0, "of an earlier version"
			for j := range blk.Facts.Spans {
				blk.Facts.Spans[j].Name = "of an earlier version"
			}
		}
		b.store("old", right)
	}
	commits := 0
	killed := errors.New("killed")
	kill := true // the run after the seventh commit, once
	ctx := failpoint.With(t.Context(), func(step string) error {
		if step == stepCommitted {
			commits++
		}
		if step == stepWritten && commits == 7 && kill {
			kill = false
			return killed
		}
		return nil
	})
	both := func() {
		var n uint64
		query := "SELECT count() FROM (SELECT session_id FROM (SELECT session_id, name FROM spans FINAL WHERE tenant = 'old' AND " +
			"(generation = 0 AND session_id NOT IN (SELECT session_id FROM redecodes WHERE tenant = 'old') OR (session_id, generation) IN " +
			"(SELECT session_id, generation FROM redecodes FINAL WHERE tenant = 'old'))) " +
			"GROUP BY session_id HAVING countIf(name = 'of an earlier version') NOT IN (0, count()))"
		if err := b.db.QueryRow(t.Context(), query).Scan(&n); err != nil || n > 0 {
			t.Fatalf("%d sessions show facts of both versions, %v", n, err)
		}
	}
	for round := range 3 {
		decoded := 0
		for i := range sessions {
			r, err := b.Decode(ctx, "old", name(i), Options{Outdated: true})
			both()
			if errors.Is(err, killed) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			decoded += min(len(r.Streams), 1)
		}
		if want := [...]int{7, sessions - 7, 0}[round]; decoded != want {
			t.Errorf("round %d: %d sessions were decoded, want %d", round, decoded, want)
		}
	}
	if commits != sessions {
		t.Errorf("%d switches of a generation, want %d", commits, sessions)
	}
	if d := cmp.Diff(b.dump("right"), b.dump("old")); d != "" {
		t.Errorf("(-recorded so, +decoded anew):\n%s", d)
	}
}
