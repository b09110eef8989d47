package migrate

import "testing"

// A restored database has the tables and the list of migrations, and no views: they are made.
func TestMissingViews(t *testing.T) {
	_, conn := database(t)
	if _, err := Apply(t.Context(), conn, Options{}); err != nil {
		t.Fatal(err)
	}
	const views = "SELECT concat(name, ' ', as_select) FROM system.tables WHERE database = currentDatabase() AND engine = 'View' ORDER BY name"
	want := texts(t, conn, views)
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
		got := texts(t, conn, views)
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
