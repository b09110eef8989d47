// Package querytest provides a database with recordings to tests of reports.
package querytest

import (
	"cmp"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/schema/clickhouse"
	"tapedeck/schema/lifecycle/tombstone"
)

// Tenant is whose the recordings are.
const Tenant = "acme"

// Start is when the recordings begin, unless a test says otherwise.
var Start = time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)

// At is the time after Start, ns.
func At(after time.Duration) int64 { return Start.Add(after).UnixNano() }

// StreamID makes the id of the nth stream.
func StreamID(n int) string {
	const digits = "0123456789abcdef"
	id := []byte("019cad0a-0000-7000-8000-000000000000")
	for i := len(id) - 1; n > 0; i-- {
		id[i] = digits[n%16]
		n /= 16
	}
	return string(id)
}

// DB is a database with tapedeck's tables, in which nothing is merged: rows
// that were inserted twice stand there twice.
type DB struct {
	Conn driver.Conn
	DSN  string
	t    testing.TB
}

// Open makes tapedeck's tables in the empty database to which the DSN leads.
func Open(t testing.TB, dsn string) *DB {
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
	if _, err := clickhouse.Migrate(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	db := &DB{Conn: conn, DSN: dsn, t: t}
	db.merges("STOP")
	return db
}

// Restore lifts a session's tombstone for its nth stream, as an import does.
func (db *DB) Restore(session string, stream int) {
	db.t.Helper()
	store := tombstone.NewStore(db.Conn)
	gone, err := store.Find(db.t.Context(), tombstone.Key{Tenant: Tenant, Session: session})
	if err == nil {
		err = store.Restore(db.t.Context(), gone, StreamID(stream))
	}
	if err != nil {
		db.t.Fatal(err)
	}
}

// Merge lets ClickHouse merge again, as deletions need.
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

// Add inserts recordings, all of it twice, as a sink does after an answer that
// was lost.
func (db *DB) Add(recordings ...Recording) {
	db.t.Helper()
	db.add(clickhouse.NewBatch, recordings)
}

// AddGeneration inserts recordings as they were decoded anew, all of it twice.
// Readers do not see it before Commit.
func (db *DB) AddGeneration(generation uint64, recordings ...Recording) {
	db.t.Helper()
	db.add(func() *clickhouse.Batch { return clickhouse.NewGeneration(generation) }, recordings)
}

// Commit turns readers to a generation of a stream's part in a session, which
// supersedes the parts that begin with the given frames.
func (db *DB) Commit(generation uint64, r Recording, parts ...uint64) {
	db.t.Helper()
	tenant := cmp.Or(r.Tenant, Tenant)
	err := db.Conn.Exec(db.t.Context(), "INSERT INTO redecodes (tenant, session_id, stream_id, generation, parts) VALUES (?, ?, ?, ?, ?)",
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
			tenant := r.Tenant
			if tenant == "" {
				tenant = Tenant
			}
			if err := batch.Add(tenant, r.block()); err != nil {
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
