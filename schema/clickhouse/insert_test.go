package clickhouse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go"

	"tapedeck/internal/fulltest"
	"tapedeck/schema/block"
	"tapedeck/schema/clickhouse"
)

func dial(t *testing.T, dsn string) *ch.Client {
	t.Helper()
	client, err := clickhouse.Dial(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// many is a block of n frames, each of its own.
func many(n int) *block.Block {
	b := everything()
	f := b.Frames[0]
	b.Frames = nil
	for i := range n {
		f.Seq, f.Raw, f.Type = uint64(i), fmt.Appendf(nil, "frame %d\n", i), fmt.Sprint("t", i%7)
		f.EventID, f.Node = fmt.Sprint("e", i), fmt.Sprint("n", i/100)
		b.Frames = append(b.Frames, f)
	}
	return b
}

// A batch that goes over in several pieces, side by side with its facts, is stored
// row by row as it was added, in no more than two parts. A repetition is stored as well,
// whatever ClickHouse remembers of the first insert, and replaces the rows.
func TestInsertSideBySide(t *testing.T) {
	dsn, db := migrated(t)
	const n = 70_000
	frames, facts, batch := dial(t, dsn), dial(t, dsn), clickhouse.NewBatch()
	number := func(query string, want uint64) {
		t.Helper()
		var got uint64
		if err := db.QueryRow(t.Context(), query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %d (%v), want %d", query, got, err, want)
		}
	}
	must(t, db, "SYSTEM STOP MERGES frames")
	for inserts := range uint64(2) {
		inserts++
		batch.Reset()
		if err := batch.Add("acme", many(n)); err != nil {
			t.Fatal(err)
		}
		worked, err := batch.InsertSideBySide(t.Context(), frames, facts)
		if err != nil || worked <= 0 {
			t.Fatalf("%v, worked for %v", err, worked)
		}
		number("SELECT count() FROM frames", inserts*n)
		number("SELECT count() FROM frames FINAL", n)
		number(`SELECT count() FROM frames FINAL WHERE raw = concat('frame ', toString(seq), '\n') AND type = concat('t', toString(seq % 7))
			AND event_id = concat('e', toString(seq)) AND node_id = concat('n', toString(intDiv(seq, 100))) AND run_id = 'run-1'
			AND toString(captured_at) = '2025-11-21 00:00:00.123456789' AND toString(stream_started) = '2025-11-20 19:36:18'
			AND direction = 'send' AND transport = 'websocket' AND flags = 65 AND cuts = '\x03\xaa\x0c'`, n)
		number("SELECT count(DISTINCT seq) FROM frames", n)
		number(fmt.Sprintf("SELECT toUInt64(count() <= %d) FROM system.parts WHERE database = currentDatabase() AND table = 'frames' AND active", 2*inserts), 1)
		for _, table := range []string{"spans", "messages", "usage", "streams"} {
			if got := onlyRow(t, db, table); got != want[table] {
				t.Errorf("%s:\n got %q\nwant %q", table, got, want[table])
			}
		}
	}
}

// Whichever table is refused, what is visible has its frames: no fact is stored
// before all frames are, and no stream before all facts.
func TestSideBySideRefused(t *testing.T) {
	fulltest.Long(t)
	for _, table := range []string{"frames", "messages", "usage"} {
		dsn, db := migrated(t)
		must(t, db, "ALTER TABLE "+table+" ADD CONSTRAINT none CHECK tenant != 'acme'")
		batch := clickhouse.NewBatch()
		if err := batch.Add("acme", everything()); err != nil {
			t.Fatal(err)
		}
		_, err := batch.InsertSideBySide(t.Context(), dial(t, dsn), dial(t, dsn))
		if err == nil || !strings.Contains(err.Error(), "into "+table) {
			t.Errorf("%s refused: %v", table, err)
		}
		later := []string{"streams"}
		if table == "frames" {
			later = append(later, "spans", "messages", "usage")
		}
		for _, name := range later {
			var rows uint64
			if err := db.QueryRow(t.Context(), "SELECT count() FROM "+name).Scan(&rows); err != nil || rows > 0 {
				t.Errorf("%s refused: %d rows in %s (%v)", table, rows, name, err)
			}
		}
	}
}
