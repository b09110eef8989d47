package live_test

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/ingest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
	"tapedeck/replay/live"
	"tapedeck/replay/player"
	"tapedeck/schema"
)

// slowWire is how a connection comes by what the other side sends: not at all while
// it is held.
type slowWire struct{ held sync.Mutex }

type slowConn struct {
	net.Conn
	wire *slowWire
}

func (c slowConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.wire.held.Lock()
	defer c.wire.held.Unlock()
	return n, err
}

// Dial implements nats.CustomDialer.
func (w *slowWire) Dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	return slowConn{c, w}, err
}

// waitStored waits until a session's only stream is stored up to a frame.
func (b *bench) waitStored(session string, frames uint64) {
	b.t.Helper()
	bounded.Until(b.t, fmt.Sprintf("%d frames are stored", frames), func() bool {
		tape, err := b.store.Tape(b.t.Context(), ingest.DefaultTenant, session)
		return err == nil && tape.Streams()[0].Frames == frames
	})
}

// What is stored shows that a session has ended before its last blocks have come
// from JetStream: the follower gets them all the same.
func TestEndBeforeItsBlocks(t *testing.T) {
	t.Parallel()
	server := localtest.Broker(t, broker.Options{Listen: "127.0.0.1:0"})
	b := benchOn(t, connect(t, server))
	b.startSink()
	wire := &slowWire{}
	slow, err := nats.Connect(server.URL(), nats.SetCustomDialer(wire))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(slow.Close)
	l := b.library(func(o *live.Options) { o.NATS, o.Grace = slow, 100*time.Millisecond })
	s := b.stream("session", schema.NDJSON)
	record(t, s, 10)
	out, reached := newSeen(), make(chan struct{})
	out.stop = func(s *seen) error {
		if s.count == 20 {
			close(reached)
		}
		return nil
	}
	done := make(chan error, 1)
	b.waitStored("session", 10)
	go func() {
		_, err := follow(l, "session", out, player.Options{Speed: player.Max}, "")
		done <- err
	}()
	record(t, s, 10)
	bounded.Receive(t, reached)
	wire.held.Lock()
	record(t, s, 30)
	end(t, s)
	b.waitStored("session", 50)
	time.Sleep(500 * time.Millisecond) // longer than Grace: a follower that counts it now ends too early
	wire.held.Unlock()
	if err := bounded.Receive(t, done); err != nil {
		t.Fatal(err)
	}
	if err := out.check(map[string]int{s.ID(): 50}); err != nil {
		t.Error(err)
	}
}
