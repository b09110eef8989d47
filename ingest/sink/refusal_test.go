package sink_test

import (
	"strings"
	"testing"
	"time"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
)

// deadLetters counts the blocks that were set aside.
func (b *bench) deadLetters() uint64 {
	b.t.Helper()
	dead, err := b.js.Stream(b.t.Context(), jetstream.DeadName)
	if err != nil {
		b.t.Fatal(err)
	}
	return dead.CachedInfo().State.Msgs
}

// do runs a statement.
func (b *bench) do(statement string) {
	b.t.Helper()
	if err := b.db.Exec(b.t.Context(), statement); err != nil {
		b.t.Fatalf("%s: %v", statement, err)
	}
}

// waitStatus waits for the sink's status.
func (b *bench) waitStatus(s *sink.Sink, want string, ok func(sink.Status) bool) {
	b.t.Helper()
	for end := time.Now().Add(bounded.Limit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) { // polls the condition
		if ok(s.Status()) {
			return
		}
	}
	b.t.Fatalf("the status is %+v, want %s", s.Status(), want)
}

// A ClickHouse that refuses whatever it is sent keeps JetStream's blocks waiting:
// none is set aside, the status names the error, and nothing is lost or doubled.
func TestPassingRefusal(t *testing.T) {
	fulltest.Long(t)
	for _, test := range []struct{ code, table, begin, end string }{
		{"TOO_MANY_PARTS", "frames", "ALTER TABLE frames MODIFY SETTING max_parts_in_total = 1", "ALTER TABLE frames RESET SETTING max_parts_in_total"},
		{"NOT_ENOUGH_SPACE", "usage", "ALTER TABLE usage MODIFY SETTING min_free_disk_bytes_to_perform_insert = 1000000000000000",
			"ALTER TABLE usage RESET SETTING min_free_disk_bytes_to_perform_insert"},
		{"UNKNOWN_TABLE", "spans", "DETACH TABLE spans", "ATTACH TABLE spans"},
		{"VIOLATED_CONSTRAINT", "frames", "ALTER TABLE frames ADD CONSTRAINT none CHECK seq > 1000000", "ALTER TABLE frames DROP CONSTRAINT none"},
	} {
		t.Run(test.code, func(t *testing.T) {
			b := newBench(t)
			s, _ := b.run(sink.Options{})
			b.record("before", 100)
			b.check("before", 100)
			b.do(test.begin)
			b.record("meanwhile", 500)
			b.waitStatus(s, test.code, func(st sink.Status) bool {
				return !st.OK && st.Code == test.code && st.Table == test.table && strings.Contains(st.Detail(), test.code)
			})
			time.Sleep(time.Second) // no block may be set aside meanwhile, which no condition shows
			if n := b.deadLetters(); n > 0 {
				t.Errorf("%d blocks were set aside", n)
			}
			if st := s.Status(); st.OK {
				t.Errorf("the status is well: %+v", st)
			}
			if n := b.number("SELECT count() FROM streams FINAL WHERE session_id = 'meanwhile'"); n > 0 {
				t.Errorf("%d streams are visible of blocks that are not stored", n)
			}
			b.do(test.end)
			b.check("meanwhile", 500)
			b.waitAcked()
			b.waitStatus(s, "well", func(st sink.Status) bool { return st.OK })
			if n := b.deadLetters(); n > 0 {
				t.Errorf("%d blocks were set aside at the end", n)
			}
		})
	}
}

// A sink whose tables were never made waits for them, also where nothing comes.
func TestWaitsForTables(t *testing.T) {
	b := emptyBench(t, localtest.ClickHouse(t))
	s, _ := b.run(sink.Options{})
	b.waitStatus(s, "the command that makes tables", func(st sink.Status) bool {
		return !st.OK && strings.Contains(st.Do, "tapedeck migrate")
	})
	b.record("s", 100)
	b.migrate()
	b.check("s", 100)
	b.waitStatus(s, "well", func(st sink.Status) bool { return st.OK })
	if n := b.deadLetters(); n > 0 {
		t.Errorf("%d blocks were set aside", n)
	}
}

// A block that is refused alone is set aside once ClickHouse has shown that it takes
// others, and the sink stays ready.
func TestRefusedAlone(t *testing.T) {
	b := newBench(t)
	s, _ := b.run(sink.Options{})
	b.record("before", 20)
	b.check("before", 20)
	b.do("ALTER TABLE frames ADD CONSTRAINT none CHECK session_id != 'bad'")
	b.publishBundle(entry("bad", oneFrame("bad")))
	for end := time.Now().Add(bounded.Limit); b.deadLetters() == 0; time.Sleep(10 * time.Millisecond) { // polls the condition
		if time.Now().After(end) {
			t.Fatal("the block was not set aside")
		}
	}
	b.waitAcked()
	if st := s.Status(); !st.OK {
		t.Errorf("the sink is not ready: %+v", st)
	}
	b.check("before", 20)
}

// Where nothing was stored yet, a block that is refused alone waits until another one
// shows whether the block is at fault or the table; it does not hold others up.
func TestRefusedFirst(t *testing.T) {
	fulltest.Long(t)
	b := newBench(t)
	b.do("ALTER TABLE frames ADD CONSTRAINT none CHECK session_id != 'bad'")
	b.publishBundle(entry("bad", oneFrame("bad")))
	s, _ := b.run(sink.Options{})
	b.waitStatus(s, "a refusal", func(st sink.Status) bool { return !st.OK && st.Code == "VIOLATED_CONSTRAINT" })
	if n := b.deadLetters(); n > 0 {
		t.Errorf("%d blocks were set aside though nothing has been stored", n)
	}
	b.record("good", 20)
	b.check("good", 20)
	b.waitAcked()
	if n := b.deadLetters(); n != 1 {
		t.Errorf("%d blocks were set aside, want the one that is refused", n)
	}
}
