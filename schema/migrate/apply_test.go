package migrate

import (
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/fulltest"
	"tapedeck/schema/migrations"
)

// For one generation, one of many callers takes the lock.
func TestOneTakesTheLock(t *testing.T) {
	_, conn := database(t)
	for _, statement := range []string{createSteps, createLock} {
		do(t, conn, statement)
	}
	o, err := Options{}.complete()
	if err != nil {
		t.Fatal(err)
	}
	for generation := range uint64(4) {
		var taken atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				l, err := take(t.Context(), conn, o, generation)
				if err != nil {
					t.Error(err)
				}
				if l != nil {
					taken.Add(1)
					l.release(t.Context())
				}
			})
		}
		all.Wait()
		if n := taken.Load(); n != 1 {
			t.Errorf("generation %d: %d callers hold the lock", generation, n)
		}
	}
}

// A run over a complete schema of which the records were deleted changes nothing.
func TestDeletedRecords(t *testing.T) {
	fulltest.Long(t)
	want := undisturbed(t)
	_, conn := database(t)
	if _, err := Apply(t.Context(), conn, Options{Migrations: upTo(t, before)}); err != nil {
		t.Fatal(err)
	}
	fill(t, conn)
	for _, lost := range [][]string{{}, {"schema_migrations"}, {"schema_steps"}, {"schema_lock"}, {"schema_migrations", "schema_steps", "schema_lock"}} {
		for _, table := range lost {
			do(t, conn, "DROP TABLE IF EXISTS "+table+" SYNC")
		}
		applied, err := Apply(t.Context(), conn, Options{})
		if err != nil {
			t.Fatalf("without %q: %v", lost, err)
		}
		again := len(lost) > 0 && lost[0] == "schema_migrations"
		if n := len(applied); n > 0 && !again && len(lost) > 0 || again && n != len(upTo(t, 1<<31)) {
			t.Errorf("without %q it applied %q", lost, applied)
		}
		if diff := cmp.Diff(want, whole(t, conn)); diff != "" {
			t.Errorf("without %q (-undisturbed +found):\n%s", lost, diff)
		}
	}
}

// The log of an upgrade has a line for each statement. The log of a run on an empty database has one line.
func TestLogged(t *testing.T) {
	fulltest.Long(t)
	_, conn := database(t)
	logged := func(list []migrations.Migration) string {
		var text strings.Builder
		if _, err := Apply(t.Context(), conn, Options{Migrations: list, Log: slog.New(slog.NewTextHandler(&text, nil))}); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	const statement = `msg="migrate: applying a statement"`
	if text := logged(upTo(t, before)); strings.Count(text, "\n") != 1 || !strings.Contains(text, `msg="migrate: making the tables"`) {
		t.Errorf("an empty database: %s", text)
	}
	if text := logged(nil); strings.Count(text, statement) < 2 || strings.Count(text, statement) != strings.Count(text, "\n") {
		t.Errorf("an upgrade: %s", text)
	}
	if text := logged(nil); text != "" {
		t.Errorf("nothing to do: %s", text)
	}
}

// A program may use a later schema unless a migration asks for later programs.
func TestOlderProgram(t *testing.T) {
	fulltest.Long(t)
	_, conn := database(t)
	all := upTo(t, 1<<31)
	last := all[len(all)-1].Version
	open := migrations.Migration{Version: last + 1, Name: "open", Text: "open", Statements: []string{"ALTER TABLE frames ADD COLUMN IF NOT EXISTS later String"}}
	strict := migrations.Migration{Version: last + 2, Name: "strict", Text: "strict", Oldest: last + 1, Statements: []string{"ALTER TABLE frames DROP COLUMN IF EXISTS later"}}
	later := append(append([]migrations.Migration{}, all...), open)
	if _, err := Apply(t.Context(), conn, Options{Migrations: later, Program: "9.1.0"}); err != nil {
		t.Fatal(err)
	}
	s, err := Read(t.Context(), conn, Options{Program: "9.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil || len(s.Pending()) > 0 || len(s.Unknown()) != 1 {
		t.Errorf("a program before %q: %v, pending %d, unknown %q", open.Name, err, len(s.Pending()), s.Unknown())
	}
	if _, err := Apply(t.Context(), conn, Options{Migrations: append(later, strict), Program: "9.2.0"}); err != nil {
		t.Fatal(err)
	}
	for _, run := range []struct {
		name string
		do   func() error
	}{
		{"apply", func() error { _, err := Apply(t.Context(), conn, Options{Program: "9.0.0"}); return err }},
		{"plan", func() error { _, err := Prepare(t.Context(), conn, Options{Program: "9.0.0"}); return err }},
	} {
		err := run.do()
		if !errors.Is(err, ErrOld) {
			t.Fatalf("%s by a program that is too old: %v", run.name, err)
		}
		for _, part := range []string{"strict", "9.2.0", "9.0.0", "install a later version"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: the error does not have %q: %v", run.name, part, err)
			}
		}
	}
	if _, err := Apply(t.Context(), conn, Options{Migrations: later, Program: "9.1.0"}); err != nil {
		t.Errorf("a program with the migration that is asked for: %v", err)
	}
}

// A migration that was applied in part in another form is refused, without a change.
func TestChangedHalfway(t *testing.T) {
	_, conn := database(t)
	two := migrations.Migration{Version: 1, Name: "0001_two", Text: "a", Statements: []string{
		"CREATE TABLE IF NOT EXISTS a (x UInt8) ENGINE = MergeTree ORDER BY x", "ALTER TABLE nowhere ADD COLUMN IF NOT EXISTS x UInt8"}}
	_, err := Apply(t.Context(), conn, Options{Migrations: []migrations.Migration{two}})
	if err == nil || !strings.Contains(err.Error(), "0001_two stopped at statement 2 of 2") || !strings.Contains(err.Error(), "tapedeck migrate") {
		t.Fatalf("the statement that fails: %v", err)
	}
	p, err := Prepare(t.Context(), conn, Options{Migrations: []migrations.Migration{two}})
	if err != nil || len(p.Migrations) != 1 || !p.Migrations[0].Statements[0].Done || p.Migrations[0].Statements[1].Done {
		t.Errorf("the plan: %+v, %v", p, err)
	}
	changed := two
	changed.Statements = []string{"CREATE TABLE IF NOT EXISTS a (x UInt16) ENGINE = MergeTree ORDER BY x", "SELECT 1"}
	if _, err := Apply(t.Context(), conn, Options{Migrations: []migrations.Migration{changed}}); !errors.Is(err, ErrChanged) {
		t.Errorf("another form of the statement: %v", err)
	}
	mended := two
	mended.Text, mended.Statements = "b", []string{two.Statements[0], "ALTER TABLE a ADD COLUMN IF NOT EXISTS y UInt8"}
	if names, err := Apply(t.Context(), conn, Options{Migrations: []migrations.Migration{mended}}); err != nil || len(names) != 1 {
		t.Errorf("the next version: %q, %v", names, err)
	}
}

// Every statement can be run again, and a plan changes nothing.
func TestStatements(t *testing.T) {
	repeatable := regexp.MustCompile(`(?is)^(CREATE (TABLE|VIEW) IF NOT EXISTS \w+|CREATE OR REPLACE VIEW \w+|ALTER TABLE \w+\s+(ADD (COLUMN|INDEX) IF NOT EXISTS|DROP (COLUMN|INDEX) IF EXISTS|MODIFY (SETTING|COLUMN|TTL)|MATERIALIZE (COLUMN|INDEX)))\b`)
	for _, m := range upTo(t, 1<<31) {
		for i, text := range m.Statements {
			bare := strings.TrimSpace(uncommented(text))
			if !repeatable.MatchString(bare) {
				t.Errorf("%s, statement %d: it must be one that can be run again: %s", m.Name, i+1, bare)
			}
			if n := strings.Count(bare, "ADD COLUMN"); n != strings.Count(bare, "ADD COLUMN IF NOT EXISTS") {
				t.Errorf("%s, statement %d: ADD COLUMN without IF NOT EXISTS", m.Name, i+1)
			}
		}
	}
	_, conn := database(t)
	p, err := Prepare(t.Context(), conn, Options{})
	if err != nil || len(p.Migrations) != len(upTo(t, 1<<31)) {
		t.Fatalf("the plan of an empty database has %d migrations: %v", len(p.Migrations), err)
	}
	for _, m := range p.Migrations {
		for _, s := range m.Statements {
			if s.Table == "" {
				t.Errorf("%s, statement %d: no table was found in %s", m.Name, s.Number, s.Text)
			}
		}
	}
	if tables := texts(t, conn, "SELECT name FROM system.tables WHERE database = currentDatabase()"); len(tables) > 0 {
		t.Errorf("the plan made %q", tables)
	}
}

// A statement for which ClickHouse has no memory, and a user who must not write, stop the run
// with what to do. The next run goes on.
func TestRefused(t *testing.T) {
	dsn, conn := database(t)
	hungry := migrations.Migration{Version: 1, Name: "0001_hungry", Text: "a", Statements: []string{
		"CREATE TABLE IF NOT EXISTS a (x String) ENGINE = MergeTree ORDER BY x",
		"INSERT INTO a SELECT arrayStringConcat(groupArray(toString(number))) FROM numbers(3000000) SETTINGS max_memory_usage = 1000000"}}
	o := Options{Migrations: []migrations.Migration{hungry}}
	readOnly := open(dsn + "?readonly=1")
	defer readOnly.Close()
	if _, err := Apply(t.Context(), readOnly, o); err == nil || !strings.Contains(err.Error(), "readonly") {
		t.Errorf("a user who must not write: %v", err)
	}
	if tables := texts(t, conn, "SELECT name FROM system.tables WHERE database = currentDatabase()"); len(tables) > 0 {
		t.Errorf("a user who must not write made %q", tables)
	}
	_, err := Apply(t.Context(), conn, o)
	if err == nil || !strings.Contains(err.Error(), "stopped at statement 2 of 2") || !strings.Contains(err.Error(), "raise the memory limit of ClickHouse") {
		t.Errorf("a statement without memory: %v", err)
	}
	if p, err := Running(t.Context(), conn, o); err != nil || p != nil {
		t.Errorf("the run that stopped still holds the lock: %v, %v", p, err)
	}
	hungry.Statements[1] = strings.Replace(hungry.Statements[1], "1000000", "1000000000", 1)
	if names, err := Apply(t.Context(), conn, o); err != nil || len(names) != 1 {
		t.Errorf("the next run: %q, %v", names, err)
	}
	if again := texts(t, conn, "SELECT toString(count()) FROM schema_steps WHERE event = 'begun' AND step = 1"); again[0] != "1" {
		t.Errorf("the first statement ran %s times", again[0])
	}
}
