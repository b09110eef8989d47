package clickhouse_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/migrate"
)

// coldPolicy is the storage policy of the engine of these tests.
const coldPolicy = "tiers"

func coldEngine(t *testing.T, delay time.Duration) driver.Conn {
	t.Helper()
	endpoint := localtest.S3(t, delay) + "cold/"
	s := localtest.Engine(t, engine.Options{MemoryLimit: 2 << 30, Cold: engine.Cold{
		Policy: coldPolicy, Endpoint: endpoint, KeyID: localtest.S3KeyID, Secret: "secret",
	}})
	conn, err := clickhouse.Open(s.DSN())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// Rows that are older than the setting move to the volume on S3 and are compressed again, whether they
// were stored before the setting or after it; newer ones stay. Both are read, and deleted, as before.
func TestCold(t *testing.T) {
	fulltest.Long(t)
	db := coldEngine(t, 0)
	if _, err := clickhouse.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	const text = `concat('{"n":', toString(seq), ',"text":"', arrayStringConcat(arrayMap(
		word -> ['frame', 'stream', 'tool', 'call', 'answer', 'model', 'file', 'line'][cityHash64(stream_id, seq, word) % 8 + 1], range(40)), ' '), '"}')`
	insert := func(stream, age string) {
		t.Helper()
		err := db.Exec(t.Context(), `INSERT INTO frames (tenant, session_id, stream_id, seq, stream_started, raw)
			SELECT 'acme', 's', stream_id, seq, now() - INTERVAL `+age+`, `+text+` FROM (
				SELECT number AS seq, '`+stream+`' AS stream_id FROM numbers(1000))`)
		if err != nil {
			t.Fatal(err)
		}
	}
	insert("before", "400 DAY")
	insert("recent", "1 DAY")

	apply := func(c migrate.Cold) error {
		_, err := migrate.Apply(t.Context(), db, migrate.Options{Cold: c})
		return err
	}
	const definitions = `SELECT sum(cityHash64(name, engine_full)) FROM system.tables WHERE database = currentDatabase()`
	before := number(t, db, definitions)
	for policy, want := range map[string]string{
		"absent":  "it has no storage policy absent: add it to storage_configuration in ClickHouse's configuration",
		"default": "its storage policy default has no volume cold (it has default): add the volume to the policy",
	} {
		err := apply(migrate.Cold{After: 90 * 24 * time.Hour, Policy: policy})
		if !errors.Is(err, migrate.ErrCold) || !strings.Contains(err.Error(), want) {
			t.Errorf("policy %s: %v, want %q", policy, err, want)
		}
	}
	if number(t, db, definitions) != before {
		t.Error("a refused setting changed the tables")
	}

	cold := migrate.Cold{After: 90 * 24 * time.Hour, Policy: coldPolicy}
	if err := apply(cold); err != nil {
		t.Fatal(err)
	}
	insert("after", "400 DAY")
	bounded.Until(t, "the old rows are on S3", func() bool {
		return number(t, db, "SELECT sum(rows) FROM system.parts WHERE active AND database = currentDatabase() AND table = 'frames' AND disk_name = 'cold'") == 2000
	})
	if err := db.Exec(t.Context(), "OPTIMIZE TABLE frames FINAL"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		where string
		want  uint64
	}{
		{"disk_name = 'cold' AND default_compression_codec = 'ZSTD(9)'", 2000},
		{"disk_name = 'default' AND default_compression_codec = 'ZSTD(3)'", 1000},
	} {
		got := number(t, db, "SELECT sum(rows) FROM system.parts WHERE active AND database = currentDatabase() AND table = 'frames' AND "+c.where)
		if got != c.want {
			t.Errorf("%d rows in parts with %s, want %d", got, c.where, c.want)
		}
	}
	if n := number(t, db, "SELECT count() FROM frames FINAL WHERE raw = "+text); n != 3000 {
		t.Errorf("%d frames are as they were recorded, want 3000", n)
	}

	size := func(disk string) uint64 { // of a row, in thousandths of a byte; nearly all of it is text
		return number(t, db, `SELECT toUInt64(1000 * sum(data_compressed_bytes) / sum(rows)) FROM system.parts
			WHERE active AND database = currentDatabase() AND table = 'frames' AND disk_name = '`+disk+"'")
	}
	if cold, hot := size("cold"), size("default"); cold == 0 || cold*100 > hot*95 {
		t.Errorf("a row takes %d thousandths of a byte cold and %d hot", cold, hot)
	}

	// The same setting once more changes nothing, another age the tables only.
	after := number(t, db, definitions)
	mutations := number(t, db, "SELECT count() FROM system.mutations WHERE database = currentDatabase()")
	if err := apply(cold); err != nil {
		t.Fatal(err)
	}
	if number(t, db, definitions) != after || number(t, db, "SELECT count() FROM system.mutations WHERE database = currentDatabase()") != mutations {
		t.Error("the same setting changed the tables again")
	}
	cold.After = 180 * 24 * time.Hour
	if err := apply(cold); err != nil {
		t.Fatal(err)
	}
	if n := number(t, db, "SELECT countIf(engine_full LIKE '%toIntervalDay(180)%') FROM system.tables WHERE database = currentDatabase()"); n != 4 {
		t.Errorf("%d tables have the other age, want 4", n)
	}

	sync := driver.Context(t.Context(), driver.WithSettings(driver.Settings{"mutations_sync": 2, "lightweight_deletes_sync": 2}))
	if err := db.Exec(sync, "DELETE FROM frames WHERE stream_id = 'before'"); err != nil {
		t.Fatal(err)
	}
	if n := number(t, db, "SELECT count() FROM frames FINAL"); n != 2000 {
		t.Errorf("%d frames after a deletion of cold ones, want 2000", n)
	}
}
