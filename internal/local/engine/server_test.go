package engine

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/speedtest"
)

// needEngine skips the test where no engine is installed; in a full run it fails.
func needEngine(t *testing.T) {
	t.Helper()
	_, err := Find(t.Context())
	if err == nil {
		return
	}
	if errors.Is(err, ErrNotFound) {
		fulltest.Missing(t, err)
	}
	t.Fatal(err)
}

func start(t *testing.T, opts Options) *Server {
	t.Helper()
	needEngine(t)
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	begin := time.Now()
	s, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("started in %v", time.Since(begin).Round(time.Millisecond))
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func connect(t *testing.T, dsn string) driver.Conn {
	t.Helper()
	options, err := clickhouse.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	options.DialTimeout = time.Second
	connection, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, c driver.Conn, table string) uint64 {
	t.Helper()
	var n uint64
	must(t, c.QueryRow(t.Context(), "SELECT count() FROM "+table).Scan(&n))
	return n
}

func TestDataOutlivesTheEngine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b & <c>", "clickhouse")
	s := start(t, Options{Dir: dir})
	c := connect(t, s.DSN())
	must(t, c.Exec(t.Context(), "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a"))
	must(t, c.Exec(t.Context(), "INSERT INTO t SELECT number FROM numbers(10)"))
	if h := s.Health(); h.State != Running || h.PID == 0 || h.Version == "" || h.Restarts != 0 || h.LastError != "" {
		t.Errorf("health of a running engine: %+v", h)
	}
	// With the connection open: it must not hold the engine up.
	begin := time.Now()
	must(t, s.Stop(t.Context()))
	took := time.Since(begin)
	if took > StopLimit {
		t.Errorf("an idle engine was killed after %v", took)
	}
	speedtest.Within(t, "stopping an idle engine", took, 2500*time.Millisecond)
	if h := s.Health(); h.State != Stopped || h.PID != 0 {
		t.Errorf("health of a stopped engine: %+v", h)
	}
	must(t, s.Stop(t.Context()))

	again := start(t, Options{Dir: dir})
	if again.DSN() == s.DSN() {
		t.Error("the password is the same after a new start")
	}
	if n := count(t, connect(t, again.DSN()), "t"); n != 10 {
		t.Errorf("%d rows after a restart, want 10", n)
	}
}

func TestFilesAreTheOwnersAlone(t *testing.T) {
	s := start(t, Options{})
	c := connect(t, s.DSN())
	must(t, c.Exec(t.Context(), "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a"))
	must(t, c.Exec(t.Context(), "INSERT INTO t VALUES (1)"))
	password := strings.Split(strings.Split(s.DSN(), "@")[0], ":")[2]
	err := filepath.WalkDir(s.opts.Dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed by the engine meanwhile
		}
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if mode := info.Mode(); mode&fs.ModeSymlink == 0 && mode.Perm()&0o077 != 0 {
			t.Errorf("%s is %v", path, mode)
		}
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err == nil && strings.Contains(string(text), password) {
				t.Errorf("%s holds the password", path)
			}
		}
		return nil
	})
	must(t, err)
}

func TestSecondEngineOnTheSameDirectory(t *testing.T) {
	s := start(t, Options{})
	_, err := Start(t.Context(), Options{Dir: s.opts.Dir})
	if err == nil || !strings.Contains(err.Error(), "Cannot lock file") {
		t.Fatalf("a second engine: %v", err)
	}
	must(t, connect(t, s.DSN()).Ping(t.Context()))
}

func TestTakenPort(t *testing.T) {
	needEngine(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = Start(ctx, Options{Dir: t.TempDir(), Port: listener.Addr().(*net.TCPAddr).Port})
	if err == nil || !strings.Contains(err.Error(), "port is taken") {
		t.Fatalf("start on a taken port: %v", err)
	}
}

func TestNotALibrary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libchdb.so")
	must(t, os.WriteFile(path, []byte("not a library"), 0o600))
	begin := time.Now()
	_, err := Start(t.Context(), Options{Dir: t.TempDir(), Program: Program{Library: path}})
	if !errors.Is(err, errCannotLoad) {
		t.Fatalf("start of a text file: %v", err)
	}
	speedtest.Within(t, "the error", time.Since(begin), 2*time.Second)
	t.Log(err)
}

func TestStartNeedsTheHook(t *testing.T) {
	hooked.Store(false)
	defer hooked.Store(true)
	_, err := Start(t.Context(), Options{Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "RunIfChild") {
		t.Fatalf("start without the hook: %v", err)
	}
}
