package doctor

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
)

// A cluster is checked with both shards, with one stopped, and with one started again. Missing
// tables, and a member that is away and not expected to be, are problems.
func TestCheckCluster(t *testing.T) {
	options := localtest.Shards(t, 2)
	first, second := localtest.Engine(t, options[0]), localtest.Engine(t, options[1])
	dsn, err := clickhouse.WithCluster(first.DSN(), localtest.ClusterName)
	if err != nil {
		t.Fatal(err)
	}
	c, err := clickhouse.OpenCluster(dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	expect := func(when string, away int, wrong string, lines ...string) {
		t.Helper()
		findings, n := CheckCluster(t.Context(), c, "test", away)
		var got []string
		for _, f := range findings {
			got = append(got, f.What)
			if f.OK != (f.What != wrong) {
				t.Errorf("%s: %s: %s", when, f.What, f.Detail)
			}
			if strings.Contains(f.Detail, "\n") {
				t.Errorf("%s: %s has several lines: %s", when, f.What, f.Detail)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(lines) || (n > 0) != (wrong != "") {
			t.Errorf("%s: the checks are %v, want %v; %d are wrong", when, got, lines, n)
		}
	}
	expect("without tables", 0, "schema", "members", "schema")
	if _, err := clickhouse.Migrate(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	all := []string{"members", "schema", "placement", "inserts", "repeated inserts", "reads", "deletes"}
	expect("with both shards", 0, "", all...)
	if err := second.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	expect("with a shard away", 0, "members", "members")
	expect("with a shard stopped", 1, "",
		"members", "schema", "placement", "inserts", "repeated inserts", "reads", "a member away", "deletes")
	localtest.Engine(t, options[1])
	expect("with the shard back", 0, "", all...)
	var left uint64
	if err := c.QueryRow(t.Context(), "SELECT count() FROM frames").Scan(&left); err != nil || left > 0 {
		t.Errorf("%d rows are left, error %v", left, err)
	}
}
