package sink_test

import (
	"crypto/rand"
	"slices"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/schema"
)

// A block may be larger than what is asked of JetStream at a time: a frame of the
// largest size that does not compress. It is stored, and what comes before and after
// it.
func TestLargestFrame(t *testing.T) {
	b := newBench(t)
	p, err := jetstream.NewPublisher(b.nc)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ingest.NewRecorder(p, ingest.Settings{}).Open(ingest.StreamOptions{Session: "large", Dialect: "generic"})
	if err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, ingest.DefaultFrameLimit)
	_, _ = rand.Read(raw)                                       // it never fails
	frames := slices.Collect(slices.Chunk(raw[:12<<20], 1<<20)) // of a pull some is left then, and of the next
	frames = append(frames, raw, []byte("{}\n"))
	for _, frame := range frames {
		if err := s.Record(t.Context(), &schema.Frame{At: ingest.Now(), Raw: frame}); err != nil {
			t.Fatal(err)
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Close(t.Context(), "eof"); err != nil {
		t.Fatal(err)
	}
	b.run(sink.Options{})
	b.eventually("SELECT count() FROM frames FINAL", uint64(len(frames)))
	b.eventually("SELECT max(length(raw)) FROM frames FINAL", ingest.DefaultFrameLimit)
}
