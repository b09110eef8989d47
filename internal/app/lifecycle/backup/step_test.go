package backup_test

import (
	"strings"
	"testing"

	"tapedeck/internal/app/lifecycle/backup"
)

// The long steps of a backup and of a drill report how much of them is done, and reach their totals.
func TestSteps(t *testing.T) {
	backups := t.TempDir()
	w := installed(t, backups)
	var list []backup.Step // the last report of each step
	keep := func(s backup.Step) {
		if n := len(list); n > 0 && list[n-1].Name == s.Name {
			if s.Done < list[n-1].Done {
				t.Errorf("%q: %d after %d", s.Name, s.Done, list[n-1].Done)
			}
			list = list[:n-1]
		}
		list = append(list, s)
	}
	check := func(name string, least float64) {
		t.Helper()
		for _, s := range list {
			if strings.HasPrefix(s.Name, name) {
				if part := float64(s.Done) / float64(s.Total); s.Total == 0 || part < least || part > 1 {
					t.Errorf("%q ends at %d of %d", s.Name, s.Done, s.Total)
				}
				return
			}
		}
		t.Errorf("no step %q in %v", name, list)
	}
	_, err := backup.Backup(t.Context(), backup.Options{DB: w.db, NATS: w.nc, To: target(t, "full"), Step: keep})
	w.must(err)
	check("hashing", 0.99)
	check("writing", 0.5)
	_, err = backup.Restore(t.Context(), backup.RestoreOptions{DB: w.db, From: target(t, "full"), Drill: true, Step: keep})
	w.must(err)
	check("comparing", 0.99)
	check("restoring", 0.9)
}
