package sink_test

import (
	"fmt"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
)

// Streams that keep ending, each sooner than a batch comes of age, do not put off
// that what was gathered is stored.
func TestEndsDoNotPutOff(t *testing.T) {
	b := newBench(t)
	b.run(sink.Options{BatchAge: 500 * time.Millisecond, BatchPace: 500 * time.Millisecond})
	for end := time.Now().Add(bounded.Limit); b.number("SELECT count() FROM frames") == 0; {
		if time.Now().After(end) {
			t.Fatal("nothing was stored while streams kept ending")
		}
		b.record(fmt.Sprintf("s%d", time.Now().UnixNano()), 1)
	}
}

// recordSessions records a frame for each of n sessions, each durable before the
// next, by a stream that keeps so many open.
func (b *bench) recordSessions(n, open int) ingest.Summary {
	b.t.Helper()
	p, err := jetstream.NewPublisher(b.nc)
	if err != nil {
		b.t.Fatal(err)
	}
	s, err := ingest.NewRecorder(p, ingest.Settings{Segments: open}).Open(ingest.StreamOptions{Dialect: "generic"})
	if err != nil {
		b.t.Fatal(err)
	}
	for i := range n {
		if err := s.Record(b.t.Context(), &schema.Frame{At: ingest.Now(), Raw: fmt.Appendf(nil, "{\"session_id\":\"s%d\"}\n", i)}); err != nil {
			b.t.Fatal(err)
		}
		if err := s.Flush(b.t.Context()); err != nil {
			b.t.Fatal(err)
		}
	}
	sum, err := s.Close(b.t.Context(), "eof")
	if err != nil {
		b.t.Fatal(err)
	}
	return sum
}

// The end of a part that the stream has left is stored, though another session's
// block had it.
func TestPartsLeft(t *testing.T) {
	b := newBench(t)
	b.run(sink.Options{})
	sum := b.recordSessions(20, 4)
	if sum.SessionCount != 20 {
		t.Fatalf("%d sessions", sum.SessionCount)
	}
	b.eventually("SELECT count() FROM streams FINAL WHERE ended > 0", 20)
	b.eventually("SELECT count() FROM streams FINAL WHERE end_reason = 'left' AND frames = 1 AND dialect = 'generic' AND stream_id = '"+sum.StreamID+"'", 16)
	b.eventually("SELECT count() FROM streams FINAL WHERE end_reason = 'eof'", 4)
}
