package sqlitefile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"tapedeck/ingest/history/sqlitefile"
	"tapedeck/ingest/history/sqlitefile/sqlitefiletest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// text returns a text of n bytes that differs with the seed.
func text(seed, n int) string {
	return strings.Repeat(fmt.Sprintf("%d,", seed), n/2+1)[:n]
}

// open opens a file that the test closes.
func open(t *testing.T, path string) *sqlitefile.File {
	t.Helper()
	f, err := sqlitefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// dump reads the columns of a table as JSON, one row a line, and each row once more by its id.
func dump(t *testing.T, f *sqlitefile.File, name string, texts, numbers []string) string {
	t.Helper()
	table, err := f.Table(name)
	if err != nil {
		t.Fatal(err)
	}
	line := func(r *sqlitefile.Row) string {
		row := []any{r.ID}
		for _, c := range texts {
			i, err := table.Column(c)
			if err != nil {
				t.Fatal(err)
			}
			text, err := r.Text(i)
			if err != nil || int64(len(text)) != r.Size(i) {
				t.Fatalf("%d bytes of %d, %v", len(text), r.Size(i), err)
			}
			row = append(row, text)
		}
		for _, c := range numbers {
			i, err := table.Column(c)
			if err != nil {
				t.Fatal(err)
			}
			n, err := r.Int(i)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, n)
		}
		raw, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw) + "\n"
	}
	var b strings.Builder
	rows := map[int64]string{}
	if err := table.Scan(func(r *sqlitefile.Row) error {
		rows[r.ID] = line(r)
		b.WriteString(rows[r.ID])
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for id, want := range rows {
		if r, err := table.Row(id); err != nil || r == nil || line(r) != want {
			t.Fatalf("row %d: %v", id, err)
		}
	}
	if r, err := table.Row(1 << 40); err != nil || r != nil {
		t.Errorf("a row that is not there: %v, %v", r, err)
	}
	return b.String()
}

// expected returns what SQLite itself says.
func expected(t *testing.T, db *sqlitefiletest.Database, statement string) string {
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

// Rows of all sizes, numbers of all widths, nulls, and columns that were added later, with
// several sizes of pages.
func TestRows(t *testing.T) {
	for _, size := range []int{512, 4096, 65536} {
		path := filepath.Join(t.TempDir(), "a.db")
		db := sqlitefiletest.Open(t, path)
		db.Exec(fmt.Sprintf("PRAGMA page_size=%d", size))
		db.Exec("CREATE TABLE other (x)")
		db.Exec("CREATE TABLE `t` (\n\t`id` text PRIMARY KEY NOT NULL, -- the id\n\t\"a \"\"b\"\"\" text DEFAULT (')' || 'x'), [n] integer, body text, CHECK (n <> 5))")
		db.Exec("BEGIN")
		for i := range 150 {
			n := []int64{0, 1, -1, 127, -129, 1 << 15, -1 << 22, 1 << 31, -1 << 40, 1 << 50, -1 << 62}[i%11]
			length := []int{0, 1, 60, 300, size - 40, size, 3 * size}[i%7]
			db.Exec("INSERT INTO t VALUES (?, ?, ?, ?)", fmt.Sprintf("id_%d", i), "é", n, text(i, length))
		}
		db.Exec("DELETE FROM t WHERE rowid % 7 = 3")
		db.Exec("INSERT INTO t VALUES ('null', NULL, NULL, NULL)")
		db.Exec("ALTER TABLE t ADD COLUMN later integer")
		db.Exec("INSERT INTO t VALUES ('last', 'x', 1, 'y', 42)")
		db.Exec("COMMIT")
		want := expected(t, db, `SELECT rowid, id, ifnull("a ""b""", ''), ifnull(body, ''), ifnull(n, 0), ifnull(later, 0) FROM t ORDER BY rowid`)
		f := open(t, path)
		if got := dump(t, f, "t", []string{"id", `a "b"`, "body"}, []string{"n", "later"}); got != want {
			t.Errorf("pages of %d bytes: %d bytes of rows, want %d", size, len(got), len(want))
		}
		if !f.Unchanged() {
			t.Error("it changed")
		}
		if _, err := f.Table("none"); !errors.Is(err, sqlitefile.ErrMissing) {
			t.Errorf("a table that is not there: %v", err)
		}
		db.Close()
	}
}

// What is committed to the write-ahead log is read while its writer goes on, without a change of
// any file; what is not committed is not.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db := sqlitefiletest.Open(t, path)
	for _, statement := range []string{"PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0", "CREATE TABLE t (id text PRIMARY KEY, body text)"} {
		db.Exec(statement)
	}
	const all = "SELECT rowid, id, body FROM t ORDER BY rowid"
	columns := []string{"id", "body"}
	for i := range 200 {
		db.Exec("INSERT INTO t VALUES (?, ?)", fmt.Sprint(i), text(i, i*50))
	}
	want := expected(t, db, all)
	before := sqlitefiletest.Files(t, path)
	f := open(t, path)
	if got := dump(t, f, "t", columns, nil); got != want {
		t.Error("the rows of the log differ")
	}
	if after := sqlitefiletest.Files(t, path); !maps.Equal(before, after) {
		t.Errorf("files were changed: %d before, %d after", len(before), len(after))
	}
	db.Exec("PRAGMA cache_size=2") // pages that are not committed go to the log
	db.Exec("BEGIN")
	for i := range 100 {
		db.Exec("UPDATE t SET body = ? WHERE id = ?", text(i, 3000), fmt.Sprint(i))
	}
	if got := dump(t, open(t, path), "t", columns, nil); got != want {
		t.Error("rows were read that are not committed")
	}
	db.Exec("COMMIT")
	// The state that was opened stays until the log is copied into the database.
	if got := dump(t, f, "t", columns, nil); got != want || !f.Unchanged() {
		t.Errorf("a later commit changed what was opened; unchanged: %v", f.Unchanged())
	}
	later := open(t, path)
	db.Exec("PRAGMA wal_checkpoint(PASSIVE)")
	db.Exec("INSERT INTO t VALUES ('new', 'x')") // begins the log anew
	if f.Unchanged() || later.Unchanged() {
		t.Errorf("the log began anew, and %v %v", f.Unchanged(), later.Unchanged())
	}
	want = expected(t, db, all)
	if got := dump(t, open(t, path), "t", columns, nil); got != want {
		t.Error("the rows after the log began anew differ")
	}
	db.Kill() // leaves the log
	f = open(t, path)
	if got := dump(t, f, "t", columns, nil); got != want || !f.Unchanged() {
		t.Error("the rows that a killed program left differ")
	}
	db = sqlitefiletest.Open(t, path)
	db.Exec("INSERT INTO t VALUES ('closed', 'x')")
	want = expected(t, db, all)
	db.Close() // removes the log
	if f.Unchanged() {
		t.Error("the log was removed, and it is unchanged")
	}
	if got := dump(t, open(t, path), "t", columns, nil); got != want {
		t.Error("the rows without a log differ")
	}
}

// A database without a log that is being written is busy.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db := sqlitefiletest.Open(t, path)
	db.Exec("CREATE TABLE t (id text)")
	f := open(t, path)
	db.Exec("PRAGMA cache_size=2")
	db.Exec("BEGIN")
	for i := range 200 {
		db.Exec("INSERT INTO t VALUES (?)", text(i, 1000))
	}
	if _, err := sqlitefile.Open(path); !errors.Is(err, sqlitefile.ErrBusy) {
		t.Errorf("while it is written: %v", err)
	}
	if f.Unchanged() {
		t.Error("it is being written, and is unchanged")
	}
	db.Exec("COMMIT")
	if got, want := dump(t, open(t, path), "t", []string{"id"}, nil), expected(t, db, "SELECT rowid, id FROM t"); got != want {
		t.Error("the rows differ")
	}
	db.Close()
}

// Files that are no database, or a damaged one, lead to an error, and to no panic or loop.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	db := sqlitefiletest.Open(t, path)
	db.Exec("PRAGMA page_size=512")
	db.Exec("CREATE TABLE t (id text PRIMARY KEY, body text)")
	db.Exec("BEGIN")
	for i := range 300 {
		db.Exec("INSERT INTO t VALUES (?, ?)", fmt.Sprint(i), text(i, i*5))
	}
	db.Exec("COMMIT")
	db.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	readAll := func(content []byte) error {
		damaged := filepath.Join(dir, "b.db")
		if err := os.WriteFile(damaged, content, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := sqlitefile.Open(damaged)
		if err != nil {
			return err
		}
		defer f.Close()
		table, err := f.Table("t")
		if err != nil {
			return err
		}
		return table.Scan(func(r *sqlitefile.Row) error {
			_, err := r.Text(1)
			if _, byID := table.Row(r.ID); err == nil {
				err = byID
			}
			return err
		})
	}
	for _, n := range []int{0, 50, 100, 511, 512, 5000, len(whole) - 512} {
		if err := readAll(whole[:n]); !errors.Is(err, sqlitefile.ErrFormat) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	if err := readAll([]byte(strings.Repeat("{\"no\":\"database\"}\n", 100))); !errors.Is(err, sqlitefile.ErrFormat) {
		t.Errorf("another file: %v", err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		content := append([]byte{}, whole...)
		for range 1 + random.IntN(20) {
			content[16+random.IntN(len(content)-16)] = byte(random.IntN(256))
		}
		_ = readAll(content) // it may also be read: texts have no checksum
	}
	pipe := filepath.Join(dir, "pipe.db")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlitefile.Open(pipe); !errors.Is(err, sqlitefile.ErrFormat) {
		t.Errorf("a pipe: %v", err)
	}
}
