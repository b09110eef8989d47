package backup_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/fulltest"
)

// internals are what operators must not read: types, codes and places of ClickHouse's code.
var internals = regexp.MustCompile(`::|(?i)exception|errno|code:|stack|version 2|\([A-Z_]+\)`)

// A backup or restore that fails reports in one sentence why, and what to do.
func TestReasons(t *testing.T) {
	fulltest.Long(t)
	backups := t.TempDir()
	w := installed(t, backups)
	w.backUp("good", "")
	w.backUp("next", "good")
	w.must(os.WriteFile(filepath.Join(backups, "file"), []byte("x"), 0o600))
	w.exec("BACKUP TABLE default.frames TO File('foreign')")
	check := func(what string, err error, says string) {
		if err == nil || !regexp.MustCompile(says).MatchString(err.Error()) || internals.MatchString(err.Error()) {
			t.Errorf("%s: %v, want %q", what, err, says)
		}
	}
	var steps []string
	write := func(to, base, says string) {
		o := backup.Options{DB: w.db, NATS: w.nc, To: target(t, to), Dir: backups}
		if base != "" {
			b := target(t, base)
			o.Base = &b
		}
		o.Step = func(step backup.Step) { steps = append(steps, step.Name) }
		_, err := backup.Backup(t.Context(), o)
		check("backup "+to, err, says)
	}
	read := func(from, says string) error {
		_, err := backup.Restore(t.Context(), backup.RestoreOptions{DB: w.db, From: target(t, from), Dir: backups, Drill: true})
		check("restore "+from, err, says)
		return err
	}
	write("good", "", "never overwritten: choose another name$")
	write("x", "none", "no complete backup is there by the name none: check the name")
	if len(steps) > 0 {
		t.Errorf("a name that is taken and a base that is not there are found after %q", steps)
	}
	write("file", "", "a file has that name: choose another one$")
	write("file/x", "", "is a file: choose another name$")
	write("good/x", "", "inside the backup good: choose a name beside it$")
	write("disk:none/x", "", "may not use that place: set <backups>")
	write("http://127.0.0.1:1/bucket/x", "", "the storage does not answer: check its address")
	read("none", "no complete backup is there by the name none")
	read("foreign", "it is no backup of tapedeck, or a part of it is missing: name another one$")
	for _, part := range []string{"data/tapedeck/frames/*/data.bin", "data/tapedeck/frames/*/serialization.json", "metadata/tapedeck/frames.sql", "metadata/tapedeck.sql"} {
		paths, err := filepath.Glob(filepath.Join(backups, "good", part))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no files %s: %v", part, err)
		}
		text, err := os.ReadFile(paths[0])
		w.must(err)
		for _, change := range []func() error{
			func() error { return os.Truncate(paths[0], int64(len(text)/2)) },
			func() error { return os.Remove(paths[0]) },
		} {
			w.must(change())
			if err := read("good", "the backup is damaged: .* is missing, cut off or changed: restore another backup$"); !errors.Is(err, backup.ErrDamaged) {
				t.Errorf("%s: %v", part, err)
			}
			w.must(os.WriteFile(paths[0], text, 0o600))
		}
	}
	w.must(os.Rename(filepath.Join(backups, "good"), filepath.Join(backups, "gone")))
	read("next", "no complete backup is there by the name good")
	write("third", "next", "a backup that next continues is not there: remove third, then make a full backup$")
	w.must(w.engine.Stop(t.Context()))
	read("gone", "ClickHouse does not answer .*: check that it runs")
}
