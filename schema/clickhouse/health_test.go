package clickhouse_test

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tapedeck/internal/local/localtest"
	"tapedeck/schema/clickhouse"
)

func TestHealth(t *testing.T) {
	db, err := clickhouse.Open(localtest.ClickHouse(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	h, err := clickhouse.ReadHealth(t.Context(), db)
	if err != nil || len(h.Disks) == 0 || h.Disks[0].Free == 0 || h.Disks[0].Size < h.Disks[0].Free || h.AnswerMS <= 0 || max(h.ClockMS, -h.ClockMS) > 1000 {
		t.Fatalf("%+v, %v", h, err)
	}
	if n := testutil.CollectAndCount(clickhouse.HealthCollector{DB: db}); n != 6+2*len(h.Disks) {
		t.Errorf("%d metrics of %d disks", n, len(h.Disks))
	}
	away, err := clickhouse.Open("clickhouse://127.0.0.1:1/x")
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	const want = `
# HELP tapedeck_clickhouse_up 1 if ClickHouse answers, else 0.
# TYPE tapedeck_clickhouse_up gauge
tapedeck_clickhouse_up 0
`
	if err := testutil.CollectAndCompare(clickhouse.HealthCollector{DB: away}, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}
