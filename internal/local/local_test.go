package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/datadir"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/engine/enginetest"
)

func TestMain(m *testing.M) {
	RunEngineIfChild()
	enginetest.Use()
	goleak.VerifyTestMain(m)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func start(t *testing.T, opts Options) *Servers {
	t.Helper()
	if _, err := engine.Find(t.Context()); err != nil {
		if errors.Is(err, engine.ErrNotFound) {
			fulltest.Missing(t, err)
		}
		t.Fatal(err)
	}
	begin := time.Now()
	s, err := Start(t.Context(), opts)
	must(t, err)
	t.Logf("started in %v", time.Since(begin).Round(time.Millisecond))
	return s
}

// writeBoth puts one row and one message in, and returns how many are there.
func writeBoth(t *testing.T, s *Servers) (rows, messages uint64) {
	t.Helper()
	options, err := clickhouse.ParseDSN(s.ClickHouseDSN())
	must(t, err)
	db, err := clickhouse.Open(options)
	must(t, err)
	defer db.Close()
	must(t, db.Exec(t.Context(), "CREATE TABLE IF NOT EXISTS t (a UInt64) ENGINE = MergeTree ORDER BY a"))
	must(t, db.Exec(t.Context(), "INSERT INTO t SELECT 1"))
	must(t, db.QueryRow(t.Context(), "SELECT count() FROM t").Scan(&rows))

	connection, err := s.ConnectNATS()
	must(t, err)
	defer connection.Close()
	js, err := jetstream.New(connection)
	must(t, err)
	_, err = js.CreateOrUpdateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}})
	must(t, err)
	ack, err := js.Publish(t.Context(), "s", []byte("x"))
	must(t, err)
	return rows, ack.Sequence
}

func TestStartTwiceOnOneDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	for round := range uint64(2) {
		s := start(t, Options{Dir: dir})
		if rows, messages := writeBoth(t, s); rows != round+1 || messages != round+1 {
			t.Errorf("round %d: %d rows, %d messages", round, rows, messages)
		}
		if h := s.Health(); !h.Ready() {
			t.Errorf("not ready: %+v", h)
		}
		if s.Dir() != dir || s.NATSURL() != "" {
			t.Errorf("directory %s, NATS at %q", s.Dir(), s.NATSURL())
		}
		must(t, s.Announce("http://127.0.0.1:4600"))

		_, err := Start(t.Context(), Options{Dir: dir})
		var held *datadir.HeldError
		if !errors.As(err, &held) || held.Holder.PID != os.Getpid() || !strings.Contains(err.Error(), "http://127.0.0.1:4600") {
			t.Errorf("a second start: %v", err)
		}

		begin := time.Now()
		must(t, s.Close(context.Background()))
		t.Logf("closed in %v", time.Since(begin).Round(time.Millisecond))
		if s.Health().Ready() {
			t.Error("ready after Close")
		}
		if _, err := datadir.Running(dir); !errors.Is(err, datadir.ErrNotRunning) {
			t.Errorf("after Close: %v", err)
		}
	}
}

func TestHealthWhileClickHouseIsDown(t *testing.T) {
	s := start(t, Options{Dir: t.TempDir()})
	defer s.Close(context.Background())
	must(t, syscall.Kill(s.Health().ClickHouse.PID, syscall.SIGKILL))
	bounded.Until(t, "ClickHouse to be down", func() bool {
		h := s.Health()
		return !h.Ready() && h.ClickHouse.State == engine.Restarting && h.NATS.Running
	})
	bounded.Until(t, "ClickHouse to be back", func() bool { return s.Health().Ready() })
	writeBoth(t, s)
}

func TestFailedStartLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "libchdb.so")
	must(t, os.WriteFile(file, []byte("no library"), 0o600))
	t.Run("no engine", func(t *testing.T) {
		t.Setenv(engine.LibraryEnv, file+".missing")
		_, err := Start(t.Context(), Options{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), engine.LibraryEnv) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a broken engine", func(t *testing.T) {
		t.Setenv(engine.LibraryEnv, file)
		_, err := Start(t.Context(), Options{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), "cannot be loaded") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no broker", func(t *testing.T) {
		_, err := Start(t.Context(), Options{Dir: dir, ListenNATS: "nowhere"})
		if err == nil || !strings.Contains(err.Error(), "address for NATS") {
			t.Errorf("got %v", err)
		}
	})
	if _, err := datadir.Running(dir); !errors.Is(err, datadir.ErrNotRunning) {
		t.Errorf("the directory is held: %v", err)
	}
	s := start(t, Options{Dir: dir, ListenNATS: "127.0.0.1:0", SyncAlways: true})
	if !strings.HasPrefix(s.NATSURL(), "nats://") {
		t.Errorf("NATS at %q", s.NATSURL())
	}
	path := filepath.Join(dir, "nats-url")
	if text, err := os.ReadFile(path); err != nil || string(text) != s.NATSURL()+"\n" {
		t.Errorf("%s: %q, %v", path, text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%s: %v, %v", path, info, err)
	}
	writeBoth(t, s)
	must(t, s.Close(t.Context()))
}
