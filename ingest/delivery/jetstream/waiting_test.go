package jetstream_test

import (
	"fmt"
	"testing"
	"time"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// What waits of a tenant is counted in frames and streams, with when they arrived, until it is acknowledged.
func TestWaiting(t *testing.T) {
	nc := localtest.NATS(t)
	js, err := njs.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.EnsureStreams(t.Context(), js, jetstream.Config{MaxBytes: 16 << 20}); err != nil {
		t.Fatal(err)
	}
	newReader := func() *jetstream.WaitingReader { // it remembers nothing
		t.Helper()
		r, err := jetstream.NewWaitingReader(nc, "sink")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	read := func(tenant string) jetstream.Waiting {
		t.Helper()
		w, err := newReader().Read(t.Context(), tenant)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	hasIn := func(from, to time.Time) bool {
		t.Helper()
		in, err := newReader().HasFramesIn(t.Context(), "a", from, to)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	june := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	if w := read("a"); w.Frames != 0 || w.More || !w.OldestAt.IsZero() || hasIn(june, june.AddDate(1, 0, 0)) {
		t.Errorf("empty: %+v", w)
	}
	publish := func(tenant, stream string, frames, day int) {
		t.Helper()
		b := block.Block{Tenant: tenant, Session: "s", State: schema.StreamState{StreamID: stream}}
		for i := range frames {
			b.Frames = append(b.Frames, schema.Frame{Seq: uint64(i), At: june.AddDate(0, 0, day).UnixNano() + int64(i), Raw: []byte("{}\n")})
		}
		if _, err := js.Publish(t.Context(), ingest.Subject(tenant, "s"), block.Encode(nil, &b, block.S2)); err != nil {
			t.Fatal(err)
		}
	}
	stream := func(n int) string { return fmt.Sprintf("01a21a5c-21ce-79be-80de-%012d", n) }
	publish("a", stream(1), 3, 0)
	publish("b", stream(2), 50, 9)
	publish("a", stream(1), 4, 1)
	publish("a", stream(3), 5, 2)
	if w := read("a"); w.Frames != 12 || w.Streams != 2 || w.More || w.OldestAt.IsZero() {
		t.Errorf("without a sink: %+v", w)
	}
	if w := read("c"); w.Frames != 0 || w.More {
		t.Errorf("of a tenant without any: %+v", w)
	}
	consumer, err := js.CreateOrUpdateConsumer(t.Context(), jetstream.StreamName, njs.ConsumerConfig{Durable: "sink", AckPolicy: njs.AckExplicitPolicy})
	if err != nil {
		t.Fatal(err)
	}
	settle := func() {
		t.Helper()
		m, err := consumer.Next()
		if err == nil {
			err = m.DoubleAck(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	settle()
	settle()
	w := read("a")
	if w.Frames != 9 || w.Streams != 2 {
		t.Errorf("two messages later: %+v", w)
	}
	for _, tc := range []struct {
		from, to int // days
		in       bool
	}{{0, 1, false}, {1, 2, true}, {2, 3, true}, {3, 40, false}, {-300, 300, true}} {
		if got := hasIn(june.AddDate(0, 0, tc.from), june.AddDate(0, 0, tc.to)); got != tc.in {
			t.Errorf("in the days %d to %d: %v", tc.from, tc.to, got)
		}
	}
	settle()
	settle()
	if w := read("a"); w.Frames != 0 || w.More || !w.OldestAt.IsZero() {
		t.Errorf("all is stored: %+v", w)
	}
}

// An answer that is returned again is as of the time at which it was read: a client that has recorded
// something since then sees that the answer does not cover it.
func TestWaitingAgain(t *testing.T) {
	nc := localtest.NATS(t)
	js, err := njs.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.EnsureStreams(t.Context(), js, jetstream.Config{MaxBytes: 16 << 20}); err != nil {
		t.Fatal(err)
	}
	r, err := jetstream.NewWaitingReader(nc, "sink")
	if err != nil {
		t.Fatal(err)
	}
	first, err := r.Read(t.Context(), "a")
	if err != nil || first.At.IsZero() {
		t.Fatalf("%+v, %v", first, err)
	}
	b := block.Block{
		Tenant: "a", Session: "s", State: schema.StreamState{StreamID: "01a21a5c-21ce-79be-80de-000000000001"},
		Frames: []schema.Frame{{At: time.Now().UnixNano(), Raw: []byte("{}\n")}},
	}
	if _, err := js.Publish(t.Context(), ingest.Subject("a", "s"), block.Encode(nil, &b, block.S2)); err != nil {
		t.Fatal(err)
	}
	published := time.Now()
	bounded.Until(t, "the frame to wait", func() bool {
		w, err := r.Read(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		if w.Frames == 0 && w.At.After(published) {
			t.Fatalf("complete to %v, without the frame of %v", w.At, published)
		}
		return w.Frames == 1
	})
}
