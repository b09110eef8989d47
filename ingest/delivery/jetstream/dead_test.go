package jetstream_test

import (
	"testing"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
)

// On a disk of 220 MB local mode has 110 MB for streams, half of them for blocks.
// The dead-letter stream takes what is left, and grows when there is more.
func TestDeadLettersOnASmallDisk(t *testing.T) {
	dir := t.TempDir()
	limitWith := func(store int64) (limit int64, whole bool) {
		t.Helper()
		b := localtest.Broker(t, broker.Options{Dir: dir, MaxStore: store})
		nc, err := b.Connect()
		if err != nil {
			t.Fatal(err)
		}
		js, err := njs.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		config := jetstream.Config{MaxBytes: 55 << 20}
		if _, err := jetstream.EnsureStreams(t.Context(), js, config); err != nil {
			t.Fatalf("with %d bytes for streams: %v", store, err)
		}
		if _, whole, err = jetstream.EnsureDead(t.Context(), js, config); err != nil {
			t.Fatal(err)
		}
		dead, err := js.Stream(t.Context(), jetstream.DeadName)
		if err != nil {
			t.Fatal(err)
		}
		nc.Close()
		if err := b.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		return dead.CachedInfo().Config.MaxBytes, whole
	}
	for _, c := range []struct {
		store, want int64
		whole       bool
	}{
		{110 << 20, 32 << 20, false},
		{110 << 20, 32 << 20, false}, // as it is
		{400 << 20, 64 << 20, true},  // the disk has grown
		{125 << 20, 64 << 20, true},  // it never shrinks
	} {
		if limit, whole := limitWith(c.store); limit != c.want || whole != c.whole {
			t.Errorf("with %d bytes for streams: a limit of %d, whole %v, want %d, %v", c.store, limit, whole, c.want, c.whole)
		}
	}
}
