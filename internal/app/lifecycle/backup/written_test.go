package backup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/fulltest"
)

// ClickHouse reports a backup to a full place as written, with files that are cut off. Such a
// backup fails: its list of files cannot be read, or a file is shorter than the list states.
func TestFullPlace(t *testing.T) {
	fulltest.Long(t)
	backups := t.TempDir()
	w := installed(t, backups)
	base := target(t, "base")
	w.backUp("base", "")
	w.frames(50, 20)
	for name, cut := range map[string]string{"whole": "", "list": ".backup", "file": "data/tapedeck/frames/*/data.bin"} {
		to := target(t, name)
		_, err := backup.Backup(t.Context(), backup.Options{DB: w.db, NATS: w.nc, To: to, Base: &base, Dir: backups, Step: func(step backup.Step) {
			if cut == "" || step.Name != "checking what was written" {
				return
			}
			paths, err := filepath.Glob(filepath.Join(backups, name, cut))
			if err != nil || len(paths) == 0 {
				t.Errorf("%s: nothing to cut off: %v", name, err)
			}
			for _, path := range paths {
				if err := os.Truncate(path, 0); err != nil {
					t.Error(err)
				}
			}
		}})
		if cut == "" && err != nil || cut != "" && (err == nil || !strings.Contains(err.Error(), "backup is incomplete")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left := w.databases(); len(left) != 0 {
		t.Errorf("left databases %v", left)
	}
}
