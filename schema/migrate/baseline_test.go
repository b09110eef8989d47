package migrate

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/fulltest"
	"tapedeck/schema/migrations"
)

var update = flag.Bool("update", false, "write the baseline of the migrations anew")

// The baseline makes what the migrations make one by one, and records the same.
func TestBaseline(t *testing.T) {
	all := upTo(t, 1<<31)
	_, slow := database(t)
	if _, err := Apply(t.Context(), slow, Options{Program: "1.2.3", stepwise: true}); err != nil {
		t.Fatal(err)
	}
	text := migrations.FormatBaseline(all, definitions(t, slow, all))
	path := filepath.Join("..", "migrations", migrations.BaselineFile)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Log("written; run the test again without -update")
		return
	}
	if migrations.Baseline(all) == nil {
		t.Fatal("the baseline is not that of these migrations: run with -update")
	}
	found, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(found), text); diff != "" {
		t.Errorf("the baseline's file (-found +made from the migrations; run with -update):\n%s", diff)
	}

	_, fast := database(t)
	var steps []Progress
	names, err := Apply(t.Context(), fast, Options{Program: "1.2.3", Report: func(p Progress) { steps = append(steps, p) }})
	if err != nil || len(names) != len(all) {
		t.Fatalf("applied %q, %v", names, err)
	}
	if n := len(migrations.Baseline(all)); len(steps) != n || steps[0].Migration != "baseline" {
		t.Errorf("progress %v, want that of %d statements of the baseline", steps, n)
	}
	if diff := cmp.Diff(schemaOf(t, slow), schemaOf(t, fast)); diff != "" {
		t.Errorf("(-migrations +baseline):\n%s", diff)
	}
	if names, err := Apply(t.Context(), fast, Options{}); err != nil || len(names) > 0 {
		t.Errorf("the next run applied %q, %v", names, err)
	}
}

// A database in which a table is left gets no baseline: its other tables may have an earlier form.
func TestNoBaselineBesideTables(t *testing.T) {
	_, conn := database(t)
	for _, empty := range []bool{true, false} {
		if !empty {
			do(t, conn, upTo(t, 1)[0].Statements[0]) // frames, as 0001 makes it
		}
		s, err := Read(t.Context(), conn, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if list, err := s.baseline(t.Context(), conn); err != nil || (len(list) > 0) != empty {
			t.Errorf("empty: %v; %d statements of the baseline, %v", empty, len(list), err)
		}
	}
}

// A process that is killed while it applies the baseline is followed by one that completes the
// schema, and the records.
func TestKilledInTheBaseline(t *testing.T) {
	fulltest.Long(t)
	_, conn := database(t)
	if _, err := Apply(t.Context(), conn, Options{}); err != nil {
		t.Fatal(err)
	}
	want := schemaOf(t, conn)
	for _, moment := range []string{"ran 1", "ran 25", "whole 1"} {
		t.Run(moment, func(t *testing.T) {
			dsn, conn := database(t)
			if _, err := start(t, childSetup{DSN: dsn, KillAt: moment}); err == nil || !strings.Contains(err.Error(), "signal: killed") {
				t.Fatalf("the process ended with %v", err)
			}
			if _, err := start(t, childSetup{DSN: dsn}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, schemaOf(t, conn)); diff != "" {
				t.Errorf("(-undisturbed +killed):\n%s", diff)
			}
		})
	}
}

// definitions returns the statements that make the tables and views of a database, in the order
// in which migrations make them.
func definitions(t *testing.T, conn driver.Conn, all []migrations.Migration) (list []string) {
	t.Helper()
	var names []string
	for _, m := range all {
		for _, text := range m.Statements {
			bare := strings.TrimSpace(uncommented(text))
			if name := tableOf.FindStringSubmatch(bare)[1]; strings.HasPrefix(bare, "CREATE ") && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	prefix := texts(t, conn, "SELECT currentDatabase()")[0] + "."
	for _, name := range names {
		text := strings.ReplaceAll(texts(t, conn, "SHOW CREATE TABLE "+name)[0], prefix, "")
		for _, kind := range []string{"TABLE", "VIEW"} {
			text = strings.Replace(text, "CREATE "+kind+" "+name, "CREATE "+kind+" IF NOT EXISTS "+name, 1)
		}
		list = append(list, text)
	}
	return list
}

// schemaOf returns everything that ClickHouse knows of the tables of a database, and the records
// of migrations without times and holders.
func schemaOf(t *testing.T, conn driver.Conn) map[string][]string {
	t.Helper()
	prefix := texts(t, conn, "SELECT currentDatabase()")[0] + "."
	found := map[string][]string{}
	for what, query := range map[string]string{
		"tables": `SELECT concat(name, ' ', engine_full, ' ', partition_key, ' ', sorting_key, ' ', primary_key, ' ', sampling_key, ' ', storage_policy, ' ', create_table_query)
			FROM system.tables WHERE database = currentDatabase() AND name != 'schema_lock' ORDER BY name`,
		"columns": `SELECT concat(table, ' ', toString(position), ' ', name, ' ', type, ' ', default_kind, ' ', default_expression, ' ', compression_codec, ' ', comment)
			FROM system.columns WHERE database = currentDatabase() AND table != 'schema_lock' ORDER BY table, position`,
		"indices": `SELECT concat(table, ' ', name, ' ', type_full, ' ', expr, ' ', toString(granularity))
			FROM system.data_skipping_indices WHERE database = currentDatabase() ORDER BY table, name`,
		"projections": `SELECT concat(table, ' ', name, ' ', query) FROM system.projections WHERE database = currentDatabase() ORDER BY table, name`,
		"applied":     "SELECT concat(toString(version), ' ', name, ' ', checksum) FROM schema_migrations FINAL ORDER BY version",
		"steps": `SELECT concat(toString(version), '/', toString(step), ' ', event, ' ', argMax(checksum, at), ' ', toString(max(oldest)), ' ', argMax(text, at), ' ', argMax(program, at))
			FROM schema_steps WHERE version > 0 AND event IN ('done', 'whole') GROUP BY version, step, event ORDER BY version, step, event`,
	} {
		for _, line := range texts(t, conn, query) {
			found[what] = append(found[what], strings.ReplaceAll(line, prefix, ""))
		}
		if what != "projections" && len(found[what]) == 0 {
			t.Fatalf("no %s were found", what)
		}
	}
	return found
}

// BenchmarkEmptyDatabase makes the tables of empty databases. It reports the CPU time that the
// program and ClickHouse spend on one.
func BenchmarkEmptyDatabase(b *testing.B) {
	for name, stepwise := range map[string]bool{"baseline": false, "migrations": true} {
		b.Run(name, func(b *testing.B) {
			var spent float64
			for b.Loop() {
				dsn, conn := database(b)
				before := cpuSeconds(b)
				again := open(dsn) // a connection of its own, as a program that starts has
				if _, err := Apply(context.Background(), again, Options{stepwise: stepwise}); err != nil {
					b.Fatal(err)
				}
				again.Close()
				spent += cpuSeconds(b) - before
				conn.Close()
			}
			b.ReportMetric(spent/float64(b.N), "cpu-s/op")
		})
	}
}
