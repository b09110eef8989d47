package clickhouse_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema/cluster"
	"tapedeck/schema/migrate"
	"tapedeck/schema/migrations"
)

// lockTaken returns how often processes took the lock of migrations of a member.
func lockTaken(t *testing.T, member driver.Conn) uint64 {
	t.Helper()
	return number(t, member, `SELECT toUInt64(replaceOne(name, 'generation_', '')) FROM system.columns
		WHERE database = 'default_local' AND table = 'schema_lock'`)
}

// A view that a later migration replaces is replaced over the Distributed tables of all members too, also if the run was
// interrupted between them. A run that has nothing to do takes no lock.
func TestClusterLaterView(t *testing.T) {
	fulltest.Long(t)
	w := onShards(t)
	w.migrate()
	all, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	later := migrations.Migration{Version: all[len(all)-1].Version + 1, Name: "later", Text: "later",
		Statements: []string{"CREATE OR REPLACE VIEW reports_generations AS SELECT tenant, 'x' AS later FROM frames"}}
	apply := func() {
		t.Helper()
		if _, err := migrate.Apply(t.Context(), w.db, migrate.Options{Migrations: append(slices.Clone(all), later)}); err != nil {
			t.Fatal(err)
		}
		for i, shard := range w.shards {
			if n := number(t, shard, `SELECT count() FROM system.columns
				WHERE database IN ('default', 'default_local') AND table = 'reports_generations' AND name = 'later'`); n != 2 {
				t.Errorf("shard %d has %d of 2 views of the later migration", i+1, n)
			}
		}
	}
	apply()
	if err := w.shards[1].Exec(t.Context(), "CREATE OR REPLACE VIEW reports_generations AS SELECT tenant FROM frames"); err != nil {
		t.Fatal(err)
	}
	apply()
	before := lockTaken(t, w.shards[0])
	apply()
	if after := lockTaken(t, w.shards[0]); after != before {
		t.Errorf("a run with nothing to do took the lock %d times", after-before)
	}
}

// Of two processes that migrate at once after a shard was added, the second waits and takes over the placement of the first.
func TestClusterOnePlacement(t *testing.T) {
	fulltest.Long(t)
	w := onShards(t)
	w.migrate()
	one := cluster.Placement{{Shards: 1}}
	another := one.Extend(2, time.Now().Add(5*time.Hour))
	do := func(member driver.Conn, statement string, values ...any) {
		t.Helper()
		if err := member.Exec(t.Context(), statement, values...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	place := func(member driver.Conn, p cluster.Placement) {
		t.Helper()
		do(member, fmt.Sprintf("CREATE OR REPLACE TABLE frames AS default_local.frames ENGINE = Distributed('%s', 'default_local', 'frames', %s)",
			localtest.ClusterName, p.Key()))
	}
	for _, shard := range w.shards {
		place(shard, one)
	}
	first := w.shards[0]
	taken := lockTaken(t, first)
	do(first, fmt.Sprintf("ALTER TABLE default_local.schema_lock RENAME COLUMN generation_%d TO generation_%d", taken, taken+1))
	record := func(event string) {
		do(first, "INSERT INTO default_local.schema_steps (event, generation, holder) VALUES (?, ?, 'another')", event, taken+1)
	}
	record("taken")
	waiting, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		_, err := migrate.Apply(t.Context(), w.db, migrate.Options{Lease: time.Hour, Report: func(p migrate.Progress) {
			select {
			case waiting <- p.Holder:
			default:
			}
		}})
		close(waiting)
		ended <- err
	}()
	if holder := bounded.Receive(t, waiting); holder != "another" {
		t.Errorf("the second process waits for %q, want the first", holder)
	}
	place(first, another)
	record("released")
	if err := bounded.Receive(t, ended); err != nil {
		t.Fatal(err)
	}
	for i, shard := range w.shards {
		var other []string
		err := shard.QueryRow(t.Context(), `SELECT groupArray(engine_full) FROM system.tables WHERE database = 'default'
			AND position(engine_full, 'cityHash64') > 0 AND position(engine_full, ?) = 0`, another.Key()).Scan(&other)
		if err != nil || len(other) > 0 {
			t.Errorf("shard %d has tables with another placement than %s: %q, error %v", i+1, another.Key(), other, err)
		}
	}
}
