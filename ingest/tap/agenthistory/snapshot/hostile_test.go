package snapshot_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tapedeck/ingest/tap/agenthistory/snapshot"
	"tapedeck/ingest/tap/agenthistory/sqlitetest"
)

// pageSize of the databases that tests damage.
const pageSize = 512

// sample makes a database with n rows, and returns its bytes and the page that the table begins with.
func sample(t testing.TB, n int) (whole []byte, root int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sample.db")
	db := sqlitetest.Open(t, path)
	db.Exec(fmt.Sprintf("PRAGMA page_size=%d", pageSize))
	db.Exec("CREATE TABLE t (id text, body text)")
	db.Exec("WITH i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < ?) INSERT INTO t SELECT i, substr(hex(zeroblob(200)), 1, 100 + i % 250) FROM i", n)
	if _, err := fmt.Sscan(fmt.Sprint(db.Query("SELECT rootpage FROM sqlite_schema")[0][0]), &root); err != nil {
		t.Fatal(err)
	}
	db.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole, root
}

// write writes a file to a folder of the test.
func write(t testing.TB, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "b.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const everything = "SELECT id, body FROM t"

// Files that are no database, or a damaged one, lead to an error or to rows.
func TestDamage(t *testing.T) {
	whole, _ := sample(t, 300)
	for _, n := range []int{0, 50, 100, 511, 512, 5000, len(whole) - pageSize} {
		if _, err := read(t.Context(), write(t, whole[:n]), everything, "tt"); !errors.Is(err, snapshot.ErrForeign) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	for name, content := range map[string]string{"lines": strings.Repeat("{\"no\":\"database\"}\n", 100), "zeros": strings.Repeat("\x00", 1<<16)} {
		if _, err := read(t.Context(), write(t, []byte(content)), everything, "tt"); !errors.Is(err, snapshot.ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		content := append([]byte{}, whole...)
		for range 1 + random.IntN(20) {
			content[16+random.IntN(len(content)-16)] = byte(random.IntN(256))
		}
		_, _ = read(t.Context(), write(t, content), everything, "tt") // texts have no checksum
	}
}

// Pipes in place of the database, or beside it, are not waited for.
func TestPipes(t *testing.T) {
	whole, _ := sample(t, 1)
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		path := write(t, whole)
		if suffix == "" {
			sqlitetest.Remove(t, path)
		}
		if err := syscall.Mkfifo(path+suffix, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := read(t.Context(), path, everything, "tt"); !errors.Is(err, snapshot.ErrForeign) {
			t.Errorf("a pipe as %q: %v", suffix, err)
		}
	}
}

// Views, virtual tables and other columns are refused.
func TestSchemas(t *testing.T) {
	for _, statements := range [][]string{
		{},
		{"CREATE TABLE t (id text)"},
		{"CREATE VIEW t AS SELECT 1 AS id, 2 AS body"},
		{"CREATE VIEW t AS WITH i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i) SELECT i AS id, i AS body FROM i"},
		{"CREATE VIRTUAL TABLE t USING fts5(id, body)"},
		{"CREATE VIRTUAL TABLE t USING rtree(id, body, b)"},
		{"CREATE TABLE t (id text, body text)", "PRAGMA writable_schema=ON", "UPDATE sqlite_schema SET sql = 'CREATE VIEW t AS SELECT 1 AS id, 2 AS body'"},
		{"CREATE TABLE t (id text, body text)", "PRAGMA writable_schema=ON", "UPDATE sqlite_schema SET sql = 'CREATE TABLE t (id text, body text GENERATED ALWAYS AS (load_extension(id)) VIRTUAL)'"},
	} {
		path := filepath.Join(t.TempDir(), "a.db")
		db := sqlitetest.Open(t, path)
		db.Exec("CREATE TABLE other (x)")
		for _, statement := range statements {
			db.Exec(statement)
		}
		db.Close()
		if got, err := read(t.Context(), path, everything, "tt"); !errors.Is(err, snapshot.ErrForeign) {
			t.Errorf("%q: %v, %q", statements, err, got)
		}
	}
}

// looped makes a table of inner pages, each of which has the next as all of its children: depth of them above the leaves.
func looped(t testing.TB, depth int) string {
	t.Helper()
	content, root := sample(t, 3000)
	page := func(n int) []byte { return content[(n-1)*pageSize : n*pageSize] }
	var inner []int
	leaf := 0
	for n := 2; n <= len(content)/pageSize; n++ {
		switch kind := page(n)[0]; {
		case kind == 5 && n != root && len(inner) < depth-1:
			inner = append(inner, n)
		case kind == 13:
			leaf = n
		}
	}
	if len(inner) != depth-1 {
		t.Fatalf("%d inner pages", len(inner))
	}
	for i, n := range append([]int{root}, inner...) {
		child := leaf
		if i < len(inner) {
			child = inner[i]
		}
		p := page(n)
		binary.BigEndian.PutUint32(p[8:], uint32(child))
		for c := range int(binary.BigEndian.Uint16(p[3:])) {
			binary.BigEndian.PutUint32(p[binary.BigEndian.Uint16(p[12+2*c:]):], uint32(child))
		}
	}
	return write(t, content)
}

// Pages in loops do not lead to more rows than the file has room for, nor hold a read up.
func TestLoops(t *testing.T) {
	path := looped(t, 5)
	rows := 0
	err := snapshot.Read(t.Context(), path, func(db *snapshot.DB) error {
		return db.Each(everything, func(*snapshot.Row) error { rows++; return nil })
	})
	if !errors.Is(err, snapshot.ErrForeign) || rows < 1000 || rows > 1<<20 {
		t.Errorf("%v after %d rows", err, rows)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := read(ctx, path, "SELECT id FROM t WHERE body = 'none'", "t"); !errors.Is(err, snapshot.ErrSlow) {
		t.Errorf("rows that are not found: %v after %v", err, time.Since(began))
	}
	content, root := sample(t, 3000)
	p := content[(root-1)*pageSize : root*pageSize]
	binary.BigEndian.PutUint32(p[8:], uint32(root))
	for c := range int(binary.BigEndian.Uint16(p[3:])) {
		binary.BigEndian.PutUint32(p[binary.BigEndian.Uint16(p[12+2*c:]):], uint32(root))
	}
	if _, err := read(t.Context(), write(t, content), everything, "tt"); !errors.Is(err, snapshot.ErrForeign) {
		t.Errorf("a page that is its own child: %v", err)
	}
}

// Large values are not read where a statement asks for their size only, and refused else. SQLite's memory is bounded.
func TestLargeValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db := sqlitetest.Open(t, path)
	db.Exec("CREATE TABLE t (id text, body text)")
	db.Exec("INSERT INTO t VALUES ('large', zeroblob(?)), ('small', 'x')", snapshot.ValueLimit+1)
	db.Close()
	same(t, "sizes", path, "SELECT id, octet_length(body) FROM t", "tn", fmt.Sprintf("[\"large\",%d]\n[\"small\",1]\n", snapshot.ValueLimit+1))
	same(t, "values within a bound", path, "SELECT id, CASE WHEN octet_length(body) <= 100 THEN body END FROM t", "tt", "[\"large\",\"\"]\n[\"small\",\"x\"]\n")
	if _, err := read(t.Context(), path, everything, "tt"); !errors.Is(err, snapshot.ErrForeign) {
		t.Errorf("a large value: %v", err)
	}
	const sorted = "WITH i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 20) SELECT hex(zeroblob(25000000)) || i AS z FROM i ORDER BY z"
	if _, err := read(t.Context(), path, sorted, "t"); !errors.Is(err, snapshot.ErrForeign) || !strings.Contains(err.Error(), "out of memory") {
		t.Errorf("a sort of 1 GB: %v", err)
	}
}

// A database that somebody damaged leads to an error or to rows, of no more bytes than are allowed.
func FuzzRead(f *testing.F) {
	whole, _ := sample(f, 20)
	f.Add(whole, 100, []byte{5})
	f.Add(whole, 16, []byte{0, 1})
	f.Add(whole, pageSize, []byte{13, 0, 0, 0, 1})
	path := filepath.Join(f.TempDir(), "a.db")
	f.Fuzz(func(t *testing.T, content []byte, at int, change []byte) {
		content = append([]byte{}, content...)
		if at >= 0 && at < len(content) {
			copy(content[at:], change)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		size := 0
		_ = snapshot.Read(ctx, path, func(db *snapshot.DB) error {
			return db.Each(everything, func(r *snapshot.Row) error {
				size += len(r.Bytes(0)) + len(r.Bytes(1))
				return nil
			})
		})
		if most := 4*len(content) + 16<<20; size > most {
			t.Errorf("%d bytes of rows of a file of %d bytes", size, len(content))
		}
	})
}
