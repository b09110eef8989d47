package jetstream_test

import (
	"testing"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/local/localtest"
)

// withSink returns a JetStream with the product's streams and the consumer of a sink.
func withSink(t *testing.T) (*nats.Conn, njs.JetStream, njs.Consumer) {
	t.Helper()
	nc := localtest.NATS(t)
	js, err := njs.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.EnsureStreams(t.Context(), js, jetstream.Config{MaxBytes: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	consumer, err := js.CreateConsumer(t.Context(), jetstream.StreamName, njs.ConsumerConfig{Durable: "sink", AckPolicy: njs.AckExplicitPolicy})
	if err != nil {
		t.Fatal(err)
	}
	return nc, js, consumer
}

// Progress never says that a block is stored that was published a moment ago, although the server counts the
// pending messages of a consumer only after it has acknowledged their publishing.
func TestProgressOfWhatWasJustPublished(t *testing.T) {
	nc, js, consumer := withSink(t)
	read, err := jetstream.ReadProgress(nc, "sink")
	if err != nil {
		t.Fatal(err)
	}
	early := 0
	for n := uint64(1); n <= 1000; n++ {
		if _, err := js.Publish(t.Context(), ingest.Subject("default", "s"), []byte("a block")); err != nil {
			t.Fatal(err)
		}
		if info, err := consumer.Info(t.Context()); err != nil {
			t.Fatal(err)
		} else if info.NumPending == 0 {
			early++
		}
		progress, err := read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if p := progress[0]; p.Last != n || p.Stored != n-1 {
			t.Fatalf("after %d blocks: %+v", n, p)
		}
		m, err := consumer.Next()
		if err != nil {
			t.Fatal(err)
		}
		if err := m.DoubleAck(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("the server did not count a message yet %d times", early)
	if progress, err := read(t.Context()); err != nil || progress[0].Stored != 1000 {
		t.Errorf("all are stored: %+v, %v", progress, err)
	}
}

// What was removed before a consumer was sent it is not waited for.
func TestDrainedWithoutRemovedMessages(t *testing.T) {
	_, js, consumer := withSink(t)
	for range 3 {
		if _, err := js.Publish(t.Context(), ingest.Subject("default", "s"), []byte("a block")); err != nil {
			t.Fatal(err)
		}
	}
	s, err := js.Stream(t.Context(), jetstream.StreamName)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		remove uint64
		want   bool
	}{{3, false}, {1, false}, {2, true}} {
		if err := s.DeleteMsg(t.Context(), c.remove); err != nil {
			t.Fatal(err)
		}
		info, err := consumer.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		info.NumPending = 0 // as the server counts what it has not noticed yet
		if got, err := jetstream.Drained(t.Context(), s, info, 3); err != nil || got != c.want {
			t.Errorf("without message %d: %v, %v, want %v", c.remove, got, err, c.want)
		}
	}
}
