package snapshot_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tapedeck/ingest/tap/agenthistory/snapshot"
	"tapedeck/ingest/tap/agenthistory/sqlitetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// text returns a text of n bytes that differs with the seed.
func text(seed, n int) string {
	return strings.Repeat(fmt.Sprintf("%d,", seed), n/2+1)[:n]
}

// dump returns the rows of a statement, one as JSON a line. kinds has a letter for each column: t for a text, n for a number.
func dump(db *snapshot.DB, statement, kinds string) (string, error) {
	var b strings.Builder
	err := db.Each(statement, func(r *snapshot.Row) error {
		row := make([]any, len(kinds))
		for i, kind := range kinds {
			if row[i] = any(r.Int(i)); kind == 't' {
				row[i] = r.Text(i)
			}
		}
		raw, err := json.Marshal(row)
		b.Write(append(raw, '\n'))
		return err
	})
	return b.String(), err
}

// read returns the rows of a statement in a state of a database.
func read(ctx context.Context, path, statement, kinds string) (got string, err error) {
	err = snapshot.Read(ctx, path, func(db *snapshot.DB) (err error) {
		got, err = dump(db, statement, kinds)
		return err
	})
	return got, err
}

// expected returns what SQLite says in another process.
func expected(t *testing.T, db *sqlitetest.Database, statement string) string {
	t.Helper()
	var b strings.Builder
	for _, row := range db.Query(statement) {
		raw, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(raw, '\n'))
	}
	return b.String()
}

// same fails if what is read of a database is not what another process says.
func same(t *testing.T, what, path, statement, kinds, want string) {
	t.Helper()
	if got, err := read(t.Context(), path, statement, kinds); err != nil || got != want {
		t.Errorf("%s: %v, %d bytes of rows, want %d", what, err, len(got), len(want))
	}
}

// data returns the contents of a database and its log, and the names of all files beside them. The index of the log is
// changed by all programs that read.
func data(t *testing.T, path string) map[string]string {
	files := sqlitetest.Files(t, path)
	if _, ok := files[path+"-shm"]; ok {
		files[path+"-shm"] = ""
	}
	return files
}

// Rows of all sizes, numbers of all widths, nulls, and columns that were added later, with several sizes of pages.
func TestRows(t *testing.T) {
	for _, size := range []int{512, 4096, 65536} {
		path := filepath.Join(t.TempDir(), "a b?#%.db")
		db := sqlitetest.Open(t, path)
		db.Exec(fmt.Sprintf("PRAGMA page_size=%d", size))
		db.Exec("CREATE TABLE t (id text PRIMARY KEY NOT NULL, n integer, body text)")
		db.Exec("BEGIN")
		for i := range 150 {
			n := []int64{0, 1, -1, 127, -129, 1 << 15, -1 << 22, 1 << 31, -1 << 40, 1 << 50, -1 << 62}[i%11]
			length := []int{0, 1, 60, 300, size - 40, size, 3 * size}[i%7]
			db.Exec("INSERT INTO t VALUES (?, ?, ?)", fmt.Sprintf("é%d", i), n, text(i, length))
		}
		db.Exec("INSERT INTO t VALUES ('null', NULL, NULL)")
		db.Exec("ALTER TABLE t ADD COLUMN later integer")
		db.Exec("INSERT INTO t VALUES ('last', 1, 'y', 42)")
		db.Exec("COMMIT")
		want := expected(t, db, `SELECT id, ifnull(body, ''), ifnull(n, 0), ifnull(later, 0), length(CAST(body AS BLOB)) FROM t WHERE body IS NOT NULL ORDER BY id`)
		same(t, fmt.Sprintf("pages of %d bytes", size), path, "SELECT id, body, n, later, octet_length(body) FROM t WHERE body IS NOT NULL ORDER BY id", "ttnnn", want)
		same(t, "nulls", path, "SELECT id, body, n FROM t WHERE n IS NULL", "ttn", `["null","",0]`+"\n")
		db.Close()
	}
}

// What is committed to the write-ahead log is read while its writer goes on; what is not committed is not. Nothing is changed
// or made, whether the database is open, was closed, or its program was killed.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db := sqlitetest.Open(t, path)
	for _, statement := range []string{"PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0", "CREATE TABLE t (id text PRIMARY KEY, body text)"} {
		db.Exec(statement)
	}
	const all = "SELECT rowid, id, body FROM t ORDER BY rowid"
	for i := range 200 {
		db.Exec("INSERT INTO t VALUES (?, ?)", fmt.Sprint(i), text(i, i*50))
	}
	want := expected(t, db, all)
	unchanged := func(what string) {
		t.Helper()
		before := data(t, path)
		same(t, what, path, all, "ntt", want)
		if after := data(t, path); !maps.Equal(before, after) {
			t.Errorf("%s: the files were changed: %v before, %v after", what, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
		}
	}
	unchanged("in the log")
	db.Exec("PRAGMA cache_size=2") // pages that are not committed go to the log
	db.Exec("BEGIN")
	for i := range 100 {
		db.Exec("UPDATE t SET body = ? WHERE id = ?", text(i, 3000), fmt.Sprint(i))
	}
	unchanged("before the commit")
	err := snapshot.Read(t.Context(), path, func(r *snapshot.DB) error {
		if got, err := dump(r, all, "ntt"); err != nil || got != want {
			return fmt.Errorf("before the commit: %w, %d bytes", err, len(got))
		}
		db.Exec("COMMIT")
		db.Exec("PRAGMA wal_checkpoint(PASSIVE)")
		if got, err := dump(r, all, "ntt"); err != nil || got != want {
			return fmt.Errorf("a commit shows in a read that began before: %w, %d bytes", err, len(got))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	db.Exec("PRAGMA wal_checkpoint(PASSIVE)")
	db.Exec("INSERT INTO t VALUES ('new', 'x')") // begins the log anew
	want = expected(t, db, all)
	unchanged("in a log that began anew")
	db.Kill() // leaves the log
	unchanged("left by a killed program")
	sqlitetest.Remove(t, path+"-shm")
	unchanged("copied without the index of the log")
	db = sqlitetest.Open(t, path)
	db.Exec("INSERT INTO t VALUES ('closed', 'x')")
	want = expected(t, db, all)
	db.Close() // removes the log
	unchanged("closed")
	if names := slices.Sorted(maps.Keys(data(t, path))); len(names) != 1 {
		t.Errorf("the files are %v", names)
	}
}

// Each read shows one state while another program writes, copies its log into the database, and closes and opens it.
func TestStates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db := sqlitetest.Open(t, path)
	db.Exec("PRAGMA journal_mode=WAL")
	db.Exec("CREATE TABLE t (n integer, body text)")
	db.Exec("WITH i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 100) INSERT INTO t SELECT 10, hex(zeroblob(500)) FROM i")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error)
	reads := 0
	go func() {
		for ; ctx.Err() == nil; reads++ {
			got, err := read(context.WithoutCancel(ctx), path, "SELECT sum(n), count(*), min(length(body)) = max(length(body)) - (SELECT 10 - n FROM t WHERE rowid = 1) / 3 FROM t", "nnn")
			if err != nil && !errors.Is(err, snapshot.ErrChanging) || err == nil && got != "[1000,100,1]\n" {
				done <- fmt.Errorf("read %d: %w, %s", reads, err, got)
				return
			}
		}
		close(done)
	}()
	for i := range 40 {
		db.Exec("BEGIN")
		db.Exec("UPDATE t SET n = n - 3, body = body || 'x' WHERE rowid <= 50")
		db.Exec("UPDATE t SET n = n + 3 WHERE rowid > 50")
		db.Exec("COMMIT")
		switch {
		case i%10 == 9:
			db.Close()
			db = sqlitetest.Open(t, path)
		case i%5 == 4:
			db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	t.Logf("%d reads", reads)
}

// A lock is waited for; a change in place that was interrupted is named.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db := sqlitetest.Open(t, path)
	db.Exec("CREATE TABLE t (id text)")
	db.Exec("BEGIN EXCLUSIVE")
	const all = "SELECT id FROM t"
	began := time.Now()
	if _, err := read(t.Context(), path, all, "t"); !errors.Is(err, snapshot.ErrLocked) || time.Since(began) < 2*time.Second {
		t.Errorf("a locked database: %v after %v", err, time.Since(began))
	}
	db.Exec("INSERT INTO t VALUES ('x')")
	got := make(chan string)
	go func() {
		rows, err := "", snapshot.ErrLocked
		for range 5 { // where this process stands still, the lock is held for longer than a read waits
			if errors.Is(err, snapshot.ErrLocked) {
				rows, err = read(context.WithoutCancel(t.Context()), path, all, "t")
			}
		}
		got <- fmt.Sprint(rows, err)
	}()
	time.Sleep(100 * time.Millisecond) // the read waits for the lock, in nearly all runs; the outcome is the same if it does not
	db.Exec("COMMIT")
	if rows := <-got; rows != "[\"x\"]\n<nil>" {
		t.Errorf("a lock that is released: %s", rows)
	}
	db.Exec("PRAGMA cache_size=2")
	db.Exec("BEGIN")
	for i := range 200 {
		db.Exec("INSERT INTO t VALUES (?)", text(i, 1000))
	}
	db.Kill()
	before := data(t, path)
	if _, err := read(t.Context(), path, all, "t"); !errors.Is(err, snapshot.ErrUnfinished) {
		t.Errorf("an interrupted change: %v", err)
	}
	if !maps.Equal(before, data(t, path)) {
		t.Error("the files were changed")
	}
}
