package websocket

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/schema"
)

// The frame that ends a recording is recognised although it is held back, because a secret
// may begin in it.
func TestUntilHeldBack(t *testing.T) {
	key := "gh" + "p_" + strings.Repeat("aB3dE6", 6)
	url := serve(t, func(ctx context.Context, c *websocket.Conn) {
		for _, text := range []string{`{"type":"first","text":"a"}`, `{"type":"last","text":"` + key[:20] + `"}`, `{"type":"more","text":"` + key[20:] + ` b"}`} {
			_ = c.Write(ctx, websocket.MessageText, []byte(text))
		}
		_, _, _ = c.Read(ctx)
	})
	var m ingesttest.Memory
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	opts := Options{URL: url, Client: &http.Client{Transport: transport}, Until: func(f *schema.Frame) bool { return f.Type == "last" }}
	sum, err := Record(t.Context(), ingest.NewRecorder(&m, ingest.Settings{}), ingest.StreamOptions{Session: "s", Dialect: "generic"}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if state := lastState(t, &m, sum.StreamID); state.Frames != 3 || state.EndReason != "closed" || state.Redacted["github-token"] != 1 {
		t.Errorf("%d frames, ended %q, masked %v", state.Frames, state.EndReason, state.Redacted)
	}
}

// The frame that ends a recording is recognised although the dialect is not known when it arrives. A
// server that then keeps the connection open does not keep the recording.
func TestUntilBeforeTheDialectIsKnown(t *testing.T) {
	url := serve(t, func(ctx context.Context, c *websocket.Conn) {
		for _, text := range []string{`{"type":"start"}`, `{"type":"done"}`} {
			_ = c.Write(ctx, websocket.MessageText, []byte(text))
		}
		_, _, _ = c.Read(ctx)
	})
	var m ingesttest.Memory
	var reached atomic.Bool
	sum, err := record(t, &m, Options{URL: url, Until: func(f *schema.Frame) bool {
		reached.Store(f.Type == "done")
		return reached.Load()
	}})
	if err != nil || !reached.Load() {
		t.Fatalf("the last frame was recognised: %v, error %v", reached.Load(), err)
	}
	if state := lastState(t, &m, sum.StreamID); state.Frames != 2 || state.EndReason != "closed" {
		t.Errorf("%d frames, ended %q", state.Frames, state.EndReason)
	}
}
