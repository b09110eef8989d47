package clickhouse

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/speedtest"
	"tapedeck/replay"
	schemaclickhouse "tapedeck/schema/clickhouse"
	"tapedeck/schema/migrate"
)

// s3Delay is the delay of each answer of the S3 storage. A storage on loopback alone would answer in less
// than a millisecond, and the number of requests in turn would not show.
const s3Delay = 30 * time.Millisecond

// Sessions whose frames lie on S3 are played as before, and their first frame is there within a second,
// also when the server has just been started and has nothing in its caches.
func TestColdSessions(t *testing.T) {
	fulltest.Long(t)
	options := engine.Options{Dir: t.TempDir(), MemoryLimit: 2 << 30, Cold: engine.Cold{
		Policy: "tiers", Endpoint: localtest.S3(t, s3Delay) + "cold/", KeyID: localtest.S3KeyID, Secret: "secret",
	}}
	server := localtest.Engine(t, options)
	conn, err := schemaclickhouse.Open(server.DSN())
	if err != nil {
		t.Fatal(err)
	}
	_, err = migrate.Apply(t.Context(), conn, migrate.Options{Cold: migrate.Cold{After: 24 * time.Hour, Policy: "tiers"}})
	conn.Close()
	if err != nil {
		t.Fatal(err)
	}
	db := newDatabase(t, server.DSN())
	random := rand.New(rand.NewPCG(1, 2))
	const sessions = 40
	want := overlapping(random)
	db.record("default", "s0", want, nil)
	for i := 1; i < sessions; i++ {
		db.record("default", fmt.Sprint("s", i), overlapping(random), nil)
	}
	db.exec("SYSTEM START MERGES frames")
	db.exec("OPTIMIZE TABLE frames FINAL")
	db.exec("ALTER TABLE frames MODIFY SETTING old_parts_lifetime = 1, cleanup_delay_period = 1, max_cleanup_delay_period = 1")
	bounded.Until(t, "merged parts are on S3, and those before them are gone", func() bool {
		return db.count("SELECT count() FROM system.parts WHERE table = 'frames' AND (disk_name != 'cold' OR NOT active)") == 0
	})

	var times []time.Duration
	for i := range 5 {
		if err := server.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		server = localtest.Engine(t, options)
		store := Open(server.DSN(), Options{})
		t.Cleanup(func() { store.Close() })
		began := time.Now()
		if _, err := store.first(t.Context(), fmt.Sprint("s", 7*i)); err != nil {
			t.Fatal(err)
		}
		times = append(times, time.Since(began))
		if i > 0 {
			continue
		}
		got, err := drain(t, tapeOf(t, store, "s0"), replay.Query{})
		if err == nil {
			err = same(got, want.Frames(), false)
		}
		if err != nil {
			t.Error(err)
		}
	}
	slices.Sort(times)
	t.Logf("first frames of sessions on S3 after %v", times)
	speedtest.Within(t, "first frame of a session on S3", times[len(times)/2], time.Second)
}
