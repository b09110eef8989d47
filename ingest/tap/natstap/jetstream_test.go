package natstap

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
)

// A recording that is stopped goes on where it stopped, in the same streams, with the times at
// which JetStream stored the messages.
func TestResumed(t *testing.T) {
	for _, consumer := range []string{"", "tapedeck"} {
		s := natsServer(t, nil)
		_, js := client(t, s)
		stream := agents(t, js, jetstream.LimitsPolicy)
		m := &ingesttest.Memory{}
		opts := Options{Servers: s.ClientURL(), Stream: "AGENTS", Consumer: consumer, StateDir: t.TempDir()}
		const n = 400
		for round := range 4 {
			publish(t, js, round*n/4, (round+1)*n/4, 3)
			r := start(t, m, ingest.StreamOptions{Dialect: "generic"}, opts)
			bounded.Until(t, "all to be recorded", func() bool { return check(t, m.Blocks(), n, false) == (round+1)*n/4 })
			if res, err := r.stop(); err != nil || res.Frames != n/4 {
				t.Fatalf("round %d: %+v, %v", round, res, err)
			}
		}
		check(t, m.Blocks(), n, true)
		if ids := m.Streams(); len(ids) != 3 {
			t.Errorf("%d streams, want one for each of 3 subjects", len(ids))
		}
		first, err := stream.GetMsg(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range m.Streams() {
			if f := m.Frames(id)[0]; strings.HasSuffix(string(f.Raw), text(0)) && f.At != first.Time.UnixNano() {
				t.Errorf("the first frame is of %d, want %d", f.At, first.Time.UnixNano())
			}
		}
	}
}

// Messages are acknowledged once they are durable, and one that is delivered again because that
// takes long is not recorded twice.
func TestRedelivered(t *testing.T) {
	s := natsServer(t, nil)
	_, js := client(t, s)
	stream := agents(t, js, jetstream.LimitsPolicy)
	consumer, err := stream.CreateConsumer(t.Context(), jetstream.ConsumerConfig{Durable: "c", AckPolicy: jetstream.AckExplicitPolicy, AckWait: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	m := &ingesttest.Memory{}
	m.Delay(500 * time.Millisecond)
	r := start(t, m, ingest.StreamOptions{Dialect: "generic"}, Options{Servers: s.ClientURL(), Stream: "AGENTS", Consumer: "c", StateDir: t.TempDir()})
	publish(t, js, 0, 20, 2)
	bounded.Until(t, "messages to be delivered again", func() bool {
		info, err := consumer.Info(t.Context())
		return err == nil && info.Delivered.Consumer > 25 && info.AckFloor.Stream == 0 || err == nil && info.AckFloor.Stream == 20
	})
	bounded.Until(t, "all to be acknowledged", func() bool {
		info, err := consumer.Info(t.Context())
		return err == nil && info.AckFloor.Stream == 20 && info.NumAckPending == 0
	})
	if res, err := r.stop(); err != nil || res.Messages != 20 || res.Frames != 20 {
		t.Errorf("%+v, %v", res, err)
	}
	check(t, m.Blocks(), 20, true)
}

// While the server is away the recording waits and logs it once. JetStream messages are all
// recorded afterwards; a subscription notes the gap.
func TestReconnected(t *testing.T) {
	var opts server.Options
	s := natsServer(t, func(o *server.Options) { o.Port = freePort(t); opts = *o })
	nc, js := client(t, s)
	agents(t, js, jetstream.LimitsPolicy)
	m, core := &ingesttest.Memory{}, &ingesttest.Memory{}
	so := ingest.StreamOptions{Dialect: "generic"}
	byPosition := start(t, m, so, Options{Servers: s.ClientURL(), Stream: "AGENTS", StateDir: t.TempDir()})
	subscribed := start(t, core, so, Options{Servers: s.ClientURL(), Subject: "agents.>"})
	publish(t, js, 0, 100, 2)
	both := func(n int) func() bool {
		return func() bool { return check(t, m.Blocks(), n, false) == n && len(core.Blocks()) > 0 }
	}
	bounded.Until(t, "the first to be recorded", both(100))
	s.Shutdown()
	s.WaitForShutdown()
	bounded.Until(t, "the end to be noticed", func() bool {
		return byPosition.log.has("connection lost") && subscribed.log.has("connection lost")
	})
	again := opts
	natsServer(t, func(o *server.Options) { *o = again })
	bounded.Until(t, "the client to connect", nc.IsConnected)
	bounded.Until(t, "the subscription", func() bool { return subscribed.log.has("nats tap: reconnected") })
	publish(t, js, 100, 200, 2)
	bounded.Until(t, "all to be recorded", both(200))
	bounded.Until(t, "the gap to be noted", func() bool {
		for raw, f := range subscribed.frames() {
			if f.Flags.Has(schema.FlagNote|schema.FlagEventGap) && strings.Contains(raw, "connection was lost") {
				return true
			}
		}
		return false
	})
	for _, r := range []*running{byPosition, subscribed} {
		if res, err := r.stop(); err != nil || res.Lost != 1 || r.log.count("nats tap: connection lost") != 1 {
			t.Errorf("%+v, %v; logged\n%s", res, err, r.log.String())
		}
	}
	check(t, m.Blocks(), 200, true)
}

// What JetStream removed before it was recorded is counted and noted.
func TestRemoved(t *testing.T) {
	s := natsServer(t, nil)
	_, js := client(t, s)
	stream := agents(t, js, jetstream.LimitsPolicy)
	m := &ingesttest.Memory{}
	opts := Options{Servers: s.ClientURL(), Stream: "AGENTS", StateDir: t.TempDir()}
	publish(t, js, 0, 10, 1)
	r := start(t, m, ingest.StreamOptions{Dialect: "generic", Session: "s"}, opts)
	bounded.Until(t, "the first", func() bool { return check(t, m.Blocks(), 10, false) == 10 })
	if _, err := r.stop(); err != nil {
		t.Fatal(err)
	}
	publish(t, js, 10, 20, 1)
	if err := stream.Purge(t.Context(), jetstream.WithPurgeSequence(16)); err != nil {
		t.Fatal(err)
	}
	r = start(t, m, ingest.StreamOptions{Dialect: "generic", Session: "s"}, opts)
	bounded.Until(t, "the rest", func() bool {
		for raw := range r.frames() {
			if strings.HasSuffix(raw, text(19)) {
				return true
			}
		}
		return false
	})
	if res, err := r.stop(); err != nil || res.Removed != 5 || res.Messages != 5 {
		t.Errorf("%+v, %v", res, err)
	}
	notes := 0
	for raw, f := range r.frames() {
		if f.Flags.Has(schema.FlagNote) {
			notes++
			if !strings.Contains(raw, "11 to 15") {
				t.Errorf("note %q", raw)
			}
		}
	}
	if notes != 1 {
		t.Errorf("%d notes", notes)
	}
}
