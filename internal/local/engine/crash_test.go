package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"tapedeck/internal/bounded"
	"tapedeck/internal/metric/metrictest"
)

// insertUntil inserts rows of one until ctx ends, whatever happens to the
// engine, and adds up how many inserts were answered.
func insertUntil(ctx context.Context, c driver.Conn, acknowledged *atomic.Uint64) {
	for ctx.Err() == nil {
		if err := c.Exec(ctx, "INSERT INTO t SELECT 1"); err == nil {
			acknowledged.Add(1)
		} else {
			time.Sleep(10 * time.Millisecond) // the engine is away
		}
	}
}

func TestKilledEngineComesBack(t *testing.T) {
	s := start(t, Options{})
	c := connect(t, s.DSN())
	must(t, c.Exec(t.Context(), "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a"))

	ctx, cancel := context.WithCancel(t.Context())
	var acknowledged atomic.Uint64
	var inserters sync.WaitGroup
	for range 2 {
		inserters.Go(func() { insertUntil(ctx, c, &acknowledged) })
	}
	dsn, pid := s.DSN(), s.Health().PID
	more := func() {
		t.Helper()
		from := acknowledged.Load()
		bounded.Until(t, "more acknowledged rows", func() bool { return acknowledged.Load() > from+9 })
	}
	for range 2 {
		more()
		must(t, syscall.Kill(s.Health().PID, syscall.SIGKILL))
		killed := time.Now()
		bounded.Until(t, "a running engine", func() bool {
			h := s.Health()
			return h.State == Running && h.PID != pid
		})
		pid = s.Health().PID
		t.Logf("running again after %v", time.Since(killed).Round(time.Millisecond))
	}
	more()
	cancel()
	bounded.Wait(t, inserters.Wait)

	h := s.Health()
	if h.Restarts != 2 || !strings.Contains(h.LastError, "killed") {
		t.Errorf("health after two kills: %+v", h)
	}
	metrictest.Of(s).Show(t, "tapedeck_clickhouse_restarts_total")
	const restarts = "# HELP tapedeck_clickhouse_restarts_total Times that the ClickHouse of local mode ended by itself and was started again.\n" +
		"# TYPE tapedeck_clickhouse_restarts_total counter\ntapedeck_clickhouse_restarts_total 2\n"
	if err := testutil.CollectAndCompare(s, strings.NewReader(restarts), "tapedeck_clickhouse_restarts_total"); err != nil {
		t.Error(err)
	}
	if s.DSN() != dsn {
		t.Errorf("the address changed from %s to %s", dsn, s.DSN())
	}
	// The same pool as before the kills. A row that was not acknowledged may be
	// there as well.
	n, acked := count(t, c, "t"), acknowledged.Load()
	t.Logf("%d acknowledged, %d there", acked, n)
	if n < acked || acked == 0 {
		t.Errorf("%d rows of %d acknowledged", n, acked)
	}
}

func TestParentKilled(t *testing.T) {
	for _, args := range [][]string{{"kept"}, {"removed", "ephemeral"}} {
		t.Run(args[0], func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "clickhouse")
			parent, report := startParent(t, append([]string{dir}, args[1:]...)...)
			c := connect(t, report.DSN)
			must(t, c.Exec(t.Context(), "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a"))
			must(t, c.Exec(t.Context(), "INSERT INTO t SELECT 1"))
			// A query under way does not keep the orphan alive.
			slow := make(chan error, 1)
			go func() { slow <- c.Exec(t.Context(), "SELECT count() FROM numbers(1000000000000)") }()
			running(t, connect(t, report.DSN), 1)

			must(t, parent.Process.Signal(syscall.SIGKILL))
			killed := time.Now()
			bounded.Until(t, "the end of the orphan", func() bool { return gone(report.Health.PID) })
			t.Logf("the orphan was gone after %v", time.Since(killed).Round(time.Millisecond))
			bounded.Receive(t, slow)

			_, err := os.Stat(dir)
			if len(args) > 1 {
				if !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the directory was not removed: %v", err)
				}
				return
			}
			must(t, err)
			if n := count(t, connect(t, start(t, Options{Dir: dir}).DSN()), "t"); n != 1 {
				t.Errorf("%d rows, want 1", n)
			}
		})
	}
}

// A new start right after a kill of the whole program meets its orphan, which
// still holds the directory.
func TestStartAfterTheParentWasKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "clickhouse")
	parent, _ := startParent(t, dir)
	must(t, parent.Process.Signal(syscall.SIGKILL))
	start(t, Options{Dir: dir})
}

func TestStopUnderLoad(t *testing.T) {
	dir := t.TempDir()
	s := start(t, Options{Dir: dir})
	c := connect(t, s.DSN())
	must(t, c.Exec(t.Context(), "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a"))
	ctx, cancel := context.WithCancel(t.Context())
	var acknowledged atomic.Uint64
	var load sync.WaitGroup
	for range 2 {
		load.Go(func() { insertUntil(ctx, c, &acknowledged) })
		// These end with the engine.
		load.Go(func() { c.Exec(ctx, "SELECT count() FROM numbers(1000000000000)") })
	}
	running(t, connect(t, s.DSN()), 2)
	bounded.Until(t, "acknowledged rows", func() bool { return acknowledged.Load() > 0 })
	begin := time.Now()
	must(t, s.Stop(t.Context()))
	if took := time.Since(begin); took > StopLimit {
		t.Errorf("stop under load took %v", took)
	} else {
		t.Logf("stopped in %v", took.Round(time.Millisecond))
	}
	cancel()
	bounded.Wait(t, load.Wait)
	n, acked := count(t, connect(t, start(t, Options{Dir: dir}).DSN()), "t"), acknowledged.Load()
	if n < acked || acked == 0 {
		t.Errorf("%d rows of %d acknowledged", n, acked)
	}
}

// Ctrl-C in a terminal reaches every process of the foreground group; the
// engine must outlast it.
func TestTerminalSignalsPassBy(t *testing.T) {
	s := start(t, Options{})
	pid := s.Health().PID
	group, err := syscall.Getpgid(pid)
	must(t, err)
	if group != pid {
		t.Errorf("the engine is in process group %d, not in one of its own", group)
	}
	must(t, syscall.Kill(-pid, syscall.SIGINT))
	must(t, syscall.Kill(-pid, syscall.SIGHUP))
	time.Sleep(300 * time.Millisecond) // an end would take about as long to be seen
	must(t, connect(t, s.DSN()).Ping(t.Context()))
	if h := s.Health(); h.PID != pid {
		t.Errorf("the engine was restarted: %+v", h)
	}
}

// running waits until so many of the endless queries run.
func running(t *testing.T, c driver.Conn, want uint64) {
	t.Helper()
	bounded.Until(t, "the endless queries", func() bool {
		var n uint64
		err := c.QueryRow(t.Context(), "SELECT count() FROM system.processes WHERE query LIKE 'SELECT count() FROM numbers(1%'").Scan(&n)
		return err == nil && n >= want
	})
}

// gone reports whether a process has ended, be it that nobody has collected it.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false // not Linux: only the kill above shows it
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "Z")
}
