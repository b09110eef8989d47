package websocket

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
)

// stuckPublisher accepts no block of the session "stuck" before it is released.
type stuckPublisher struct {
	*ingesttest.Memory
	released chan struct{}
}

func (p stuckPublisher) Publish(ctx context.Context, b ingest.EncodedBlock, done func(error)) error {
	if b.Session == "stuck" {
		select {
		case <-p.released:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return p.Memory.Publish(ctx, b, done)
}

// Connections whose frames the publisher does not accept do not hold up another one.
func TestBlockedPublisherHoldsUpItsConnectionOnly(t *testing.T) {
	l := listen(t, HandlerOptions{Timeout: time.Minute})
	stuck := stuckPublisher{&l.memory, make(chan struct{})}
	t.Cleanup(func() { close(stuck.released) })
	l.handler.recorder = ingest.NewRecorder(stuck, ingest.Settings{BlockFrames: 1})
	for range 100 {
		c := l.dial(t, "?session=stuck&dialect=generic")
		send(t, c, websocket.MessageText, `{"n":0}`)
		send(t, c, websocket.MessageText, `{"n":1}`)
	}
	c := l.dial(t, "?session=s&dialect=generic")
	for i := range int64(20) {
		send(t, c, websocket.MessageText, fmt.Sprintf(`{"n":%d}`, i))
		untilAck(t, c, i)
	}
}

// pipes is a net.Listener of connections without buffers.
type pipes struct {
	net.Listener // provides the address
	accepted     chan net.Conn
	closed       chan struct{}
	close        func()
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.close()
	return p.Listener.Close()
}

// A client that sends and does not read is recorded, and receives the newest
// acknowledgement once it reads.
func TestRecordsClientThatDoesNotRead(t *testing.T) {
	l := &listening{}
	l.handler = NewHandler(ingest.NewRecorder(&l.memory, ingest.Settings{}), HandlerOptions{})
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &pipes{Listener: tcp, accepted: make(chan net.Conn), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	l.Server = &httptest.Server{Listener: p, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.handler.IngestWS(w, r, "default")
	})}}
	l.Start()
	t.Cleanup(l.Close)
	l.Client().Transport.(*http.Transport).DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		select {
		case p.accepted <- theirs:
			return ours, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	c := l.dial(t, "?session=s&dialect=generic")
	const n = 200
	for i := range n {
		send(t, c, websocket.MessageText, fmt.Sprintf(`{"n":%d}`, i))
		if i == 0 {
			l.durable(t, 1) // its acknowledgement waits for the client from now on
		}
	}
	l.durable(t, n)
	if acks := untilAck(t, c, n-1); acks > 3 {
		t.Errorf("%d acknowledgements were waiting", acks)
	}
}

// durable waits until so many frames are published.
func (l *listening) durable(t *testing.T, frames int) {
	t.Helper()
	bounded.Until(t, fmt.Sprintf("%d frames are published", frames), func() bool {
		n := 0
		for _, b := range l.memory.Blocks() {
			n += len(b.Frames)
		}
		return n >= frames
	})
}
