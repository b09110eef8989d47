// Package clickhousetest provides databases with tapedeck's tables for tests of other packages.
//
// A test uses the database that all tests of its binary share, with a tenant of its own: Shared. A
// test that deletes or merges rows, counts the rows of a whole table, or writes tables without a
// tenant (price_tables, settlements) uses a database of its own: New.
package clickhousetest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
)

// Tenant is the tenant in databases that a test does not share.
const Tenant = "acme"

// DB is a database with tapedeck's tables.
type DB struct {
	DSN    string
	Conn   driver.Conn // closed when the test ends
	Tenant string      // tenant of the test
}

// tenants counts the tenants of the shared database.
var tenants atomic.Uint64

// Shared returns the database that all tests of the binary share, with a tenant that no other
// test has. Tenants of the test besides this one must begin with its name.
func Shared(t testing.TB) *DB {
	t.Helper()
	dsn := localtest.Database(t, migrate)
	return &DB{DSN: dsn, Conn: connect(t, dsn), Tenant: fmt.Sprintf("%s%d", Tenant, tenants.Add(1))}
}

// New returns a database of the test's own, which is dropped when the test ends.
func New(t testing.TB) *DB {
	t.Helper()
	return Migrate(t, localtest.ClickHouse(t))
}

// Migrate creates tapedeck's tables in the empty database of the DSN.
func Migrate(t testing.TB, dsn string) *DB {
	t.Helper()
	conn := connect(t, dsn)
	if _, err := clickhouse.Migrate(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	return &DB{DSN: dsn, Conn: conn, Tenant: Tenant}
}

// migrate creates the tables of the shared database.
func migrate(ctx context.Context, dsn string) (err error) {
	conn, err := clickhouse.Open(dsn)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = clickhouse.Migrate(ctx, conn)
	return err
}

func connect(t testing.TB, dsn string) driver.Conn {
	t.Helper()
	conn, err := clickhouse.Open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn
}
