// Package localtest provides a real ClickHouse and a real NATS JetStream to tests of other
// packages.
//
// A package's TestMain is
//
//	func TestMain(m *testing.M) { localtest.Main(m) }
//
// and its tests then call Database for a database that they share, ClickHouse for a database of
// their own, or NATS. Tests that stop or kill a server call Engine, Broker or Servers for separate
// servers. If no ClickHouse is installed ('make engine'), such a test is skipped with a notice; in
// a full run of the tests it fails (see package fulltest).
//
// With TAPEDECK_TEST_SHARDS=2 in the environment, Database and ClickHouse return databases of a
// cluster of two shards.
package localtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/engine/enginetest"
)

// Main runs a package's tests and exits. The first test that needs the shared ClickHouse starts it,
// and Main stops it at the end. A goroutine that remains then fails the run; leaks lists
// exceptions, each of which needs a reason.
func Main(m *testing.M, leaks ...goleak.Option) {
	engine.RunIfChild()
	enginetest.Use()
	mainRan = true
	code := m.Run()
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "localtest:", err)
		code = max(code, 1)
	}
	if code == 0 {
		if err := goleak.Find(leaks...); err != nil {
			fmt.Fprintln(os.Stderr, "localtest:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// mainRan is set by Main, so that tests in a package without it fail with a hint.
var mainRan bool

// shared is the engine of this test binary.
var shared sharedEngine

type sharedEngine struct {
	start   sync.Once
	dir     string
	servers []*engine.Server // the shards
	err     error

	prepare  sync.Once
	database string // DSN of the database that tests share
	prepared error
}

// get starts the engine for the first caller. Errors are the same for all callers.
func (e *sharedEngine) get() error {
	e.start.Do(func() {
		var options []engine.Options
		if e.dir, e.err = os.MkdirTemp("", "tapedeck-test-"); e.err == nil {
			options, e.err = sharedOptions(e.dir)
		}
		for _, o := range options {
			// The context is not a test's, since the engine serves later tests.
			server, err := engine.Start(context.Background(), o)
			if err != nil {
				e.err = err
				return
			}
			e.servers = append(e.servers, server)
		}
	})
	return e.err
}

// prepareDatabase creates the database that tests share, for the first caller. Errors are the same
// for all callers.
func (e *sharedEngine) prepareDatabase(prepare func(context.Context, string) error) (dsn string, err error) {
	e.prepare.Do(func() {
		// The context is not a test's, since the database serves later tests.
		ctx := context.Background()
		e.database, e.prepared = e.in(sharedName), e.everywhere(ctx, "CREATE DATABASE "+sharedName)
		if e.prepared == nil {
			e.prepared = prepare(ctx, e.database)
		}
	})
	return e.database, e.prepared
}

func (e *sharedEngine) stop() error {
	var stopErr error
	for _, s := range e.servers {
		stopErr = errors.Join(stopErr, s.Stop(context.Background()))
	}
	if e.dir == "" {
		return stopErr
	}
	return errors.Join(stopErr, os.RemoveAll(e.dir))
}

// need ends the test if the engine failed to start.
func need(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
		return
	case !mainRan:
		t.Fatal("localtest: this package needs a TestMain that calls localtest.Main")
	case errors.Is(err, engine.ErrNotFound):
		fulltest.Missing(t, err)
	}
	t.Fatal(err)
}

// quiet returns a logger for servers in tests, at level warn.
func quiet() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
