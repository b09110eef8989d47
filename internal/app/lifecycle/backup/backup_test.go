package backup_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/fulltest"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/lifecycle/retention"
	"tapedeck/schema/tables"
)

// What is restored into an empty installation is what was backed up, also from an incremental
// backup, while the source has gone on.
func TestRestore(t *testing.T) {
	backups := t.TempDir()
	from := installed(t, backups)
	full := from.backUp("full", "")
	if full.Sessions != 12 || full.Frames != 600 || full.Base != "" {
		t.Errorf("manifest %+v", full)
	}
	from.frames(25, 50) // half of them repeat, so 25 are new for each session
	before := map[string]string{}
	for _, table := range tables.All {
		before[table.Name] = from.content(table.Name)
	}
	next := from.backUp("hourly/1", "full")
	if next.Frames != 900 || next.Base != "full" {
		t.Errorf("manifest %+v", next)
	}
	from.frames(900, 10) // not in any backup
	if all, more := size(t, filepath.Join(backups, "full")), size(t, filepath.Join(backups, "hourly/1")); more == 0 || all == 0 {
		t.Errorf("a full backup of %d bytes, an increment of %d", all, more)
	}
	if left := from.databases(); len(left) != 0 {
		t.Errorf("backups left the databases %v", left)
	}

	to := newWorld(t, backups)
	_, err := clickhouse.Migrate(t.Context(), to.db) // as a server that was started once has done
	to.must(err)
	to.put("TAPEDECK_TOKENS", "token.2", "made here")
	r, err := to.restore("hourly/1")
	to.must(err)
	if r.Manifest.ID != next.ID || r.Entries != 2 {
		t.Errorf("restored %+v", r)
	}
	for _, table := range tables.All {
		if got := to.content(table.Name); got != before[table.Name] {
			t.Errorf("%s: %s, want %s", table.Name, got, before[table.Name])
		}
	}
	if to.get("TAPEDECK_TOKENS", "token.1") != `{"id":"1"}` || to.get("TAPEDECK_TOKENS", "token.2") != "made here" || to.get("TAPEDECK_BILLS", "a") != "bill" {
		t.Error("the entries of buckets differ")
	}
	if left := to.databases(); len(left) != 0 {
		t.Errorf("the restore left the databases %v", left)
	}

	// Again: the installation is not empty now. A drill succeeds all the same.
	if _, err := to.restore("full"); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a second restore: %v", err)
	}
	_, err = backup.Restore(t.Context(), backup.RestoreOptions{DB: to.db, From: target(t, "full"), Drill: true})
	to.must(err)
	if got := to.content("frames"); got != before["frames"] {
		t.Error("a drill changed the installation")
	}
	_, err = backup.Restore(t.Context(), backup.RestoreOptions{DB: to.db, From: target(t, "full"), Into: "other"})
	to.must(err)
	if got := to.content("other.frames"); !strings.HasSuffix(got, " 600") {
		t.Errorf("restored into another database: %s", got)
	}
}

// Sessions that were erased after a backup stay erased when a later backup is known. What expired after it
// is deleted once more, and what expired before is not.
func TestErasures(t *testing.T) {
	fulltest.Long(t)
	backups := t.TempDir()
	w := installed(t, backups)
	const expire = `INSERT INTO expirations (tenant, session_id, kind, until, expired_at, bytes, finished) VALUES ('t1', '%s', 'frames', 'ffffffff', '%s', %d, 1)`
	w.exec(expire, "s0", "2026-01-01 00:00:00", 10)
	w.backUp("old", "")
	w.exec(expire, "s1", "2026-02-01 00:00:00", 10)
	w.exec(expire, "s1", "2026-02-02 00:00:00", 20)
	w.exec(`INSERT INTO tombstones (tenant, session_id, until, deleted_at, finished, erasure) VALUES ('t1', 's2', 'ffffffff', now64(9), 1, 'e1')`)
	w.exec(`ALTER TABLE frames DELETE WHERE tenant = 't1' AND session_id = 's2' SETTINGS mutations_sync = 2`)
	w.backUp("new", "old")

	to := newWorld(t, backups)
	later := target(t, "new")
	r, err := backup.Restore(t.Context(), backup.RestoreOptions{DB: to.db, From: target(t, "old"), Erasures: &later})
	to.must(err)
	if r.Erasures == nil || r.Erasures.Tombstones != 1 || to.content("tombstones") != w.content("tombstones") {
		t.Errorf("erasures %+v", r.Erasures)
	}
	list, err := retention.NewStore(to.db).Unfinished(t.Context(), 10)
	to.must(err)
	if len(list) != 1 || list[0].Session != "s1" || list[0].Bytes != 20 {
		t.Errorf("expirations of which the data is to be deleted: %+v", list)
	}
}

// Every way in which a backup cannot be restored leaves the installation empty and is reported with the cause.
func TestRefusals(t *testing.T) {
	fulltest.Long(t)
	backups := t.TempDir()
	from := installed(t, backups)
	from.backUp("good", "")
	if _, err := backup.Backup(t.Context(), backup.Options{DB: from.db, NATS: from.nc, To: target(t, "good")}); err == nil || !strings.Contains(err.Error(), "never overwritten") {
		t.Errorf("a place that is taken: %v", err)
	}
	none := target(t, "none")
	if _, err := backup.Backup(t.Context(), backup.Options{DB: from.db, NATS: from.nc, To: target(t, "x"), Base: &none}); err == nil || !strings.Contains(err.Error(), "no complete backup is there") {
		t.Errorf("a base that is not there: %v", err)
	}
	from.exec(`INSERT INTO schema_migrations (version, name, checksum, applied) VALUES (9999, 'later', 'x', now64(3))`)
	from.backUp("newer", "")

	to := newWorld(t, backups)
	for name, says := range map[string]string{
		"none":  "no complete backup is there",
		"newer": "with schema 9999",
	} {
		if _, err := to.restore(name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
	}
	// The list of files is written last: without it the backup was interrupted.
	from.must(os.Rename(filepath.Join(backups, "good/.backup"), filepath.Join(backups, "good/kept")))
	if _, err := to.restore("good"); err == nil || !strings.Contains(err.Error(), "no complete backup") {
		t.Errorf("without the list of files: %v", err)
	}
	from.must(os.Rename(filepath.Join(backups, "good/kept"), filepath.Join(backups, "good/.backup")))

	// One byte of the frames, and of the manifest's sums.
	for _, table := range []string{"frames", "backup_sums", "streams"} {
		files, err := filepath.Glob(filepath.Join(backups, "good/data/tapedeck", table, "*", "data.bin"))
		if err == nil && len(files) == 0 {
			files, err = filepath.Glob(filepath.Join(backups, "good/data/tapedeck", table, "*", "*.bin"))
		}
		if err != nil || len(files) == 0 {
			t.Fatalf("no files of %s: %v", table, err)
		}
		flip(t, files[0])
		_, err = to.restore("good")
		if err == nil || !errors.Is(err, backup.ErrDamaged) || !strings.Contains(err.Error(), table) {
			t.Errorf("a flipped byte of %s: %v", table, err)
		}
		flip(t, files[0])
		if left := to.databases(); len(left) != 0 {
			t.Errorf("the restore left the databases %v", left)
		}
	}
	var n uint64
	to.must(to.db.QueryRow(t.Context(), "SELECT count() FROM system.tables WHERE database = 'default'").Scan(&n))
	if n != 0 {
		t.Errorf("refused restores left %d tables", n)
	}
	_, err := to.restore("good") // undamaged again
	to.must(err)
}

// flip changes a byte in the middle of a file; a second time it changes it back.
func flip(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 0x10
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
