package backup_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/fulltest"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/migrate"
)

// dying is a connection whose process ends: after a number of statements that put tables in place
// none is executed any more.
type dying struct {
	driver.Conn
	placing bool
	left    int
}

func (d *dying) Exec(ctx context.Context, statement string, args ...any) error {
	d.placing = d.placing || strings.Contains(statement, migrate.Placing)
	if d.placing {
		if d.left--; d.left < 0 {
			return errors.New("killed")
		}
	}
	return d.Conn.Exec(ctx, statement, args...)
}

// A restore that is killed while it puts tables in place leaves a database that programs do not use, and
// that the next restore clears and fills, whichever way tables are put in place.
func TestKilledRestore(t *testing.T) {
	fulltest.Long(t)
	backups := t.TempDir()
	from := installed(t, backups)
	from.backUp("full", "")
	want := from.content("frames")
	to := newWorld(t, backups)
	to.exec("CREATE DATABASE other")
	for into, lefts := range map[string][]int{"default": {1, 30}, "other": {10}} { // by links, and by renaming
		for _, left := range lefts { // the mark alone, and some tables
			for _, table := range to.tables(into) {
				to.exec("DROP TABLE %s.%s SYNC", into, table)
			}
			o := backup.RestoreOptions{DB: &dying{Conn: to.db, left: left}, From: target(t, "full"), Into: into}
			if _, err := backup.Restore(t.Context(), o); err == nil {
				t.Fatalf("%s: a restore that was killed after %d statements succeeds", into, left)
			}
			db := to.open(strings.Replace(to.engine.DSN(), "/default", "/"+into, 1))
			s, err := migrate.Read(t.Context(), db, migrate.Options{})
			if err != nil || !errors.Is(s.Check(), migrate.ErrRestoring) {
				t.Errorf("%s, killed after %d statements: %v", into, left, err)
			}
			if _, err := clickhouse.Migrate(t.Context(), db); !errors.Is(err, migrate.ErrRestoring) {
				t.Errorf("%s, killed after %d statements: migrations: %v", into, left, err)
			}
			o.DB = to.db
			if _, err := backup.Restore(t.Context(), o); err != nil {
				t.Fatalf("%s, killed after %d statements, again: %v", into, left, err)
			}
			if got := to.content(into + ".frames"); got != want {
				t.Errorf("%s: frames %s, want %s", into, got, want)
			}
			if _, err := clickhouse.Migrate(t.Context(), db); err != nil {
				t.Error(err)
			}
		}
	}
}

// tables returns those of a database.
func (w *world) tables(database string) (list []string) {
	w.Helper()
	w.must(w.db.QueryRow(w.Context(), "SELECT groupArray(name) FROM system.tables WHERE database = '"+database+"'").Scan(&list))
	return list
}

// A symbolic link inside the directory of backups is not followed.
func TestLinks(t *testing.T) {
	backups, elsewhere := t.TempDir(), t.TempDir()
	from := installed(t, backups)
	from.must(os.Symlink(elsewhere, filepath.Join(backups, "away")))
	_, err := backup.Backup(t.Context(), backup.Options{DB: from.db, NATS: from.nc, To: target(t, "away/x"), Dir: backups})
	if err == nil || !strings.Contains(err.Error(), "symbolic link "+filepath.Join(backups, "away")) {
		t.Errorf("a backup behind a link: %v", err)
	}
	if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) != 0 {
		t.Errorf("%s has %v, %v", elsewhere, entries, err)
	}
	if _, err = backup.Restore(t.Context(), backup.RestoreOptions{DB: from.db, From: target(t, "away/x"), Dir: backups, Drill: true}); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a restore from behind a link: %v", err)
	}
}
