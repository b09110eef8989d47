package migrate

import (
	"slices"
	"strings"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/fulltest"
	"tapedeck/schema/migrations"
)

const readTestViews = "SELECT concat(name, ' ', as_select) FROM system.tables WHERE database = currentDatabase() AND engine = 'View' ORDER BY name"

// A restored database has the tables and the list of migrations, and no views: they are made.
func TestMissingViews(t *testing.T) {
	_, conn := database(t)
	if _, err := Apply(t.Context(), conn, Options{}); err != nil {
		t.Fatal(err)
	}
	want := texts(t, conn, readTestViews)
	if len(want) < 5 {
		t.Fatalf("the views are %q", want)
	}
	for _, lost := range [][]string{{"reports_sessions"}, texts(t, conn, "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'View'")} {
		for _, name := range lost {
			do(t, conn, "DROP VIEW "+name)
		}
		if names, err := Apply(t.Context(), conn, Options{}); err != nil || len(names) > 0 {
			t.Fatalf("applied %q, %v", names, err)
		}
		got := texts(t, conn, readTestViews)
		if len(got) != len(want) {
			t.Fatalf("%d views, want %d", len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s\nwant %s", got[i], want[i])
			}
		}
	}
}

// Views of applied migrations are made before the migrations that read them, in the text of those that are applied.
func TestMissingViewsBeforeMigrations(t *testing.T) {
	_, conn := database(t)
	list := []migrations.Migration{
		{Version: 1, Name: "0001_a", Text: "1", Statements: []string{
			"CREATE TABLE IF NOT EXISTS a (x UInt8) ENGINE = MergeTree ORDER BY x",
			"CREATE VIEW IF NOT EXISTS v AS SELECT x FROM a",
			"CREATE VIEW IF NOT EXISTS w AS SELECT x FROM v"}},
		{Version: 2, Name: "0002_b", Text: "2", Statements: []string{
			"CREATE OR REPLACE VIEW w AS SELECT x, 1 AS y FROM v",
			"ALTER TABLE a ADD COLUMN IF NOT EXISTS z UInt8",
			"CREATE OR REPLACE VIEW v AS SELECT x, z FROM a"}},
	}
	if _, err := Apply(t.Context(), conn, Options{Migrations: list[:1]}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"w", "v"} {
		do(t, conn, "DROP VIEW "+name)
	}
	if names, err := Apply(t.Context(), conn, Options{Migrations: list}); err != nil || len(names) != 1 {
		t.Fatalf("applied %q, %v", names, err)
	}
	columns := texts(t, conn, "SELECT concat(table, '.', name) FROM system.columns WHERE database = currentDatabase() AND table IN ('v', 'w') ORDER BY table, position")
	if want := []string{"v.x", "v.z", "w.x", "w.y"}; !slices.Equal(columns, want) {
		t.Errorf("the columns of the views are %q, want %q", columns, want)
	}
}

// A backup of the release with migration 22 has tables only. Migrations after it replace views and read others, which
// are made first, also if a run has stopped between them.
func TestMissingViewsOfAnEarlierRelease(t *testing.T) {
	fulltest.Long(t)
	_, fresh := database(t)
	if _, err := Apply(t.Context(), fresh, Options{}); err != nil {
		t.Fatal(err)
	}
	views := func(conn driver.Conn) (list []string) {
		database := texts(t, conn, "SELECT currentDatabase()")[0]
		for _, text := range texts(t, conn, readTestViews) {
			list = append(list, strings.ReplaceAll(text, database+".", ""))
		}
		return list
	}

	_, conn := database(t)
	if _, err := Apply(t.Context(), conn, Options{Migrations: upTo(t, 22)}); err != nil {
		t.Fatal(err)
	}
	for _, view := range texts(t, conn, "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'View'") {
		do(t, conn, "DROP VIEW "+view)
	}
	halted := slices.Clone(upTo(t, 23))
	last := &halted[len(halted)-1]
	last.Statements = append(slices.Clone(last.Statements[:2]), "ALTER TABLE nowhere ADD COLUMN IF NOT EXISTS x UInt8")
	for _, run := range []struct {
		name  string
		o     Options
		stops bool
	}{{"halted", Options{Migrations: halted}, true}, {"whole", Options{}, false}} {
		if _, err := Apply(t.Context(), conn, run.o); (err != nil) != run.stops || err != nil && !strings.Contains(err.Error(), "statement 3 of 3") {
			t.Fatalf("%s: %v", run.name, err)
		}
		if run.stops {
			do(t, conn, "DROP VIEW IF EXISTS reports_kept")
		}
	}
	if diff := cmp.Diff(views(fresh), views(conn)); diff != "" {
		t.Errorf("the views (-of an empty database +restored):\n%s", diff)
	}
}
