package websocket

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest"
)

// broken is a publisher with a fault.
type broken struct{}

func (broken) Publish(context.Context, ingest.EncodedBlock, func(error)) error { panic("broken") }

// What panics while it records one connection ends that one, and the client is
// notified.
func TestPanic(t *testing.T) {
	// Blocks of one frame are handed on while the frame is being recorded.
	h := NewHandler(ingest.NewRecorder(broken{}, ingest.Settings{BlockFrames: 1}), HandlerOptions{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.IngestWS(w, r, "default") }))
	defer srv.Close()
	l := &listening{Server: srv}
	c := l.dial(t, "?session=s&dialect=generic")
	send(t, c, websocket.MessageText, `{"n":0}`)
	if m, err := receive(t, c); err != nil || !strings.Contains(m.Error, "recording failed: broken") || *m.Durable != -1 {
		t.Errorf("received %+v, %v", m, err)
	}
	if _, err := receive(t, c); websocket.CloseStatus(err) != websocket.StatusTryAgainLater {
		t.Errorf("closed with %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil {
		t.Errorf("the connection did not end: %v", err)
	}
}

// A connection that is no socket of this system is read as well.
func TestTLS(t *testing.T) {
	l := &listening{}
	h := NewHandler(ingest.NewRecorder(&l.memory, ingest.Settings{}), HandlerOptions{})
	l.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.IngestWS(w, r, "default") }))
	defer l.Close()
	c := l.dial(t, "?session=s")
	sent := []string{"first", strings.Repeat("z", 300_000), "last"}
	for _, p := range sent {
		send(t, c, websocket.MessageText, p)
	}
	untilAck(t, c, 2)
	if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	frames := l.memory.Frames(l.ended(t).StreamID)
	if len(frames) != len(sent) {
		t.Fatalf("%d frames", len(frames))
	}
	for i, f := range frames {
		if string(f.Raw) != sent[i] {
			t.Errorf("frame %d: %.50q", i, f.Raw)
		}
	}
}
