package tables_test

import (
	"slices"
	"testing"

	"tapedeck/schema/clickhouse/clickhousetest"
	"tapedeck/schema/tables"
)

// Every table of the schema is declared, so that an erasure covers a table that is added.
func TestEveryTableIsDeclared(t *testing.T) {
	conn := clickhousetest.Shared(t).Conn
	var there []struct {
		Name    string   `ch:"name"`
		Columns []string `ch:"columns"`
	}
	err := conn.Select(t.Context(), &there, `SELECT name, groupArray(c.name) AS columns
		FROM (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine != 'View') AS t
		INNER JOIN (SELECT table, name FROM system.columns WHERE database = currentDatabase()) AS c ON c.table = t.name
		GROUP BY name`)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, table := range there {
		names = append(names, table.Name)
		at := slices.IndexFunc(tables.All, func(d tables.Table) bool { return d.Name == table.Name })
		if at < 0 {
			t.Errorf("the table %s is not declared: does it hold recordings, bills, marks or settings?", table.Name)
			continue
		}
		for _, column := range []string{"tenant", "session_id", "stream_id"} {
			if tables.All[at].Holds == tables.Recording && !slices.Contains(table.Columns, column) {
				t.Errorf("the table %s holds recordings and has no column %s, by which erasures delete", table.Name, column)
			}
		}
	}
	for _, d := range tables.All {
		if !slices.Contains(names, d.Name) {
			t.Errorf("the table %s is declared and does not exist", d.Name)
		}
	}
	recorded := tables.Names(tables.Recording)
	if last := recorded[len(recorded)-1]; last != "streams" {
		t.Errorf("the last table of recordings is %s, want streams, whose rows show that a deletion is unfinished", last)
	}
}
