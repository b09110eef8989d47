package httpreplay_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"

	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

func oversize(f *schema.Frame) { f.Flags |= schema.FlagOversize }

// A message that was recorded in several frames is one message of a WebSocket, in both directions.
func TestSocketOversize(t *testing.T) {
	tape := &replaytest.Tape{}
	over := et.Over(schema.WebSocket)
	upgraded(tape).Add(0, "abcd", over, et.Sent, oversize).Add(0, "efgh", over, et.Sent, oversize).Add(0, "i", over, et.Sent, oversize).
		Add(ms, "1234", over, oversize).Add(ms, "5", over, oversize).Add(ms, "67", over).Add(2*ms, "close 1000", closing)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, et.Serve(t, handler(tape))+"/live?speed=max", nil)
	check(t, err)
	defer conn.CloseNow()
	check(t, conn.Write(ctx, websocket.MessageText, []byte("abcdefghi")))
	for _, want := range []string{"12345", "67"} {
		if _, got, err := conn.Read(ctx); err != nil || string(got) != want {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
	}
}

// The id of a JSON-RPC answer that was recorded in several frames is the client's.
func TestJSONRPCOversize(t *testing.T) {
	const first, last = "data: {\"jsonrpc\":\"2.0\",\"result\":{\"text\":\"aaaa", "aaaa\"},\"id\":1}\n\n"
	proxied, captured := &replaytest.Tape{}, &replaytest.Tape{}
	s := et.Asked(proxied, 0, "POST /mcp", nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`)
	et.Head(s, 0, "200 OK", "Content-Type: text/event-stream").Add(0, first, et.Over(schema.SSE), oversize).Add(0, last, et.Over(schema.SSE), oversize)
	captured.Stream(schema.SSE, "mcp").Add(0, first, oversize).Add(0, last, oversize)
	for name, tape := range map[string]*replaytest.Tape{"proxied": proxied, "captured": captured} {
		_, got := ask(t, http.DefaultClient, "POST", et.Serve(t, handler(tape))+"/mcp?speed=max", `{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"a"}}`)
		if want := "data: {\"jsonrpc\":\"2.0\",\"result\":{\"text\":\"aaaaaaaa\"},\"id\":70}\n\n"; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
