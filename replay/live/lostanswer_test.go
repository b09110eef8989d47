package live

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// A request to JetStream whose answer is lost fails within requestTimeout, also for a reader whose
// context has a later deadline, so that the reader can ask again.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	nc, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	// The server has no JetStream. This subscription takes the requests and answers none.
	if _, err := nc.Subscribe("$JS.API.>", func(*nats.Msg) {}); err != nil {
		t.Fatal(err)
	}
	l, err := New(Options{NATS: nc, Locate: func(context.Context, string, string) (string, []string, error) {
		return "STREAM", []string{"a", "b"}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	asked := make(chan error, 1)
	go func() {
		_, err := l.first(ctx, &session{"t", "s"})
		asked <- err
	}()
	select {
	case err := <-asked:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want that the request took too long", err)
		}
	case <-time.After(4 * requestTimeout):
		t.Fatal("the reader still waits for the answer")
	}
}
