package jetstream_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	njs "github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/metric/metrictest"
)

// The backlog is all of the stream before a sink ever ran, then what it has not
// acknowledged, and ages from when its oldest message was published.
func TestBacklog(t *testing.T) {
	nc := localtest.NATS(t)
	js, err := njs.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	s, err := jetstream.EnsureStreams(t.Context(), js, jetstream.Config{MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	read := func() jetstream.Backlog { // by a new reader, which remembers nothing
		t.Helper()
		r, err := jetstream.NewBacklogReader(nc, "sink")
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if b := read(); b.Messages != 0 || b.Unstored != 0 || b.Age() != 0 || b.Limit != 1<<20 || b.Fill != 0 {
		t.Errorf("empty: %+v", b)
	}
	published := make([]time.Time, 5)
	for i := range published {
		if _, err := js.Publish(t.Context(), ingest.Subject("default", "s"), make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		m, err := s.GetMsg(t.Context(), uint64(i+1))
		if err != nil {
			t.Fatal(err)
		}
		published[i] = m.Time
	}
	if b := read(); b.Messages != 5 || b.Unstored != 5 || b.UnstoredBytes != b.Bytes || !b.OldestAt.Equal(published[0]) || b.Fill < 5000.0/(1<<20) {
		t.Errorf("without a sink: %+v, want the oldest of %v", b, published[0])
	}
	consumer, err := js.CreateOrUpdateConsumer(t.Context(), jetstream.StreamName, njs.ConsumerConfig{
		Durable: "sink", AckPolicy: njs.AckExplicitPolicy, DeliverPolicy: njs.DeliverAllPolicy,
	})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := consumer.Fetch(3)
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	var third njs.Msg // which is in flight to ClickHouse
	for m := range messages.Messages() {
		if taken++; taken == 3 {
			third = m
		} else if err := m.DoubleAck(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	b := read()
	if b.Messages != 5 || b.Unstored != 3 || b.UnstoredBytes != b.Bytes*3/5 || !b.OldestAt.Equal(published[2]) || b.Age() < time.Since(published[2])-time.Minute {
		t.Errorf("two stored, one in flight: %+v, want the oldest of %v", b, published[2])
	}
	if err := third.Nak(); err != nil {
		t.Fatal(err)
	}
	for again := uint64(0); again != 3; { // JetStream may process the request for a message before the Nak
		m, err := consumer.Next()
		if err != nil {
			t.Fatalf("the third once more: %v", err)
		}
		meta, err := m.Metadata()
		if err != nil {
			t.Fatal(err)
		}
		again = meta.Sequence.Stream
	}
	r, err := jetstream.NewBacklogReader(nc, "sink")
	if err != nil {
		t.Fatal(err)
	}
	metrictest.Of(r).Show(t, "tapedeck_jetstream_in_flight_messages", "tapedeck_jetstream_redelivered_messages",
		"tapedeck_jetstream_unstored_messages", "tapedeck_jetstream_unstored_bytes", "tapedeck_jetstream_oldest_unstored_seconds")
}

// A caller that leaves before the answer spoils nobody else's.
func TestBacklogCallerLeaves(t *testing.T) {
	nc := localtest.NATS(t)
	js, err := njs.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.EnsureStreams(t.Context(), js, jetstream.Config{MaxBytes: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	r, err := jetstream.NewBacklogReader(nc, "sink")
	if err != nil {
		t.Fatal(err)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := r.Read(left); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that left: %v", err)
	}
	if _, err := r.Read(t.Context()); err != nil {
		t.Errorf("the next caller: %v", err)
	}
}

// JetStream is asked once a second however often the reader is, and a scrape
// while it is away says so.
func TestBacklogMetrics(t *testing.T) {
	nc := localtest.NATS(t)
	r, err := jetstream.NewBacklogReader(nc, "sink")
	if err != nil {
		t.Fatal(err)
	}
	const away = `
# HELP tapedeck_jetstream_up 1 if JetStream answered, so that the other metrics of this name are present, else 0.
# TYPE tapedeck_jetstream_up gauge
tapedeck_jetstream_up 0
`
	if err := testutil.CollectAndCompare(r, strings.NewReader(away)); err != nil { // there is no stream
		t.Error(err)
	}
	requests, err := nc.SubscribeSync("$JS.API.>")
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		_, _ = r.Read(t.Context()) // it fails: there is no stream
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	if n, _, err := requests.Pending(); err != nil || n > 50 {
		t.Errorf("100 readings asked JetStream %d times, %v", n, err)
	}
}
