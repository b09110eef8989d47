package spool

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/loopback"
)

// startNATS runs a real server; port -1 takes any.
func startNATS(t *testing.T, dir string, port int) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: loopback.Host(), Port: port, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("NATS does not start")
	}
	return s
}

func stopNATS(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// A real NATS server goes away and comes back while blocks flow: each is
// durable at once, and all are in the stream.
func TestBeforeJetStream(t *testing.T) {
	dir := t.TempDir()
	ns := startNATS(t, dir, -1)
	address := ns.ClientURL()
	nc, err := nats.Connect(address, nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond), nats.ReconnectBufSize(-1))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := njs.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.EnsureStreams(t.Context(), js, jetstream.Config{MaxBytes: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	next, err := jetstream.NewPublisher(nc)
	if err != nil {
		t.Fatal(err)
	}
	f := &ingesttest.Results{}
	s := openAt(t, Options{Dir: t.TempDir(), Next: next})
	for round := range 3 {
		from := round * 300
		publish(t, s, f, from, from+100, 20_000)
		stopNATS(ns)
		publish(t, s, f, from+100, from+200, 20_000)
		f.Wait(t) // while there is no server
		if st := s.State(); st.Mode != "spooling" || st.Blocks < 100 {
			t.Errorf("round %d: %+v", round, st)
		}
		ns = startNATS(t, dir, port(t, address))
		publish(t, s, f, from+200, from+300, 20_000)
		drained(t, s)
	}
	f.Durable(t)
	wantSameIDs(t, ids(0, 900), inOrder(idsInStream(t, js)))
	closeNow(t, s)
	nc.Close()
	stopNATS(ns)
}

func port(t *testing.T, address string) int {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// idsInStream reads the ids of all blocks in the stream.
func idsInStream(t *testing.T, js njs.JetStream) []string {
	t.Helper()
	consumer, err := js.OrderedConsumer(t.Context(), jetstream.StreamName, njs.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), jetstream.StreamName)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for range stream.CachedInfo().State.Msgs {
		m, err := consumer.Next(njs.FetchMaxWait(bounded.Limit))
		if err != nil {
			t.Fatal(err)
		}
		id, _, _ := strings.Cut(m.Headers().Get(njs.MsgIDHeader), "@") // the tenant follows
		all = append(all, id)
	}
	return all
}
