package localtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/nats-io/nats.go"

	"tapedeck/internal/local"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/engine"
)

// cleanupLimit bounds the cleanup after a test, whose context has ended.
const cleanupLimit = 20 * time.Second

// sharedName is the name of the database that tests share.
const sharedName = "tapedeck"

// Database returns a DSN for clickhouse-go of a database that all tests of this binary share. The
// first caller's prepare creates its tables. The database exists until the test binary ends.
func Database(t testing.TB, prepare func(ctx context.Context, dsn string) error) (dsn string) {
	t.Helper()
	need(t, shared.get())
	dsn, err := shared.prepareDatabase(prepare)
	if err != nil {
		t.Fatalf("prepare the database that tests share: %v", err)
	}
	return dsn
}

// ClickHouse creates a new, empty database in the ClickHouse that the tests of this binary share,
// and returns a DSN of it for clickhouse-go. The database is dropped when the test ends.
func ClickHouse(t testing.TB) (dsn string) {
	t.Helper()
	need(t, shared.get())
	name := "td_" + strings.ToLower(rand.Text()[:12])
	if err := shared.everywhere(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cleanupLimit)
		defer cancel()
		for _, database := range []string{name, name + "_local"} {
			if err := shared.everywhere(ctx, "DROP DATABASE IF EXISTS "+database+" SYNC"); err != nil {
				t.Error(err)
			}
		}
	})
	return shared.in(name)
}

// execute runs one statement on a separate connection.
func execute(ctx context.Context, dsn, statement string) error {
	options, err := clickhouse.ParseDSN(dsn)
	if err != nil {
		return err
	}
	connection, err := clickhouse.Open(options)
	if err != nil {
		return err
	}
	defer connection.Close()
	if err := connection.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// NATS connects to a separate JetStream with an empty store. Both end with the test.
func NATS(t testing.TB) *nats.Conn {
	t.Helper()
	connection, err := Broker(t, broker.Options{}).Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(connection.Close)
	return connection
}

// Broker starts a JetStream server that the test may stop, and start again on the same Dir. An
// empty Dir means a temporary one.
func Broker(t testing.TB, opts broker.Options) *broker.Server {
	t.Helper()
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	if opts.Logger == nil {
		opts.Logger = quiet()
	}
	server, err := broker.Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, server.Stop) })
	return server
}

// Engine starts a ClickHouse that the test may stop or kill. An empty Dir means a temporary one.
func Engine(t testing.TB, opts engine.Options) *engine.Server {
	t.Helper()
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	if opts.Logger == nil {
		opts.Logger = quiet()
	}
	server, err := engine.Start(t.Context(), opts)
	need(t, err)
	t.Cleanup(func() { stop(t, server.Stop) })
	return server
}

// Servers starts local mode for the test. An empty Dir means a temporary one.
func Servers(t testing.TB, opts local.Options) *local.Servers {
	t.Helper()
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	if opts.Logger == nil {
		opts.Logger = quiet()
	}
	servers, err := local.Start(t.Context(), opts)
	need(t, err)
	t.Cleanup(func() { stop(t, servers.Close) })
	return servers
}

func stop(t testing.TB, stop func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), cleanupLimit)
	defer cancel()
	if err := stop(ctx); err != nil {
		t.Error(err)
	}
}
