package jetstream_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/metric/metrictest"
)

// results publish blocks and collect what comes of them.
type results struct{ ingesttest.Results }

func (r *results) publish(t *testing.T, p *jetstream.Publisher, id string, data []byte) {
	t.Helper()
	r.publishFor(t, p, "s", id, data)
}

func (r *results) publishFor(t *testing.T, p *jetstream.Publisher, session, id string, data []byte) {
	t.Helper()
	r.publishAs(t, p, "default", session, id, data)
}

func (r *results) publishAs(t *testing.T, p *jetstream.Publisher, tenant, session, id string, data []byte) {
	t.Helper()
	b := ingest.EncodedBlock{Tenant: tenant, Session: session, ID: id, Data: data}
	if err := p.Publish(t.Context(), b, r.Of(t, id)); err != nil {
		r.Refused()
		t.Error(err)
	}
}

// publishing is a publisher and the stream that it publishes to.
func publishing(t *testing.T) (*jetstream.Publisher, njs.Stream) {
	t.Helper()
	nc := localtest.NATS(t)
	js, err := njs.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	s, err := jetstream.EnsureStreams(t.Context(), js, jetstream.Config{MaxBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	p, err := jetstream.NewPublisher(nc)
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// More blocks than the window takes are all confirmed, and lie in the stream in
// their order, each once, though one is sent twice.
func TestPublish(t *testing.T) {
	p, s := publishing(t)
	const blocks = 6000
	var f results
	for i := range blocks {
		f.publish(t, p, fmt.Sprint("id", i), fmt.Append(nil, i))
	}
	f.publish(t, p, "id0", []byte("0"))
	for i, err := range f.Wait(t) {
		if err != nil {
			t.Fatalf("block %d: %v", i, err)
		}
	}
	info, err := s.Info(t.Context())
	if err != nil || info.State.Msgs != blocks {
		t.Fatalf("%d blocks in the stream, %v", info.State.Msgs, err)
	}
	for _, n := range []uint64{1, 2, blocks / 2, blocks} {
		m, err := s.GetMsg(t.Context(), n)
		if err != nil || string(m.Data) != fmt.Sprint(n-1) || m.Header.Get(njs.MsgIDHeader) != fmt.Sprintf("id%d@default", n-1) ||
			m.Subject != ingest.Subject("default", "s") {
			t.Fatalf("block %d: %+v, %v", n, m, err)
		}
	}
}

// JetStream drops what has an id that it knows, whatever its subject: a block of one tenant must
// not be dropped for the id that another tenant's client set on one.
func TestSameIDInTenants(t *testing.T) {
	p, s := publishing(t)
	var f results
	for _, tenant := range []string{"acme", "globex", "acme"} {
		f.publishAs(t, p, tenant, "s", "stream.1.1", []byte(tenant))
	}
	if err := errors.Join(f.Wait(t)...); err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(t.Context())
	if err != nil || info.State.Msgs != 2 {
		t.Errorf("%d blocks in the stream, %v; want one of each tenant", info.State.Msgs, err)
	}
}

// The error of a refused block says what to do.
func TestRefused(t *testing.T) {
	metrictest.Grow(t, "tapedeck_publish_failures_total")
	nc := localtest.NATS(t)
	p, err := jetstream.NewPublisher(nc)
	if err != nil {
		t.Fatal(err)
	}
	var none results
	none.publish(t, p, "id", []byte("x"))
	if results := none.Wait(t); !errors.Is(results[0], nats.ErrNoResponders) || !strings.Contains(results[0].Error(), jetstream.StreamName) {
		t.Errorf("without a stream: %v", results[0])
	}
	js, err := njs.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.EnsureStreams(t.Context(), js, jetstream.Config{MaxBytes: 4096}); err != nil {
		t.Fatal(err)
	}
	var full results
	full.publish(t, p, "fits", []byte("x"))
	full.Wait(t)
	full.publish(t, p, "large", bytes.Repeat([]byte("x"), 8192))
	results := full.Wait(t)
	if results[0] != nil || results[1] == nil || !strings.Contains(results[1].Error(), "the sink is behind") {
		t.Errorf("a full stream: %v", results)
	}
}

// unanswered is a connection to a server that takes blocks and never answers.
func unanswered(t *testing.T) *nats.Conn {
	t.Helper()
	server := localtest.Broker(t, broker.Options{})
	nc, err := server.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	silent, err := server.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(silent.Close)
	if _, err := silent.SubscribeSync(ingest.SubjectPrefix + ">"); err != nil {
		t.Fatal(err)
	}
	if err := silent.Flush(); err != nil {
		t.Fatal(err)
	}
	return nc
}

// Blocks whose answers can come no more, since the connection is gone, are given
// up at once, those among them that were not sent yet; and further ones are not taken.
func TestClosedConnection(t *testing.T) {
	nc := unanswered(t)
	p, err := jetstream.NewPublisher(nc)
	if err != nil {
		t.Fatal(err)
	}
	var f results
	for i, session := range sameBucket(10) {
		f.publishFor(t, p, session, fmt.Sprint("id", i), []byte("x"))
	}
	metrictest.Show(t, "tapedeck_publish_in_flight_messages")
	nc.Close()
	results := f.Wait(t)
	for _, err := range results[:4] { // sent, and without an answer
		if !errors.Is(err, nats.ErrDisconnected) {
			t.Error(err)
		}
	}
	if len(results) != 10 || slices.Contains(results, nil) {
		t.Errorf("results %v", results)
	}
	err = p.Publish(t.Context(), ingest.EncodedBlock{Tenant: "default", Session: "s", ID: "id", Data: []byte("x")}, nil)
	if !errors.Is(err, nats.ErrDisconnected) {
		t.Errorf("after the connection was closed: %v", err)
	}
}
