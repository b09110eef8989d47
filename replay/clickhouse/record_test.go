package clickhouse

import (
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/local/localtest"
	"tapedeck/replay"
	"tapedeck/replay/replaytest"
	"tapedeck/schema/block"
	schemaclickhouse "tapedeck/schema/clickhouse"
)

// database is a migrated database of a test's own. Its parts are never merged,
// so that repeats stay.
type database struct {
	t    testing.TB
	dsn  string
	conn driver.Conn
}

func newDatabase(t testing.TB, dsn string) *database {
	t.Helper()
	conn, err := schemaclickhouse.Open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	d := &database{t: t, dsn: dsn, conn: conn}
	if _, err := schemaclickhouse.Migrate(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	d.exec("SYSTEM STOP MERGES frames")
	return d
}

func (d *database) exec(statement string, args ...any) {
	d.t.Helper()
	if err := d.conn.Exec(d.t.Context(), statement, args...); err != nil {
		d.t.Fatalf("%s: %v", statement, err)
	}
}

func (d *database) count(query string) (n uint64) {
	d.t.Helper()
	if err := d.conn.QueryRow(d.t.Context(), query).Scan(&n); err != nil {
		d.t.Fatalf("%s: %v", query, err)
	}
	return n
}

// record inserts frames of a tape in memory as a session's. keep chooses those
// of one insert, so that there are several parts. The streams' states are those
// of the whole tape.
func (d *database) record(tenant, session string, tape *replaytest.Tape, keep func(i int, f *replay.Frame) bool) {
	d.t.Helper()
	client, err := schemaclickhouse.Dial(d.t.Context(), d.dsn)
	if err != nil {
		d.t.Fatal(err)
	}
	defer client.Close()
	batch := schemaclickhouse.NewBatch()
	for _, s := range tape.Streams() {
		b := &block.Block{Tenant: tenant, Session: session, State: s}
		for i, f := range tape.Frames() {
			if f.Stream.StreamID == s.StreamID && (keep == nil || keep(i, &f)) {
				b.Frames = append(b.Frames, f.Frame)
			}
		}
		if err := batch.Add(tenant, b); err != nil {
			d.t.Fatal(err)
		}
	}
	if err := batch.Insert(d.t.Context(), client); err != nil {
		d.t.Fatal(err)
	}
}

// open opens a store of the test's own.
func (d *database) open(opts Options) *Store {
	s := Open(d.dsn, opts)
	d.t.Cleanup(func() { s.Close() })
	return s
}

func shared(t testing.TB) *database { return newDatabase(t, localtest.ClickHouse(t)) }
