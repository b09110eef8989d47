package clickhouse_test

import (
	"errors"
	"strings"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/cluster"
	"tapedeck/schema/family"
	"tapedeck/schema/migrate"
	"tapedeck/schema/tables"
)

// startReplicas starts two replicas of each of n shards, with ZooKeeper.
func startReplicas(t *testing.T, options []engine.Options) *world {
	t.Helper()
	w := &world{t: t, options: options}
	for _, o := range options {
		w.servers = append(w.servers, localtest.Engine(t, o))
	}
	w.db = w.open(w.replicatedDSN())
	for _, s := range w.servers {
		w.shards = append(w.shards, w.open(s.DSN()))
	}
	return w
}

func (w *world) replicatedDSN() string {
	w.t.Helper()
	dsn, err := clickhouse.WithEngine(w.dsn(localtest.ClusterName), family.Engine{Family: family.Replicated})
	if err != nil {
		w.t.Fatal(err)
	}
	return dsn
}

// On two shards of two replicas migrations create all tables as replicated ones on every replica, except
// those that record migrations, and a second run changes nothing. The paths in ZooKeeper are those of the
// shards, and each has both replicas. The engine of the tests sends no rows to another replica: its
// replicated tables are created, and can only be read.
func TestReplicatedTables(t *testing.T) {
	fulltest.Long(t)
	keeper := localtest.Keeper(t)
	w := startReplicas(t, localtest.Replicas(t, 2, 2, keeper))
	if names := w.migrate(); len(names) == 0 {
		t.Error("no migration was applied")
	}
	if names := w.migrate(); len(names) > 0 {
		t.Errorf("%v were applied again", names)
	}
	for i, replica := range w.shards {
		for _, table := range tables.All {
			var engine, full string
			err := replica.QueryRow(t.Context(), "SELECT engine, engine_full FROM system.tables WHERE database = 'default_local' AND name = {name:String}",
				driver.Named("name", table.Name)).Scan(&engine, &full)
			path := "('/clickhouse/tables/{shard}/default_local/" + table.Name + "', '{replica}'"
			records := strings.HasPrefix(table.Name, "schema_")
			if err != nil || strings.HasPrefix(engine, "Replicated") == records || strings.Contains(full, path) == records {
				t.Errorf("replica %d: table %s is %s, error %v", i, table.Name, full, err)
			}
			if !records && !strings.Contains(full, "replicated_deduplication_window = 0") {
				t.Errorf("replica %d: table %s drops repeated inserts: %s", i, table.Name, full)
			}
		}
		if n := number(t, replica, "SELECT count() FROM system.tables WHERE database = 'default' AND engine = 'Distributed'"); int(n) != len(tables.All)-3 {
			t.Errorf("replica %d has %d Distributed tables", i, n)
		}
		if n := number(t, replica, "SELECT uniqExact(replica_path) FROM system.replicas WHERE database = 'default_local' AND total_replicas = 2"); int(n) != len(tables.All)-3 {
			t.Errorf("replica %d: %d tables have two replicas in ZooKeeper", i, n)
		}
		if n := number(t, replica, "SELECT countIf(NOT is_readonly) FROM system.replicas"); n != 0 {
			t.Errorf("%d replicated tables can be written: the tests can insert into them", n)
		}
	}
	if n := number(t, w.db, "SELECT count() FROM frames"); n != 0 {
		t.Errorf("%d frames in an empty table", n)
	}

	refused := func(what string, want error, says string, conn driver.Conn) {
		t.Helper()
		if _, err := clickhouse.Migrate(t.Context(), conn); !errors.Is(err, want) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want an error of one line with %q", what, err, says)
		}
	}
	refused("plain where replicated tables are", migrate.ErrEngine, "set --clickhouse-engine replicated", w.open(w.dsn(localtest.ClusterName)))
}

// A replica that is added to a shard gets the tables as the other replica has them, with the columns that
// later migrations added.
func TestReplicaAdded(t *testing.T) {
	fulltest.Long(t)
	keeper := localtest.Keeper(t)
	options := localtest.Replicas(t, 1, 2, keeper)
	alone := options[0]
	alone.Cluster.Ports = alone.Cluster.Ports[:1]
	w := startReplicas(t, []engine.Options{alone})
	w.migrate()
	w.stop()

	w = startReplicas(t, options)
	if s, err := migrate.Read(t.Context(), w.db, migrate.Options{}); err != nil || s.Missing() == "" {
		t.Errorf("with a replica without tables no migration is missing, error %v", err)
	}
	w.migrate()
	const columns = "SELECT cityHash64(groupArray((table, name, type, default_expression))) FROM (SELECT * FROM system.columns WHERE database = 'default_local' AND NOT startsWith(table, 'schema_') ORDER BY table, position)"
	if a, b := number(t, w.shards[0], columns), number(t, w.shards[1], columns); a != b {
		t.Error("the replicas have different columns")
	}
	const settings = "SELECT cityHash64(groupArray((name, engine_full))) FROM (SELECT * FROM system.tables WHERE database = 'default_local' AND engine LIKE 'Replicated%' ORDER BY name)"
	if a, b := number(t, w.shards[0], settings), number(t, w.shards[1], settings); a != b {
		t.Error("the tables of the replicas have different engines or settings")
	}
	const views = "SELECT cityHash64(groupArray((name, as_select))) FROM (SELECT * FROM system.tables WHERE database = 'default_local' AND engine = 'View' ORDER BY name)"
	if a, b := number(t, w.shards[0], views), number(t, w.shards[1], views); a != b {
		t.Error("the replicas have different views")
	}
}

// Before anything is changed, members without macros, and a cluster whose Distributed tables would insert
// into each replica, are refused.
func TestReplicatedBadInput(t *testing.T) {
	fulltest.Long(t)
	w := startReplicas(t, localtest.Replicas(t, 1, 2, 0)) // without ZooKeeper a member has no macros
	_, err := clickhouse.Migrate(t.Context(), w.db)
	if !errors.Is(err, migrate.ErrCluster) || !strings.Contains(err.Error(), "has no macro shard") {
		t.Errorf("without macros: %v", err)
	}
	for i, replica := range w.shards {
		if n := number(t, replica, "SELECT count() FROM system.databases WHERE name = 'default_local'"); n != 0 {
			t.Errorf("replica %d was changed", i)
		}
	}
	// Statements of one replica of each shard are executed on the second one if the first is away.
	c := w.db.(*cluster.Conn)
	for _, replica := range w.shards {
		for _, statement := range []string{"CREATE DATABASE default_local", "CREATE TABLE default_local.frames (a UInt8) ENGINE = MergeTree ORDER BY a"} {
			if err := replica.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	columns := func() (list [2]uint64) {
		for i, replica := range w.shards {
			list[i] = number(t, replica, "SELECT count() FROM system.columns WHERE database = 'default_local' AND table = 'frames'")
		}
		return list
	}
	if err := c.Exec(t.Context(), "ALTER TABLE frames ADD COLUMN b UInt8"); err != nil || columns() != [2]uint64{2, 1} {
		t.Errorf("columns %v, error %v", columns(), err)
	}
	if away, err := c.Away(t.Context()); err != nil || len(away) > 0 {
		t.Errorf("%v are away, error %v", away, err)
	}
}
