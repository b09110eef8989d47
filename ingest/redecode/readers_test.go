package redecode

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/fulltest"
)

// Readers that query in a loop, one table or two in one statement, see the facts of exactly
// one generation while sessions are decoded again and again and superseded rows are deleted.
// ClickHouse is made to take its snapshots of tables far apart.
func TestReadersSeeOneGeneration(t *testing.T) {
	fulltest.Long(t)
	b := newBench(t)
	const sessions, rounds = 2, 5
	lines := loomCase(t, "../dialect/loom/testdata/cases/usage.txtar")
	for i := range sessions {
		b.store("acme", record(t, ingest.StreamOptions{Session: fmt.Sprint("s", i)}, ahead, lines))
	}
	condition := strings.ReplaceAll(current.Must("current", nil), "{tenant:String}", "'acme'")
	rows := func(table string) string {
		return "SELECT session_id, '" + table + "' AS of, count() AS rows, uniqExact(generation) AS generations FROM " + table +
			" FINAL PREWHERE tenant = 'acme' AND " + condition + " GROUP BY session_id SETTINGS merge_tree_storage_snapshot_sleep_ms = 150"
	}
	queries := []string{rows("spans"), rows("usage"), rows("spans") + " UNION ALL " + rows("usage")}
	type counted map[string]uint64 // rows by session and table
	read := func(ctx context.Context, query string) (counted, error) {
		result, err := b.db.Query(ctx, query)
		if err != nil {
			return nil, err
		}
		defer result.Close()
		got := counted{}
		for result.Next() {
			var session, of string
			var n, generations uint64
			if err := result.Scan(&session, &of, &n, &generations); err != nil {
				return nil, err
			}
			if got[session+" "+of] = n; generations != 1 {
				return nil, fmt.Errorf("%s of %s are of %d generations", of, session, generations)
			}
		}
		return got, result.Err()
	}
	want := make([]counted, len(queries))
	for i, query := range queries {
		got, err := read(t.Context(), query)
		if err != nil || len(got) == 0 {
			t.Fatalf("%v, %v", got, err)
		}
		want[i] = got
	}
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	reads := make([]int, len(queries))
	for i, query := range queries {
		readers.Go(func() {
			for ctx.Err() == nil {
				got, err := read(context.WithoutCancel(ctx), query)
				if err == nil && fmt.Sprint(got) != fmt.Sprint(want[i]) {
					err = fmt.Errorf("read %v, want %v", got, want[i])
				}
				if err != nil {
					t.Errorf("read %d of query %d: %v", reads[i], i, err)
				}
				reads[i]++
			}
		})
	}
	began := time.Now()
	for round := range rounds {
		b.redecode("acme", fmt.Sprint("s", round%sessions), "")
	}
	stop()
	readers.Wait()
	t.Logf("%v reads during %d switches in %v", reads, rounds, time.Since(began))
}
