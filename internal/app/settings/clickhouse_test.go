package settings

import (
	"log/slog"
	"strings"
	"testing"
)

// A family or a quorum that does not fit is one sentence that says what to do. The default leaves the
// address as it is.
func TestClickHouseEngine(t *testing.T) {
	const dsn = "clickhouse://h:9000/db"
	for _, tc := range []struct {
		f    ClickHouseServer
		says string
	}{
		{ClickHouseServer{ClickHouseEngine: "replicated"}, "--clickhouse-engine replicated: replicated tables are on the replicas of a cluster: name it with --clickhouse-cluster"},
		{ClickHouseServer{ClickHouseEngine: "shared", ClickHouseCluster: "c"}, "leave out --clickhouse-cluster"},
		{ClickHouseServer{ClickHouseEngine: "plain", ClickHouseQuorum: "auto"}, "--clickhouse-quorum: a quorum is of replicas: it needs --clickhouse-engine replicated"},
		{ClickHouseServer{ClickHouseEngine: "replicated", ClickHouseCluster: "c", ClickHouseQuorum: "1"}, `--clickhouse-quorum: the quorum "1"`},
		{ClickHouseServer{ClickHouseEngine: "keeper"}, `the engine family "keeper" is unknown`},
	} {
		tc.f.ClickHouse = dsn
		err := tc.f.Complete(slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %q", tc.f, err, tc.says)
		}
	}
	for _, f := range []ClickHouseServer{{}, {ClickHouseEngine: "plain", ClickHouseQuorum: "0"}} {
		f.ClickHouse = dsn
		if err := f.Complete(slog.New(slog.DiscardHandler)); err != nil || f.ClickHouse != dsn {
			t.Errorf("%s, error %v", f.ClickHouse, err)
		}
	}
	f := ClickHouseServer{ClickHouse: dsn, ClickHouseEngine: "replicated", ClickHouseCluster: "c", ClickHouseQuorum: "2"}
	if err := f.Complete(slog.New(slog.DiscardHandler)); err != nil || f.ClickHouse != dsn+"?cluster=c&engine=replicated&quorum=2" {
		t.Errorf("%s, error %v", f.ClickHouse, err)
	}
}
