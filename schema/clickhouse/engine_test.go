package clickhouse_test

import (
	"errors"
	"testing"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/family"
	"tapedeck/schema/migrate"
)

const somewhere = "clickhouse://u:p@h:9000/db"

func TestWithEngine(t *testing.T) {
	inCluster, err := clickhouse.WithCluster(somewhere, "c")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		dsn    string
		engine family.Engine
		want   error
	}{
		{somewhere, family.Engine{Family: family.Replicated}, clickhouse.ErrReplicasNeedCluster},
		{inCluster, family.Engine{Family: family.Shared}, clickhouse.ErrSharedCluster},
		{somewhere, family.Engine{Quorum: "2"}, clickhouse.ErrQuorum},
		{somewhere, family.Engine{Family: family.Shared, Quorum: family.QuorumAuto}, clickhouse.ErrQuorum},
		{somewhere, family.Engine{Family: family.Shared}, nil},
		{inCluster, family.Engine{Family: family.Replicated, Quorum: "2"}, nil},
	} {
		dsn, err := clickhouse.WithEngine(tc.dsn, tc.engine)
		if !errors.Is(err, tc.want) {
			t.Errorf("%+v: %v, want %v", tc.engine, err, tc.want)
		}
		if err == nil && clickhouse.CheckDSN(dsn) != nil {
			t.Errorf("the address %s is refused", dsn)
		}
	}
	for _, plain := range []family.Engine{{}, {Family: family.Plain}} {
		if dsn, err := clickhouse.WithEngine(somewhere, plain); err != nil || dsn != somewhere {
			t.Errorf("%+v: %s, error %v", plain, dsn, err)
		}
	}
}

// The statements of both kinds of connections have the settings of the family, which ClickHouse knows.
func TestEngineSettings(t *testing.T) {
	plain := localtest.ClickHouse(t)
	dsn := plain + "?engine=shared"
	const question = "SELECT toString(getSetting('insert_deduplicate')), toString(getSetting('deduplicate_insert')), toString(getSetting('select_sequential_consistency')), toString(getSetting('alter_sync'))"
	for _, tc := range []struct{ dsn, dedup, insert, sequential, sync string }{
		{plain, "true", "enable", "0", "1"},
		{dsn, "false", "disable", "1", "3"},
		{plain + "?engine=replicated&quorum=auto", "false", "disable", "1", "2"},
	} {
		conn, err := clickhouse.Open(tc.dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		var dedup, insert, sequential, sync string
		if err := conn.QueryRow(t.Context(), question).Scan(&dedup, &insert, &sequential, &sync); err != nil {
			t.Fatal(err)
		}
		if dedup != tc.dedup || insert != tc.insert || sequential != tc.sequential || sync != tc.sync {
			t.Errorf("%s: %s, %s, %s, %s", tc.dsn, dedup, insert, sequential, sync)
		}
	}
	client, err := clickhouse.Dial(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var value proto.ColStr
	err = client.Do(t.Context(), ch.Query{Body: "SELECT toString(getSetting('deduplicate_insert')) AS v", Result: proto.Results{{Name: "v", Data: &value}}})
	if err != nil || value.Rows() != 1 || value.Row(0) != "disable" {
		t.Errorf("%d rows, error %v", value.Rows(), err)
	}
}

// Tables of another family than the setting names are refused before anything is changed.
func TestEngineOfTables(t *testing.T) {
	dsn := localtest.ClickHouse(t)
	shared, err := clickhouse.Open(dsn + "?engine=shared")
	if err != nil {
		t.Fatal(err)
	}
	defer shared.Close()
	if _, err := clickhouse.Migrate(t.Context(), shared); err != nil {
		t.Fatal(err)
	}
	replicated, err := clickhouse.Open(dsn + "?engine=replicated")
	if err != nil {
		t.Fatal(err)
	}
	defer replicated.Close()
	if _, err := clickhouse.Migrate(t.Context(), replicated); !errors.Is(err, migrate.ErrEngine) {
		t.Errorf("replicated tables where plain ones are: %v", err)
	}
	s, err := migrate.Read(t.Context(), replicated, migrate.Options{})
	if err != nil || !errors.Is(s.Check(), migrate.ErrEngine) {
		t.Errorf("a server that starts with them: %v, %v", s.Check(), err)
	}
}
