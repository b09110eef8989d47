package snapshot_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"tapedeck/ingest/tap/agenthistory/sqlitetest"
)

// unprivileged calls f such that permissions of files count, also if root runs the test.
func unprivileged(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() == 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := syscall.Setfsuid(65534); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := syscall.Setfsuid(0); err != nil {
				t.Fatal(err)
			}
		}()
	}
	f()
}

// Databases in a folder in which nothing can be made or changed: open in another program, left by one that was killed,
// copied without the index of the log, and closed.
func TestReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.db")
	db := sqlitetest.Open(t, path)
	db.Exec("PRAGMA journal_mode=WAL")
	db.Exec("CREATE TABLE t (id text)")
	db.Exec("INSERT INTO t VALUES ('x')")
	check := func(what string) {
		t.Helper()
		var list []error
		for file, mode := range map[string]os.FileMode{dir: 0o555, path: 0o444, path + "-wal": 0o444, path + "-shm": 0o444} {
			if err := os.Chmod(file, mode); !errors.Is(err, os.ErrNotExist) {
				list = append(list, err)
			}
		}
		defer os.Chmod(dir, 0o755)
		unprivileged(t, func() {
			if f, err := os.Create(filepath.Join(dir, "new")); err == nil {
				f.Close()
				t.Fatal("the folder is not read-only")
			}
			same(t, what, path, "SELECT id FROM t", "t", "[\"x\"]\n")
		})
		if err := errors.Join(list...); err != nil {
			t.Fatal(err)
		}
	}
	check("open")
	db.Kill()
	check("left by a killed program")
	sqlitetest.Remove(t, path+"-shm")
	check("copied without the index")
	for _, file := range []string{path, path + "-wal"} {
		if err := os.Chmod(file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sqlitetest.Open(t, path).Close()
	db = sqlitetest.Open(t, path)
	db.Query("SELECT id FROM t")
	db.Close()
	check("closed")
}
