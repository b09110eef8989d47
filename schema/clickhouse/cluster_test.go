package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/cluster"
	"tapedeck/schema/migrate"
)

// world is a cluster of two shards with connections to the cluster and to the shards alone.
type world struct {
	t       *testing.T
	options []engine.Options // of the shards
	servers []*engine.Server
	db      driver.Conn
	shards  []driver.Conn
}

func onShards(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, options: localtest.Shards(t, 2)}
	for _, o := range w.options {
		w.servers = append(w.servers, localtest.Engine(t, o))
	}
	w.db = w.open(w.dsn(localtest.ClusterName))
	for _, s := range w.servers {
		w.shards = append(w.shards, w.open(s.DSN()))
	}
	return w
}

func (w *world) dsn(name string) string {
	dsn, err := clickhouse.WithCluster(w.servers[0].DSN(), name)
	if err != nil {
		w.t.Fatal(err)
	}
	return dsn
}

func (w *world) open(dsn string) driver.Conn {
	w.t.Helper()
	conn, err := clickhouse.Open(dsn)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { conn.Close() })
	return conn
}

func (w *world) migrate() []string {
	w.t.Helper()
	names, err := clickhouse.Migrate(w.t.Context(), w.db)
	if err != nil {
		w.t.Fatal(err)
	}
	return names
}

func number(t *testing.T, conn driver.Conn, query string) (n uint64) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

const insertFrames = `INSERT INTO frames (tenant, session_id, stream_id, seq, stream_started)
	SELECT 'acme', concat('s', toString(intDiv(number, 5))), 'stream', number % 5, toDateTime('2026-03-02 10:00:00') FROM numbers(500)`

// The frames of 100 sessions, stored twice, are on both shards, those of a session on one of them, and
// are read once. What deletes them deletes them on both.
func TestCluster(t *testing.T) {
	w := onShards(t)
	if names := w.migrate(); len(names) == 0 {
		t.Error("no migration was applied")
	}
	if names := w.migrate(); len(names) > 0 {
		t.Errorf("%v were applied again", names)
	}
	for range 2 {
		if err := w.db.Exec(t.Context(), insertFrames); err != nil {
			t.Fatal(err)
		}
	}
	if n := number(t, w.db, "SELECT count() FROM frames FINAL"); n != 500 {
		t.Errorf("%d frames, want 500", n)
	}
	var sessions, rows uint64
	for i, shard := range w.shards {
		sessions += number(t, shard, "SELECT uniqExact(session_id) FROM default_local.frames")
		n := number(t, shard, "SELECT count() FROM default_local.frames FINAL")
		if n == 0 {
			t.Errorf("shard %d has no rows", i)
		}
		rows += n
	}
	if sessions != 100 || rows != 500 {
		t.Errorf("the shards have %d sessions and %d rows, want 100 and 500", sessions, rows)
	}
	if n := number(t, w.db, `SELECT uniqExact(session_id) FROM frames WHERE session_id IN (
		SELECT session_id FROM frames WHERE seq = 4) AND session_id NOT IN (SELECT session_id FROM tombstones)`); n != 100 {
		t.Errorf("a subquery over both shards has %d sessions, want 100", n)
	}
	if n := number(t, w.db, `SELECT sum(rows) FROM system.parts WHERE database = currentDatabase() AND active AND table = 'frames'`); n < 500 {
		t.Errorf("the parts have %d rows, want at least 500", n)
	}
	sync := driver.Context(t.Context(), driver.WithSettings(driver.Settings{"mutations_sync": 2}))
	for _, statement := range []string{
		"ALTER TABLE frames DELETE WHERE tenant = {tenant:String} AND seq = 0",
		"DELETE FROM frames WHERE tenant = {tenant:String} AND seq = 1",
	} {
		if err := w.db.Exec(sync, statement, driver.Named("tenant", "acme")); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if n := number(t, w.db, "SELECT count() FROM frames FINAL"); n != 300 {
		t.Errorf("%d frames after two of five were deleted, want 300", n)
	}
}

// A column that a later migration adds is in the Distributed tables too.
func TestClusterLaterMigration(t *testing.T) {
	fulltest.Long(t)
	w := onShards(t)
	w.migrate()
	for _, shard := range w.shards {
		if err := shard.Exec(t.Context(), "ALTER TABLE default_local.frames ADD COLUMN later String DEFAULT 'x'"); err != nil {
			t.Fatal(err)
		}
	}
	w.migrate()
	if n := number(t, w.db, "SELECT count() FROM frames WHERE later = 'x'"); n != 0 {
		t.Errorf("%d frames in an empty table", n)
	}
}

// Migrations that were interrupted between two members are continued: the second has no tables yet, or
// lacks Distributed tables.
func TestClusterMigrationContinues(t *testing.T) {
	fulltest.Long(t)
	w := onShards(t)
	w.migrate()
	for _, statement := range []string{"DROP DATABASE default_local SYNC", "DROP TABLE frames SYNC", "DROP VIEW reports_usage SYNC"} {
		if err := w.shards[1].Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	s, err := migrate.Read(t.Context(), w.db, migrate.Options{})
	if err != nil || s.Missing() == "" {
		t.Fatalf("with a member without tables no migration is missing, error %v", err)
	}
	if p, err := migrate.Prepare(t.Context(), w.db, migrate.Options{}); err != nil || len(p.Migrations) == 0 {
		t.Errorf("the plan of a member without tables is %+v, error %v", p, err)
	}
	if names := w.migrate(); len(names) == 0 {
		t.Error("no migration was applied to the second member")
	}
	if err := w.db.Exec(t.Context(), insertFrames); err != nil {
		t.Fatal(err)
	}
	for i, shard := range w.shards {
		if n := number(t, shard, "SELECT count() FROM system.tables WHERE database = 'default' AND name IN ('frames', 'reports_usage')"); n != 2 {
			t.Errorf("shard %d has %d of the table frames and the view reports_usage", i, n)
		}
	}
}

// Each kind of bad input is one error that names what to do, and changes nothing.
func TestClusterBadInput(t *testing.T) {
	w := onShards(t)
	databases := func() (list string) {
		for _, shard := range w.shards {
			list += fmt.Sprint(number(t, shard, "SELECT count() FROM system.tables WHERE database IN ('default', 'default_local')"), " ")
		}
		return list
	}
	refused := func(name string, conn driver.Conn, want error, says string) {
		t.Helper()
		before := databases()
		_, err := clickhouse.Migrate(t.Context(), conn)
		if !errors.Is(err, want) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want an error of one line with %q", name, err, says)
		}
		if after := databases(); after != before {
			t.Errorf("%s: tables of the members: %s, before %s", name, after, before)
		}
	}
	refused("no such cluster", w.open(w.dsn("nowhere")), cluster.ErrUnknown, "it has "+localtest.ClusterName)

	if err := w.shards[1].Exec(t.Context(), "CREATE TABLE usage (x UInt8) ENGINE = MergeTree ORDER BY x"); err != nil {
		t.Fatal(err)
	}
	refused("a plain table", w.db, migrate.ErrCluster, "(usage): name an empty database")
	if err := w.shards[1].Exec(t.Context(), "DROP TABLE usage SYNC"); err != nil {
		t.Fatal(err)
	}

	w.migrate()
	refused("without the setting", w.shards[1], migrate.ErrCluster, "--clickhouse-cluster")
}

func TestClusterName(t *testing.T) {
	for _, bad := range []string{"a'b", "a b", "a;b"} {
		if _, err := clickhouse.WithCluster("clickhouse://h:9000/db", bad); err == nil {
			t.Errorf("the name %q is accepted", bad)
		}
	}
	dsn, err := clickhouse.WithCluster("clickhouse://u:p@h:9000/db?secure=true", "prod-1")
	if err != nil {
		t.Fatal(err)
	}
	if u, err := url.Parse(dsn); err != nil || u.Query().Get("cluster") != "prod-1" || clickhouse.CheckDSN(dsn) != nil {
		t.Errorf("%s: %v", dsn, err)
	}
}

// With a shard away, sessions of the other are read and written, and an insert that includes a session
// of the shard that is away is refused and not queued. When it is back its sessions are as they were,
// and the insert that was refused can be repeated.
func TestClusterShardAway(t *testing.T) {
	fulltest.Long(t)
	w := onShards(t)
	w.migrate()
	if err := w.db.Exec(t.Context(), insertFrames); err != nil {
		t.Fatal(err)
	}
	var here, there string
	for _, of := range []struct {
		shard driver.Conn
		id    *string
	}{{w.shards[0], &here}, {w.shards[1], &there}} {
		if err := of.shard.QueryRow(t.Context(), "SELECT min(session_id) FROM default_local.frames").Scan(of.id); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.servers[1].Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	of := "SELECT count() FROM frames WHERE tenant = 'acme' AND session_id = "
	if n := number(t, w.db, of+"'"+here+"'"); n != 5 {
		t.Errorf("%d frames of a session of the other shard, want 5", n)
	}
	var n uint64
	if err := w.db.QueryRow(t.Context(), of+"'"+there+"'").Scan(&n); err == nil {
		t.Errorf("%d frames of a session of the shard that is away, want an error", n)
	}
	insert := `INSERT INTO frames (tenant, session_id, stream_id, seq, stream_started) VALUES ('acme', ?, 'stream', 5, toDateTime('2026-03-02 10:00:00'))`
	if err := w.db.Exec(t.Context(), insert, here); err != nil {
		t.Errorf("insert into the other shard: %v", err)
	}
	if err := w.db.Exec(t.Context(), insert, there); err == nil {
		t.Error("an insert into the shard that is away was acknowledged")
	}
	localtest.Engine(t, w.options[1])
	if n := number(t, w.db, of+"'"+there+"'"); n != 5 {
		t.Errorf("%d frames of the session whose shard is back, want 5", n)
	}
	if err := w.db.Exec(t.Context(), insert, there); err != nil {
		t.Errorf("insert into the shard that is back: %v", err)
	}
	if n := number(t, w.db, "SELECT count() FROM frames"); n != 502 {
		t.Errorf("%d frames in the end, want 502", n)
	}
}
