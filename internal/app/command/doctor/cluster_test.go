package doctor

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/cluster"
	"tapedeck/schema/family"
)

// openCluster connects to the cluster of a member. The connection is closed when the test ends.
func openCluster(t *testing.T, dsn string, e family.Engine) *cluster.Conn {
	t.Helper()
	dsn, err := clickhouse.WithCluster(dsn, localtest.ClusterName)
	if err == nil {
		dsn, err = clickhouse.WithEngine(dsn, e)
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := clickhouse.OpenCluster(dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// A cluster is checked with both shards, with one stopped, and with one started again. Missing
// tables, and a member that is away and not expected to be, are problems.
func TestCheckCluster(t *testing.T) {
	options := localtest.Shards(t, 2)
	first, second := localtest.Engine(t, options[0]), localtest.Engine(t, options[1])
	c := openCluster(t, first.DSN(), family.Engine{})
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

// A cluster of replicated tables is checked for macros, and for the state of its replicas. The engine of
// the tests sends no rows to another replica: its tables can only be read, which the check reports.
func TestCheckReplicas(t *testing.T) {
	fulltest.Long(t)
	options := localtest.Replicas(t, 1, 2, localtest.Keeper(t))
	first := localtest.Engine(t, options[0])
	localtest.Engine(t, options[1])
	c := openCluster(t, first.DSN(), family.Engine{Family: family.Replicated})
	if _, err := clickhouse.Migrate(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	findings, wrong := CheckCluster(t.Context(), c, "test", 0)
	says := map[string]string{
		"members": "1, replica 2: ", "schema": "all migrations are applied", "placement": "1 shards", "macros": "each member has the macros",
		"replicas": "can only be read", "inserts": "", "replication": "", "repeated inserts": "", "reads": "", "deletes": "",
	}
	for _, f := range findings {
		want, known := says[f.What]
		if !known || !strings.Contains(f.Detail, want) || f.OK != (f.What == "members" || f.What == "schema" || f.What == "placement" || f.What == "macros") {
			t.Errorf("%s: %v %s, want %q", f.What, f.OK, f.Detail, want)
		}
	}
	if len(findings) != len(says) || wrong != 6 {
		t.Errorf("%d findings and %d problems", len(findings), wrong)
	}
}
