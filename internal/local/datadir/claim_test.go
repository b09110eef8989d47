package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/commandline"
)

// fill makes files below a directory; names that end in / are folders.
func fill(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(path, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte("as it was\n"), 0o644))
	}
}

// snapshot returns the names, modes and texts of all files below a directory.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, strings.TrimPrefix(path, dir), info.Mode())
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%q\n", text)
		}
		return nil
	}))
	return b.String()
}

// TestForeignDirectoryIsLeftAlone opens directories that hold other things: nothing in them changes.
func TestForeignDirectoryIsLeftAlone(t *testing.T) {
	for name, files := range map[string][]string{
		"a project":                       {"go.mod", "main.go", ".git/"},
		"a home":                          {".ssh/id_ed25519", ".profile"},
		"one hidden file":                 {".keep"},
		"one folder":                      {"empty/"},
		"a lock of another program":       {"lock"},
		"a lock and a note":               {"lock", "runtime.json"},
		"a lock and other files":          {"lock", "notes.txt"},
		"servers without a lock":          {"clickhouse/config.xml", "nats/jetstream/"},
		"another spool":                   {"spool/mail"},
		"other backups":                   {"backups/2026.tar.gz"},
		"folders of backups":              {"backups/2026/dump.sql"},
		"a token and another file":        {"admin-token", "notes.txt"},
		"a folder named like a role":      {"api/handler.go"},
		"a disk that is in use":           {"lost+found/", "photos/"},
		"a folder with the marker's name": {"tapedeck-data/", "notes.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, dir, files...)
			must(t, os.Chmod(dir, 0o755))
			before := snapshot(t, dir)
			for what, do := range map[string]func(string) error{
				"Check": Check,
				"Claim": Claim,
				"Open": func(path string) error {
					d, err := Open(path)
					if err == nil {
						must(t, d.Close())
					}
					return err
				},
			} {
				err := do(dir)
				_, usage := errors.AsType[commandline.Error](err)
				if err == nil || !usage || !strings.Contains(err.Error(), dir+" is not a data directory of tapedeck, and holds other things (") ||
					!strings.Contains(err.Error(), "--data") {
					t.Errorf("%s: %v", what, err)
				}
			}
			if after := snapshot(t, dir); after != before {
				t.Errorf("it was\n%sand is\n%s", before, after)
			}
		})
	}
}

// TestOwnDirectory opens directories that are empty, or that this or an earlier version made.
func TestOwnDirectory(t *testing.T) {
	for name, files := range map[string][]string{
		"empty":                    nil,
		"a new disk":               {"lost+found/"},
		"marked":                   {MarkerFile, "notes.txt"},
		"local mode":               {"lock", "clickhouse/config.xml", "nats/jetstream/", "spool/lock", "backups/", "admin-token", "notes.txt"},
		"local mode, killed early": {"lock", "runtime.json", "nats/jetstream/"},
		"serve":                    {"spool/lock", "spool/00000000000000a7.spool", "admin-token"},
		"serve with a token":       {"admin-token"},
		"a spool with set aside":   {"spool/0000000000000001.refused", "spool/0000000000000002.damaged"},
		"backups to be restored":   {"backups/2026-11-23/.backup", "backups/daily/2026-11-24/.backup"},
		"roles of the package":     {"ingest/spool/lock", "sink/", "api/admin-token"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, dir, files...)
			must(t, os.Chmod(dir, 0o755))
			for range 2 {
				d, err := Open(dir)
				must(t, err)
				must(t, d.Close())
				must(t, Check(dir))
			}
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if !isFile(dir, MarkerFile) {
				t.Error("it is not marked")
			}
		})
	}
}

// TestClaim makes a directory that is missing for its owner only, and keeps the mode of one that is there.
func TestClaim(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	must(t, Check(dir))
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Check made the directory: %v", err)
	}
	must(t, Claim(dir))
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 || !isFile(dir, MarkerFile) {
		t.Errorf("mode %v, %v, marker %v", info.Mode(), err, isFile(dir, MarkerFile))
	}
	must(t, os.Chmod(dir, 0o750))
	must(t, Claim(dir))
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	file := filepath.Join(dir, MarkerFile)
	if err := Claim(file); err == nil || !strings.Contains(err.Error(), "--data") {
		t.Errorf("a file: %v", err)
	}
}
