package backup_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	api "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
)

func TestMain(m *testing.M) { localtest.Main(m) }

// world is an installation: ClickHouse with its directory of backups, and NATS.
type world struct {
	*testing.T
	engine  *engine.Server
	dir     string // of the engine
	db      driver.Conn
	nc      *nats.Conn
	backups string
}

// newWorld starts an installation without tables.
func newWorld(t *testing.T, backups string) *world {
	t.Helper()
	w := &world{T: t, backups: backups, dir: t.TempDir()}
	w.engine = localtest.Engine(t, engine.Options{Dir: w.dir, Backups: backups, MemoryLimit: 1 << 30})
	w.db = w.open(w.engine.DSN())
	w.nc = localtest.NATS(t)
	return w
}

func (w *world) open(dsn string) driver.Conn {
	w.Helper()
	db, err := clickhouse.Open(dsn)
	w.must(err)
	w.Cleanup(func() { db.Close() })
	return db
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) exec(statement string, args ...any) {
	w.Helper()
	if err := w.db.Exec(w.Context(), fmt.Sprintf(statement, args...)); err != nil {
		w.Fatalf("%s: %v", fmt.Sprintf(statement, args...), err)
	}
}

// frames stores frames of sessions s0…s3 of tenants t0…t2: n for each session, from a
// sequence on.
func (w *world) frames(from, n int) {
	w.Helper()
	w.exec(`INSERT INTO frames (tenant, session_id, stream_id, seq, stream_started, captured_at, direction, transport, type, raw)
		SELECT 't' || toString(intDiv(number, 4) %% 3), 's' || toString(number %% 4), '019aa2c4-8000-7abc-8def-0123456789a' || toString(number %% 4),
		%d + intDiv(number, 12), '2025-11-20 19:36:18', toDateTime64('2025-11-21 00:00:00', 9) + number, 'receive', 'sse', 'delta',
		'{"n":' || toString(number) || ',"text":"' || toString(sipHash64(number)) || '"}' FROM numbers(%d)`, from, 12*n)
	w.exec(`INSERT INTO streams (tenant, session_id, stream_id, first_seq, stream_started, version, frames, tags)
		SELECT DISTINCT tenant, session_id, stream_id, 1, stream_started, %d, %d, map('k', tenant) FROM frames`, from+n, from+n)
}

// installed migrates the tables and stores recordings, prices, an audit entry and tokens.
func installed(t *testing.T, backups string) *world {
	w := newWorld(t, backups)
	_, err := clickhouse.Migrate(t.Context(), w.db)
	w.must(err)
	w.frames(0, 50)
	w.exec(`INSERT INTO price_tables SELECT 'h', now64(9), 'p.yaml', 'file', 'text'`)
	w.put("TAPEDECK_TOKENS", "token.1", `{"id":"1"}`)
	w.put("TAPEDECK_BILLS", "a", "bill")
	return w
}

func (w *world) put(bucket, key, value string) {
	w.Helper()
	js, err := jetstream.New(w.nc)
	w.must(err)
	kv, err := js.CreateOrUpdateKeyValue(w.Context(), jetstream.KeyValueConfig{Bucket: bucket})
	w.must(err)
	_, err = kv.Put(w.Context(), key, []byte(value))
	w.must(err)
}

func (w *world) get(bucket, key string) string {
	w.Helper()
	js, err := jetstream.New(w.nc)
	w.must(err)
	kv, err := js.KeyValue(w.Context(), bucket)
	w.must(err)
	e, err := kv.Get(w.Context(), key)
	w.must(err)
	return string(e.Value())
}

func target(t *testing.T, name string) backup.Target {
	t.Helper()
	to, err := backup.ParseTarget(name, backup.Keys{})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// backUp writes a backup, incremental if base is not "".
func (w *world) backUp(name, base string) *backup.Manifest {
	w.Helper()
	o := backup.Options{DB: w.db, NATS: w.nc, To: target(w.T, name), Version: "test"}
	if base != "" {
		on := target(w.T, base)
		o.Base = &on
	}
	m, err := backup.Backup(w.Context(), o)
	w.must(err)
	return m
}

func (w *world) restore(name string) (*backup.Restored, error) {
	return backup.Restore(w.Context(), backup.RestoreOptions{DB: w.db, NATS: w.nc, From: target(w.T, name)})
}

// content returns one line for each row of a table, computed by neither side.
func (w *world) content(table string) (text string) {
	w.Helper()
	var final string // one row for each key
	w.must(w.db.QueryRow(w.Context(), "SELECT if(engine = 'MergeTree', '', ' FINAL') FROM system.tables WHERE (database || '.' || name) = if(position({t:String}, '.') > 0, {t:String}, 'default.' || {t:String})",
		api.Named("t", table)).Scan(&final))
	w.must(w.db.QueryRow(w.Context(), "SELECT hex(MD5(arrayStringConcat(arraySort(groupArray(formatRow('TSV', *)))))) || ' ' || toString(count()) FROM "+table+final).Scan(&text))
	return text
}

// databases returns those that backups and restores make.
func (w *world) databases() (list []string) {
	w.Helper()
	w.must(w.db.QueryRow(w.Context(), "SELECT groupArray(name) FROM system.databases WHERE name LIKE '%\\_\\_%'").Scan(&list))
	return list
}

// size returns the bytes of the files below a directory.
func size(t *testing.T, dir string) (n int64) {
	t.Helper()
	err := filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
