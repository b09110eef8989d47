package jetstream_test

import (
	"errors"
	"testing"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/local/localtest"
)

func TestMain(m *testing.M) { localtest.Main(m) }

// What an acknowledgement means can be changed, but never at the price of what
// is not stored yet.
func TestDurabilityChanges(t *testing.T) {
	js, err := njs.New(localtest.NATS(t))
	if err != nil {
		t.Fatal(err)
	}
	ensure := func(c jetstream.Config) error {
		c.MaxBytes = 1 << 30
		_, err := jetstream.EnsureStreams(t.Context(), js, c)
		return err
	}
	mode := func() njs.PersistModeType {
		s, err := js.Stream(t.Context(), jetstream.StreamName)
		if err != nil {
			t.Fatal(err)
		}
		return s.CachedInfo().Config.PersistMode
	}
	if err := ensure(jetstream.Config{}); err != nil || mode() != njs.DefaultPersistMode {
		t.Fatalf("written: %v, mode %v", err, mode())
	}
	if err := ensure(jetstream.Config{Durability: jetstream.Fsynced}); err != nil {
		t.Errorf("fsynced: %v", err)
	}
	if _, err := js.Publish(t.Context(), ingest.Subject("default", "s"), []byte("a block")); err != nil {
		t.Fatal(err)
	}
	if err := ensure(jetstream.Config{Durability: jetstream.Memory}); err == nil {
		t.Error("a stream of others was made anew")
	}
	if err := ensure(jetstream.Config{Durability: jetstream.Memory, Recreate: true}); !errors.Is(err, jetstream.ErrNotEmpty) {
		t.Errorf("nobody has stored it: %v", err)
	}
	consumer, err := js.CreateConsumer(t.Context(), jetstream.StreamName, njs.ConsumerConfig{Durable: "sink", AckPolicy: njs.AckExplicitPolicy})
	if err != nil {
		t.Fatal(err)
	}
	m, err := consumer.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := ensure(jetstream.Config{Durability: jetstream.Memory, Recreate: true}); !errors.Is(err, jetstream.ErrNotEmpty) {
		t.Errorf("it is being stored: %v", err)
	}
	if err := m.DoubleAck(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := ensure(jetstream.Config{Durability: jetstream.Memory, Recreate: true}); err != nil || mode() != njs.AsyncPersistMode {
		t.Errorf("memory: %v, mode %v", err, mode())
	}
	if err := ensure(jetstream.Config{Recreate: true}); err != nil || mode() != njs.DefaultPersistMode {
		t.Errorf("and back: %v, mode %v", err, mode())
	}
}
