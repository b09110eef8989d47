package sink_test

import (
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// oneFrame is a block of one frame.
func oneFrame(session string) []byte {
	return block.Encode(nil, &block.Block{
		Session: session, State: schema.StreamState{StreamID: schema.NewStreamID(), Frames: 1},
		Frames: []schema.Frame{{At: ingest.Now(), Raw: []byte("x\n")}},
	}, block.S2)
}

func entry(session string, data []byte) block.Entry { return block.Entry{Session: session, Data: data} }

// publishBundle publishes blocks in one message.
func (b *bench) publishBundle(entries ...block.Entry) {
	b.t.Helper()
	if _, err := b.js.Publish(b.t.Context(), ingest.Partition{}.BundleSubject("acme", 7), block.AppendBundle(nil, entries)); err != nil {
		b.t.Fatal(err)
	}
}

// deadLetter returns a letter's reason and where it came from.
func (b *bench) deadLetter(n uint64) (reason, subject string) {
	b.t.Helper()
	dead, err := b.js.Stream(b.t.Context(), jetstream.DeadName)
	if err != nil {
		b.t.Fatal(err)
	}
	m, err := dead.GetMsg(b.t.Context(), n)
	if err != nil {
		b.t.Fatalf("dead letter %d: %v", n, err)
	}
	return m.Header.Get(jetstream.HeaderReason), m.Header.Get(jetstream.HeaderSubject)
}

// Of a bundle's blocks those are set aside, one by one, that cannot be read; the
// others are stored. A bundle that cannot be read is set aside whole.
func TestPoisonInBundle(t *testing.T) {
	b := newBench(t)
	b.run(sink.Options{})
	b.publishBundle(entry("a", oneFrame("a")), entry("nonsense", []byte("nonsense")), entry("b", oneFrame("b")), entry("short", oneFrame("short")[:20]))
	whole := block.AppendBundle(nil, []block.Entry{entry("c", oneFrame("c"))})
	if _, err := b.js.Publish(t.Context(), ingest.Partition{}.BundleSubject("acme", 7), whole[:len(whole)-1]); err != nil {
		t.Fatal(err)
	}
	b.publishBundle(entry("d", oneFrame("d")))
	b.eventually("SELECT count() FROM frames FINAL WHERE tenant = 'acme' AND session_id IN ('a', 'b', 'd')", 3)
	b.waitAcked()
	for i, want := range []struct{ reason, subject string }{
		{"no block", ingest.Subject("acme", "nonsense")},
		{"checksum", ingest.Subject("acme", "short")},
		{"bundle", ingest.Partition{}.BundleSubject("acme", 7)},
	} {
		reason, subject := b.deadLetter(uint64(i + 1))
		if !strings.Contains(reason, want.reason) || subject != want.subject {
			t.Errorf("dead letter %d: %q of %s, want %+v", i+1, reason, subject, want)
		}
	}
}

// Of a bundle's blocks that one is set aside which ClickHouse refuses.
func TestRefusedInBundle(t *testing.T) {
	b := newBench(t)
	if err := b.db.Exec(t.Context(), "ALTER TABLE frames ADD CONSTRAINT none CHECK session_id != 'bad'"); err != nil {
		t.Fatal(err)
	}
	b.publishBundle(entry("a", oneFrame("a")), entry("bad", oneFrame("bad")), entry("b", oneFrame("b")))
	b.run(sink.Options{})
	b.eventually("SELECT count() FROM frames FINAL WHERE session_id IN ('a', 'b')", 2)
	b.waitAcked()
	if reason, subject := b.deadLetter(1); !strings.Contains(reason, "none") || subject != ingest.Subject("acme", "bad") {
		t.Errorf("the dead letter is %q of %s", reason, subject)
	}
}

// A bundle with a block of a later version is left alone, and delivered again: to a
// sink that reads it, it is as new.
func TestLaterVersionInBundle(t *testing.T) {
	b := newBench(t)
	b.run(sink.Options{})
	later := oneFrame("later")
	later[3] = 0xff // the format version
	b.publishBundle(entry("a", oneFrame("a")), entry("nonsense", []byte("nonsense")), entry("later", later))
	b.publishBundle(entry("b", oneFrame("b")))
	b.eventually("SELECT count() FROM frames FINAL WHERE session_id = 'b'", 1)
	b.eventually("SELECT count() FROM frames FINAL", 1)
	b.waitLeft(1) // it is delivered again later
	dead, err := b.js.Stream(t.Context(), jetstream.DeadName)
	if err != nil {
		t.Fatal(err)
	}
	if n := dead.CachedInfo().State.Msgs; n != 0 {
		t.Errorf("%d blocks were set aside of a bundle that comes again", n)
	}
}
