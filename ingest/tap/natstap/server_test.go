package natstap

import (
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/bounded"
	"tapedeck/internal/loopback"
)

// natsServer starts a NATS server with JetStream that a test may stop, and start again on the
// same port and folder.
func natsServer(t *testing.T, change func(*server.Options)) *server.Server {
	t.Helper()
	opts := &server.Options{Host: loopback.Host(), Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true}
	if change != nil {
		change(opts)
	}
	s, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the NATS server did not start")
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s
}

func client(t *testing.T, s *server.Server) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	nc, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return nc, js
}

// agents makes the JetStream stream AGENTS of all subjects below "agents".
func agents(t *testing.T, js jetstream.JetStream, retention jetstream.RetentionPolicy) jetstream.Stream {
	t.Helper()
	s, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "AGENTS", Subjects: []string{"agents.>"}, Retention: retention})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// publish publishes numbered messages on subjects in turn.
func publish(t *testing.T, js jetstream.JetStream, from, to, subjects int) {
	t.Helper()
	for i := from; i < to; i++ {
		if _, err := js.PublishAsync(fmt.Sprintf("agents.a%d.events", i%subjects), []byte(text(i)), jetstream.WithStallWait(bounded.Limit)); err != nil {
			t.Fatal(err)
		}
	}
	<-js.PublishAsyncComplete()
}

func text(i int) string { return fmt.Sprintf(`{"type":"message","n":%d}`, i) }

// freePort returns a port on which nothing listens.
func freePort(t *testing.T) int {
	t.Helper()
	_, port, err := net.SplitHostPort(loopback.Free(t))
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
