package clickhouse_test

import (
	"context"
	"fmt"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema/cluster"
)

// The rows of each session are on the shard that the placement names.
func TestClusterPlacement(t *testing.T) {
	fulltest.Long(t)
	w := onShards(t)
	w.migrate()
	if err := w.db.Exec(t.Context(), insertFrames); err != nil {
		t.Fatal(err)
	}
	p, err := w.db.(*cluster.Conn).Placement(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		session := fmt.Sprintf("s%d", i)
		shard := p.Of("acme", session, "stream")
		var rows uint64
		err := w.shards[shard-1].QueryRow(t.Context(), "SELECT count() FROM default_local.frames WHERE session_id = {session:String}",
			driver.Named("session", session)).Scan(&rows)
		if err != nil || rows != 5 {
			t.Errorf("shard %d has %d frames of session %s, want 5, error %v", shard, rows, session, err)
		}
	}
}

// The members of a shard that is stopped are away until it is started again.
func TestClusterAway(t *testing.T) {
	w := onShards(t)
	c := w.db.(*cluster.Conn)
	check := func(when string, shards ...uint32) {
		t.Helper()
		away, err := c.Away(t.Context())
		var got []uint32
		for _, m := range away {
			got = append(got, m.Shard)
		}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(shards) {
			t.Errorf("%s: shards %v are away, want %v, error %v", when, got, shards, err)
		}
	}
	check("at the beginning")
	if err := w.servers[1].Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	check("with a stopped server", 2)
	localtest.Engine(t, w.options[1])
	check("with the server started again")
}
