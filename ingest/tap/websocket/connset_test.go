package websocket

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Once the handler is shut down there are no more connections, and shutting it
// down again is no error.
func TestNoneAfterShutdown(t *testing.T) {
	l := listen(t, HandlerOptions{})
	for range 2 {
		if err := l.shutdown(); err != nil {
			t.Fatal(err)
		}
	}
	_, resp, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(l.URL, "http"), &websocket.DialOptions{HTTPClient: l.Client()})
	if err == nil || resp == nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a connection after the end: %v %v", resp, err)
	}
	if len(l.memory.Blocks()) != 0 {
		t.Error("something was recorded")
	}
}

// A shutdown waits for what came to be durable, and no longer than its context.
func TestShutdownWaits(t *testing.T) {
	l := listen(t, HandlerOptions{Timeout: time.Minute})
	c := l.dial(t, "?session=s&dialect=loom")
	send(t, c, websocket.MessageText, `{"n":0}`)
	untilAck(t, c, 0)
	l.memory.Stall()
	t.Cleanup(l.memory.Resume)
	send(t, c, websocket.MessageText, `{"n":1}`)
	l.recorded(1)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := l.handler.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the end of a stalled publisher: %v", err)
	}
	l.memory.Resume()
	untilAck(t, c, 1)
	if _, err := receive(t, c); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("closed with %v", err)
	}
	if err := l.shutdown(); err != nil {
		t.Error(err)
	}
	if got := l.ended(t); got.Frames != 2 {
		t.Errorf("%d frames", got.Frames)
	}
}

// recorded waits until a frame of this number was recorded on any connection.
func (l *listening) recorded(seq int64) {
	for l.handler.conns.recorded() < seq {
		time.Sleep(time.Millisecond) // between two looks at the connections
	}
}

// recorded is the highest seq that was recorded on any connection, -1 for none.
func (r *connSet) recorded() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	highest := int64(-1)
	for s := range r.open {
		highest = max(highest, s.recorded.Load())
	}
	return highest
}
