// Package querytest provides a database with recordings for tests of reports.
package querytest

import (
	"cmp"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/clickhouse/clickhousetest"
	"tapedeck/schema/lifecycle/tombstone"
)

// Tenant is the tenant in databases that a test does not share.
const Tenant = clickhousetest.Tenant

// Start is when recordings begin, unless they state a time.
var Start = time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)

// At returns the time after Start, ns.
func At(after time.Duration) int64 { return Start.Add(after).UnixNano() }

// StreamID returns the id of the nth stream.
func StreamID(n int) string {
	const digits = "0123456789abcdef"
	id := []byte("019cad0a-0000-7000-8000-000000000000")
	for i := len(id) - 1; n > 0; i-- {
		id[i] = digits[n%16]
		n /= 16
	}
	return string(id)
}

// DB is a database with tapedeck's tables in which ClickHouse merges nothing: rows that were
// inserted twice remain stored twice.
type DB struct {
	Conn   driver.Conn
	DSN    string
	Tenant string // tenant of recordings that name none
	t      testing.TB
}

// Open returns the database that all tests of the binary share, with a tenant of the test's own.
func Open(t testing.TB) *DB {
	t.Helper()
	db := wrap(t, clickhousetest.Shared(t))
	stopMerges.Do(func() { db.merges("STOP") })
	return db
}

// stopMerges stops the merges of the shared database once.
var stopMerges sync.Once

// New returns a database of the test's own, for tests that merge or delete rows, count the rows of
// all tenants, or write tables without a tenant.
func New(t testing.TB) *DB {
	t.Helper()
	return In(t, localtest.ClickHouse(t))
}

// In creates tapedeck's tables in the empty database of the DSN.
func In(t testing.TB, dsn string) *DB {
	t.Helper()
	db := wrap(t, clickhousetest.Migrate(t, dsn))
	db.merges("STOP")
	return db
}

func wrap(t testing.TB, db *clickhousetest.DB) *DB {
	return &DB{Conn: db.Conn, DSN: db.DSN, Tenant: db.Tenant, t: t}
}

// Restore lifts a session's tombstone for its nth stream, as an import does.
func (db *DB) Restore(session string, stream int) {
	db.t.Helper()
	store := tombstone.NewStore(db.Conn)
	gone, err := store.Find(db.t.Context(), tombstone.Key{Tenant: db.Tenant, Session: session})
	if err == nil {
		err = store.Restore(db.t.Context(), gone, StreamID(stream))
	}
	if err != nil {
		db.t.Fatal(err)
	}
}

// Merge restarts merges, which deletions need. The database must be the test's own.
func (db *DB) Merge() { db.merges("START") }

func (db *DB) merges(what string) {
	db.t.Helper()
	for _, table := range []string{"frames", "streams", "spans", "messages", "usage"} {
		db.Exec("SYSTEM " + what + " MERGES " + table)
	}
}

// Exec runs a statement.
func (db *DB) Exec(statement string) {
	db.t.Helper()
	if err := db.Conn.Exec(db.t.Context(), statement); err != nil {
		db.t.Fatalf("%s: %v", statement, err)
	}
}

// Add inserts recordings, each of them twice, like a sink that retries an insert after its
// acknowledgement was lost.
func (db *DB) Add(recordings ...Recording) {
	db.t.Helper()
	db.add(clickhouse.NewBatch, recordings)
}

// AddGeneration inserts recordings as a redecode does, each of them twice. Readers do not see them
// before Commit.
func (db *DB) AddGeneration(generation uint64, recordings ...Recording) {
	db.t.Helper()
	db.add(func() *clickhouse.Batch { return clickhouse.NewGeneration(generation) }, recordings)
}

// Commit makes a generation of a stream's share of a session visible to readers. The generation
// supersedes the parts that begin with the given frames.
func (db *DB) Commit(generation uint64, r Recording, parts ...uint64) {
	db.t.Helper()
	tenant := cmp.Or(r.Tenant, db.Tenant)
	err := db.Conn.Exec(db.t.Context(),
		"INSERT INTO redecodes (tenant, session_id, stream_id, generation, parts) VALUES (?, ?, ?, ?, ?)",
		tenant, r.Session, StreamID(r.Stream), generation, parts)
	if err != nil {
		db.t.Fatal(err)
	}
}

func (db *DB) add(newBatch func() *clickhouse.Batch, recordings []Recording) {
	db.t.Helper()
	for range 2 {
		batch := newBatch()
		for i := range recordings {
			r := &recordings[i]
			if err := batch.Add(cmp.Or(r.Tenant, db.Tenant), r.Block()); err != nil {
				db.t.Fatal(err)
			}
		}
		client, err := clickhouse.Dial(db.t.Context(), db.DSN)
		if err != nil {
			db.t.Fatal(err)
		}
		if err := batch.Insert(db.t.Context(), client); err != nil {
			db.t.Error(err)
		}
		if err := client.Close(); err != nil {
			db.t.Error(err)
		}
	}
}
