package localtest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/engine"
)

func TestMain(m *testing.M) { Main(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dsn string) driver.Conn {
	t.Helper()
	options, err := clickhouse.ParseDSN(dsn)
	must(t, err)
	connection, err := clickhouse.Open(options)
	must(t, err)
	t.Cleanup(func() { connection.Close() })
	return connection
}

func TestEachTestHasADatabaseOfItsOwn(t *testing.T) {
	left := func() (n uint64) {
		must(t, open(t, ClickHouse(t)).QueryRow(t.Context(), "SELECT count() FROM system.databases WHERE name LIKE 'td_%'").Scan(&n))
		return n
	}
	before := left()
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			db := open(t, ClickHouse(t))
			must(t, db.Exec(t.Context(), "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a"))
			must(t, db.Exec(t.Context(), "INSERT INTO t VALUES (1)"))
			var n uint64
			must(t, db.QueryRow(t.Context(), "SELECT count() FROM t").Scan(&n))
			if n != 1 {
				t.Errorf("%d rows", n)
			}
		})
	}
	// One more: left asks for a database itself.
	if after := left(); after != before+1 {
		t.Errorf("%d databases before, %d after", before, after)
	}
}

func TestEachTestHasAStoreOfItsOwn(t *testing.T) {
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			js, err := jetstream.New(NATS(t))
			must(t, err)
			_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}})
			must(t, err)
			ack, err := js.Publish(t.Context(), "s", nil)
			must(t, err)
			if ack.Sequence != 1 {
				t.Errorf("sequence %d in a new store", ack.Sequence)
			}
		})
	}
}

func TestServersOfOnesOwn(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		b := Broker(t, broker.Options{Dir: dir})
		must(t, b.Stop(t.Context()))
	}
	e := Engine(t, engine.Options{})
	must(t, open(t, e.DSN()).Ping(t.Context()))
	must(t, e.Stop(t.Context()))
	if s := Servers(t, local.Options{}); !s.Health().Ready() {
		t.Errorf("health %+v", s.Health())
	}
}

// TestNeedsTheEngine is what TestMissingEngine runs where there is none.
func TestNeedsTheEngine(t *testing.T) { ClickHouse(t) }

func TestMissingEngine(t *testing.T) {
	for _, c := range []struct{ name, full, says string }{
		{"at home", "", "--- SKIP: TestNeedsTheEngine"},
		{"in a full run", "1", "--- FAIL: TestNeedsTheEngine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			self, err := os.Executable()
			must(t, err)
			run := exec.Command(self, "-test.run=^TestNeedsTheEngine$", "-test.v")
			run.Dir = t.TempDir()
			run.Env = []string{"PATH=" + run.Dir, "HOME=" + run.Dir, "CI=true", fulltest.Env + "=" + c.full, "TMPDIR=" + run.Dir}
			output, err := run.CombinedOutput()
			if (err != nil) != (c.full != "") || !strings.Contains(string(output), c.says) || !strings.Contains(string(output), "make engine") {
				t.Errorf("%v\n%s", err, output)
			}
			if left, err := os.ReadDir(run.Dir); err != nil || len(left) != 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}
