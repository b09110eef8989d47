package live_test

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
	"tapedeck/replay/live"
)

// lossy opens connections that lose what they receive while losing is set.
type lossy struct {
	losing atomic.Bool
	latest atomic.Pointer[net.Conn]
}

func (l *lossy) Dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	if err != nil {
		return nil, err
	}
	l.latest.Store(&c)
	return &lossyConn{c, l}, nil
}

type lossyConn struct {
	net.Conn
	l *lossy
}

func (c *lossyConn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil || !c.l.losing.Load() {
			return n, err
		}
	}
}

// TestLostInTransit breaks the connection to NATS while the last block of a session is under
// way. No block follows from which the loss could be seen, and NATS sends none twice.
func TestLostInTransit(t *testing.T) {
	t.Parallel()
	server := localtest.Broker(t, broker.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Token: "token"})
	b := benchOn(t, connect(t, server))
	dialer := &lossy{}
	nc, err := nats.Connect(server.URL(), nats.SetCustomDialer(dialer), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	l := b.library(func(o *live.Options) { o.NATS = nc })
	a := b.hand(0)
	a.send(0, false)
	begin := time.Now()
	got := arrivals(t, l, []*hand{a}, func(came func(int)) {
		came(2)
		dialer.losing.Store(true)
		a.send(1, true)
		bounded.Until(t, "NATS delivers the block", func() bool {
			s, err := b.js.Stream(t.Context(), jetstream.StreamName)
			if err != nil {
				t.Fatal(err)
			}
			delivered := false
			for c := range s.ListConsumers(t.Context()).Info() { // to its end, or the goroutine that sends stays
				delivered = delivered || c.Delivered.Consumer == 2
			}
			return delivered
		})
		time.Sleep(50 * time.Millisecond) // NATS counts a block as delivered before the connection has it
		_ = (*dialer.latest.Load()).Close()
		dialer.losing.Store(false)
	})
	if text := strings.Join(got, " "); text != "a0 a1 a2 a3" {
		t.Errorf("got %s", text)
	}
	if took := time.Since(begin); took > bounded.Limit/2 {
		t.Errorf("took %s", took)
	}
}
