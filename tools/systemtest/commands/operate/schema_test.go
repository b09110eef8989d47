package operate

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local"
	"tapedeck/internal/local/programtest"
	"tapedeck/schema/clickhouse"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A program that is too old for the schema refuses with one sentence, and a server on a schema
// that lacks migrations is alive, and ready once they are applied.
func TestSchemaOfAnotherVersion(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	c := commandtest.NewCluster(t, local.Options{})
	dsn := c.Servers.ClickHouseDSN()
	tapedeck := func(args ...string) (string, error) {
		cmd := exec.Command(programtest.Path(t), append(args, "--clickhouse", dsn)...)
		cmd.Env = os.Environ()
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := tapedeck("migrate", "--plan"); err != nil || !strings.Contains(out, "0001_tables") || !strings.Contains(out, "CREATE TABLE IF NOT EXISTS frames") {
		t.Errorf("the plan: %v\n%s", err, out)
	}
	s := commandtest.Serve(t, c.Servers.NATSURL(), dsn, "sink,api")
	if status, body, _ := s.Get(t, "/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("/readyz without tables: %d %s", status, body)
	}
	bounded.Until(t, "the check that names what lacks", func() bool {
		_, body, _ := s.Get(t, "/readyz")
		return strings.Contains(string(body), "the database lacks 0001_tables") && strings.Contains(string(body), "tapedeck migrate")
	})
	if out, err := tapedeck("migrate"); err != nil {
		t.Fatalf("migrate: %v\n%s", err, out)
	}
	bounded.Until(t, "the server to be ready", func() bool {
		status, _, _ := s.Get(t, "/readyz")
		return status == http.StatusOK
	})
	db, err := clickhouse.Open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Exec(t.Context(), "INSERT INTO schema_steps (version, event, oldest, text, program) VALUES (9999, 'whole', 9998, '9999_future', '99.1.0')")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"migrate"}, {"migrate", "--plan"},
		{"serve", "--role", "api", "--listen", "127.0.0.1:0", "--nats", c.Servers.NATSURL(), "--data", t.TempDir()},
		{"serve", "--role", "sink", "--migrate", "--listen", "127.0.0.1:0", "--nats", c.Servers.NATSURL(), "--data", t.TempDir()}} {
		out, err := tapedeck(args...)
		if err == nil || !strings.Contains(out, "too old") || !strings.Contains(out, "9999_future") || !strings.Contains(out, "99.1.0") || !strings.Contains(out, "install a later version") {
			t.Errorf("%q on a schema of a later version: %v\n%s", args, err, out)
		}
	}
}

// A server that waits for another process's migration is alive and not ready, and takes over
// when the other one is gone.
func TestReadyWhileMigrating(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	c := commandtest.NewCluster(t, local.Options{})
	dsn := c.Servers.ClickHouseDSN()
	db, err := clickhouse.Open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := clickhouse.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	var lock string
	if err := db.QueryRow(t.Context(), "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'schema_lock'").Scan(&lock); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{ // as a process leaves it that is killed in the last migration
		"TRUNCATE TABLE schema_steps",
		"ALTER TABLE schema_migrations DELETE WHERE version = 19 SETTINGS mutations_sync = 2",
		"ALTER TABLE schema_lock RENAME COLUMN " + lock + " TO generation_99",
		"INSERT INTO schema_steps (event, generation, holder, version, step, text) VALUES ('begun', 99, 'elsewhere', 19, 3, '0019_search')",
	} {
		if err := db.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	s := &commandtest.Instance{URL: "http://" + addr, Log: &commandtest.LogBuffer{}, Done: make(chan error, 1)}
	s.Cmd = exec.Command(programtest.Path(t), "serve", "--role", "api", "--migrate", "--listen", addr, "--nats", c.Servers.NATSURL(), "--clickhouse", dsn, "--data", t.TempDir())
	s.Cmd.Env = os.Environ()
	s.Cmd.Stderr = s.Log
	if err := s.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.Done <- s.Cmd.Wait() }()
	t.Cleanup(func() {
		if _, err := s.Stop(); err != nil {
			t.Errorf("stop: %v\n%s", err, s.Log)
		}
	})
	bounded.Until(t, "the progress of the other process", func() bool {
		resp, err := http.Get(s.URL + "/readyz")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return err == nil && resp.StatusCode == http.StatusServiceUnavailable && strings.Contains(string(body), "migrating 0019_search 3/7")
	})
	if status, _, _ := s.Get(t, "/healthz"); status != http.StatusOK {
		t.Errorf("/healthz while it waits: %d", status)
	}
	if status, body, _ := s.Get(t, "/v1/sessions"); status != http.StatusServiceUnavailable || !strings.Contains(string(body), "The server is starting") {
		t.Errorf("/v1/sessions while it waits: %d %s", status, body)
	}
	bounded.Until(t, "the server to be ready", func() bool {
		resp, err := http.Get(s.URL + "/readyz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	if log := s.Log.String(); !strings.Contains(log, "elsewhere") || !strings.Contains(log, "0019_search") {
		t.Errorf("the log names neither the process that was waited for nor the migration:\n%s", log)
	}
}
