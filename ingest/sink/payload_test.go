package sink_test

import (
	"crypto/rand"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/loopback"
	"tapedeck/schema"
	"tapedeck/schema/block"
	"tapedeck/schema/clickhouse"
)

// startNATS starts a NATS server that accepts messages of so many bytes; port -1 takes any.
func startNATS(t *testing.T, dir string, port int, payload int32) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: loopback.Host(), Port: port, JetStream: true, StoreDir: dir, MaxPayload: payload, NoSigs: true, NoLog: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(bounded.Limit) {
		t.Fatal("NATS does not start")
	}
	return s
}

func stopNATS(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// A sink that runs while NATS is started again with a larger max_payload receives larger messages.
func TestLargerPayload(t *testing.T) {
	dir := t.TempDir()
	ns := startNATS(t, dir, -1, 1<<20)
	port := ns.Addr().(*net.TCPAddr).Port
	nc, err := nats.Connect(ns.ClientURL(), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	b := &bench{t: t, nc: nc, dsn: localtest.ClickHouse(t)}
	if b.js, err = njs.New(nc); err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.EnsureStreams(t.Context(), b.js, jetstream.Config{MaxBytes: 1 << 28}); err != nil {
		t.Fatal(err)
	}
	if b.db, err = clickhouse.Open(b.dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.db.Close() })
	b.migrate()
	s, _ := b.run(sink.Options{})
	b.waitStatus(s, "well", func(st sink.Status) bool { return st.OK })
	stopNATS(ns)
	ns = startNATS(t, dir, port, 20<<20)
	t.Cleanup(func() { stopNATS(ns) })
	bounded.Until(t, "NATS is connected with the larger max_payload", func() bool { return nc.IsConnected() && nc.MaxPayload() == 20<<20 })
	raw := make([]byte, 10<<20)
	_, _ = rand.Read(raw) // it never fails
	data := block.Encode(nil, &block.Block{
		Session: "s", State: schema.StreamState{StreamID: schema.NewStreamID(), Frames: 1},
		Frames: []schema.Frame{{At: ingest.Now(), Raw: raw}},
	}, block.S2)
	bounded.Until(t, "JetStream has the block", func() bool {
		_, err := b.js.Publish(t.Context(), ingest.Subject("default", "s"), data, njs.WithMsgID("large"))
		return err == nil
	})
	b.eventually("SELECT max(length(raw)) FROM frames FINAL", uint64(len(raw)))
}
