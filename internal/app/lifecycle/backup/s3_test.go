package backup_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema/tables"
)

// Backups of an installation in an S3-compatible storage, one of them incremental, are restored
// and verified from there.
func TestS3(t *testing.T) {
	fulltest.Long(t)
	bucket := localtest.S3(t, 0)
	const secret = "a1b2c3d4secretKEYofTESTER"
	place := func(name string) backup.Target {
		to, err := backup.ParseTarget(bucket+name, backup.Keys{ID: "tester", Secret: secret})
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
	from := installed(t, "")
	full, hourly := place("full"), place("hourly/1")
	_, err := backup.Backup(t.Context(), backup.Options{DB: from.db, NATS: from.nc, To: full, Version: "test"})
	from.must(err)
	if _, err := backup.Backup(t.Context(), backup.Options{DB: from.db, NATS: from.nc, To: full}); err == nil || !strings.Contains(err.Error(), "never overwritten") {
		t.Errorf("a place that is taken: %v", err)
	}
	from.frames(50, 50)
	m, err := backup.Backup(t.Context(), backup.Options{DB: from.db, NATS: from.nc, To: hourly, Base: &full, Version: "test"})
	from.must(err)
	if m.Frames != 1200 || m.Base != bucket+"full" {
		t.Errorf("manifest %+v", m)
	}

	to := newWorld(t, "")
	_, err = backup.Restore(t.Context(), backup.RestoreOptions{DB: to.db, From: hourly, Drill: true})
	to.must(err)
	_, err = backup.Restore(t.Context(), backup.RestoreOptions{DB: to.db, NATS: to.nc, From: hourly})
	to.must(err)
	for _, table := range tables.All {
		if got, want := to.content(table.Name), from.content(table.Name); got != want {
			t.Errorf("%s: %s, want %s", table.Name, got, want)
		}
	}
	if to.get("TAPEDECK_BILLS", "a") != "bill" {
		t.Error("the entries of buckets differ")
	}

	stranger, err := backup.ParseTarget(bucket+"x", backup.Keys{ID: "stranger", Secret: secret})
	from.must(err)
	if _, err := backup.Backup(t.Context(), backup.Options{DB: from.db, NATS: from.nc, To: stranger}); err == nil ||
		!strings.Contains(err.Error(), "the storage refuses the key") || strings.Contains(err.Error(), secret) {
		t.Errorf("another key: %v", err)
	}
	none := place("none")
	if _, err := backup.Restore(t.Context(), backup.RestoreOptions{DB: to.db, From: none, Drill: true}); err == nil || !strings.Contains(err.Error(), "no complete backup is there") {
		t.Errorf("a backup that is not there: %v", err)
	}
	for _, w := range []*world{from, to} {
		if left := w.databases(); len(left) != 0 {
			t.Errorf("left the databases %v", left)
		}
		err := filepath.Walk(w.dir, func(path string, info os.FileInfo, err error) error {
			if err != nil || !info.Mode().IsRegular() {
				return nil // removed meanwhile
			}
			if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(secret)) {
				t.Errorf("the secret of the storage is in %s", path)
			}
			return nil
		})
		from.must(err)
	}
}
