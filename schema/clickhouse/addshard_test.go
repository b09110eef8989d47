package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/cluster"
	"tapedeck/schema/migrate"
)

// startAs starts the first n engines of a cluster as a cluster of n shards.
func startAs(t *testing.T, options []engine.Options, n int) *world {
	t.Helper()
	w := &world{t: t}
	for _, o := range options[:n] {
		o.Cluster.Ports = o.Cluster.Ports[:n]
		w.servers = append(w.servers, localtest.Engine(t, o))
	}
	w.db = w.open(w.dsn(localtest.ClusterName))
	for _, s := range w.servers {
		w.shards = append(w.shards, w.open(s.DSN()))
	}
	return w
}

func (w *world) stop() {
	w.t.Helper()
	for _, s := range w.servers {
		if err := s.Stop(context.WithoutCancel(w.t.Context())); err != nil {
			w.t.Fatal(err)
		}
	}
}

// streamAt returns the id of a stream that began at a time, as UUIDv7.
func streamAt(t time.Time) string {
	ms := fmt.Sprintf("%012x", t.UnixMilli())
	return ms[:8] + "-" + ms[8:] + "-7000-8000-000000000001"
}

// record inserts 5 frames of a stream into each of 100 sessions.
func (w *world) record(prefix, stream string) {
	w.t.Helper()
	err := w.db.Exec(w.t.Context(), `INSERT INTO frames (tenant, session_id, stream_id, seq, stream_started)
		SELECT 'acme', concat({prefix:String}, toString(intDiv(number, 5))), {stream:String}, number % 5, toDateTime('2026-03-02 10:00:00')
		FROM numbers(500)`, driver.Named("prefix", prefix), driver.Named("stream", stream))
	if err != nil {
		w.t.Fatal(err)
	}
}

// A third shard gets streams that begin an hour after the migration, of new and of known sessions. All
// other streams stay where they are, so a frame that is stored again is still read once.
func TestClusterAddShard(t *testing.T) {
	fulltest.Long(t)
	options := localtest.Shards(t, 3)
	before, after := streamAt(time.Now()), streamAt(time.Now().Add(2*time.Hour))
	w := startAs(t, options, 2)
	w.migrate()
	w.record("old", before)
	w.stop()

	w = startAs(t, options, 3)
	w.record("old", before) // the server knows the shard, and the tables do not
	w.migrate()
	placement, err := w.db.(*cluster.Conn).Placement(t.Context())
	if err != nil || len(placement) != 2 {
		t.Fatalf("the placement is %v, error %v", placement, err)
	}
	w.record("old", before)
	if n := number(t, w.db, "SELECT count() FROM frames FINAL"); n != 500 {
		t.Errorf("%d frames that were stored three times, want 500", n)
	}
	if n := number(t, w.shards[2], "SELECT count() FROM default_local.frames"); n != 0 {
		t.Errorf("the third shard has %d frames of streams that began before", n)
	}
	w.record("old", after)
	w.record("new", after)
	w.record("new", after)
	if n := number(t, w.db, "SELECT count() FROM frames FINAL"); n != 1500 {
		t.Errorf("%d frames, want 1500", n)
	}
	for i, shard := range w.shards {
		if n := number(t, shard, "SELECT uniqExact(session_id) FROM default_local.frames WHERE session_id LIKE 'new%'"); n < 10 {
			t.Errorf("shard %d has %d of 100 new sessions", i+1, n)
		}
		for _, of := range []string{"old", "new"} {
			for _, stream := range []string{before, after} {
				for n := range 100 {
					session := fmt.Sprintf("%s%d", of, n)
					var rows uint64
					err := shard.QueryRow(t.Context(), `SELECT count() FROM default_local.frames FINAL
						WHERE tenant = 'acme' AND session_id = ? AND stream_id = ?`, session, stream).Scan(&rows)
					want := uint64(0)
					if int(placement.Of("acme", session, stream)) == i+1 && (of == "old" || stream == after) {
						want = 5
					}
					if err != nil || rows != want {
						t.Fatalf("shard %d has %d frames of session %s, want %d, error %v", i+1, rows, session, want, err)
					}
				}
			}
		}
	}
	if n := number(t, w.db, "SELECT count() FROM frames FINAL WHERE tenant = 'acme' AND session_id = 'old7'"); n != 10 {
		t.Errorf("%d frames of a session with a stream before and one after, want 10", n)
	}
	w.migrate()
	if again, err := w.db.(*cluster.Conn).Placement(t.Context()); err != nil || again.Key() != placement.Key() {
		t.Errorf("the placement is %v, error %v, want %v", again, err, placement)
	}
	w.stop()

	w = startAs(t, options, 2)
	if _, err := clickhouse.Migrate(t.Context(), w.db); !errors.Is(err, migrate.ErrCluster) || !strings.Contains(err.Error(), "3 shards") {
		t.Errorf("with a shard less: %v", err)
	}
}
