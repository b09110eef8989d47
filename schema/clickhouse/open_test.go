package clickhouse_test

import (
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
)

// TestShortAnalysis reads from ClickHouse which settings the statements of both kinds of connections
// have. What the address sets stays.
func TestShortAnalysis(t *testing.T) {
	t.Parallel()
	dsn := localtest.ClickHouse(t)
	const question = "SELECT name, value FROM system.settings WHERE name IN ('optimize_and_compare_chain', 'optimize_syntax_fuse_functions')"
	for _, tc := range []struct {
		dsn  string
		want map[string]string
	}{
		{dsn, map[string]string{"optimize_and_compare_chain": "0", "optimize_syntax_fuse_functions": "0"}},
		{withParameter(dsn, "optimize_and_compare_chain=1"), map[string]string{"optimize_and_compare_chain": "1", "optimize_syntax_fuse_functions": "0"}},
	} {
		conn, err := clickhouse.Open(tc.dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		rows, err := conn.Query(t.Context(), question)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var name, value string
			if err := rows.Scan(&name, &value); err != nil {
				t.Fatal(err)
			}
			if value != tc.want[name] {
				t.Errorf("a statement has %s = %s, want %s", name, value, tc.want[name])
			}
			delete(tc.want, name)
		}
		if err := rows.Err(); err != nil || len(tc.want) > 0 {
			t.Errorf("settings %v are missing: %v", tc.want, err)
		}
		rows.Close()
	}

	client, err := clickhouse.Dial(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var names, values proto.ColStr
	if err := client.Do(t.Context(), ch.Query{Body: question, Result: proto.Results{
		{Name: "name", Data: &names}, {Name: "value", Data: &values},
	}}); err != nil {
		t.Fatal(err)
	}
	if values.Rows() != 2 || values.Row(0) != "0" || values.Row(1) != "0" {
		t.Errorf("a statement of columns has %d settings: %q %q", values.Rows(), names.Buf, values.Buf)
	}
}

func withParameter(dsn, parameter string) string {
	if strings.Contains(dsn, "?") {
		return dsn + "&" + parameter
	}
	return dsn + "?" + parameter
}
