package httpreplay_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

func closing(f *schema.Frame) { f.Flags |= schema.FlagNote; f.Transport = schema.WebSocket }

// upgraded adds a WebSocket to a tape, up to the answer of the server with these fields.
func upgraded(tape *replaytest.Tape, fields ...string) *replaytest.Stream {
	s := et.Asked(tape, 0, "GET /live", []string{"Connection: Upgrade", "Upgrade: websocket"}, "")
	return et.Head(s, 0, "101 Switching Protocols", append(fields, "Upgrade: websocket", "Connection: Upgrade")...)
}

// The close of the recorded server is played though the client's answer to it was recorded too: RFC
// 6455, section 5.5.1, makes the answer mandatory.
func TestSocketServerCloses(t *testing.T) {
	over := et.Over(schema.WebSocket)
	long := strings.Repeat("ü", 70) // longer than a close frame holds
	for _, tc := range []struct {
		name, note string
		code       websocket.StatusCode
		reason     string
		after      func(s *replaytest.Stream)
	}{
		{"answered", "close 4001 done ü", 4001, "done ü", func(s *replaytest.Stream) {
			s.Add(2*ms, "close 4001 done ü", closing, et.Sent)
		}},
		{"crossed a message", "close 1001", 1001, "", func(s *replaytest.Stream) {
			s.Add(2*ms, "late", over, et.Sent).Add(3*ms, "close 1001", closing, et.Sent)
		}},
		{"without a code", "close 1005", 1005, "", func(s *replaytest.Stream) { s.Add(2*ms, "close 1005", closing, et.Sent) }},
		{"not answered", "close 1011 failed", 1011, "failed", func(*replaytest.Stream) {}},
		{"long reason", "close 1000 " + long, 1000, strings.Repeat("ü", 61), func(*replaytest.Stream) {}},
	} {
		tape := &replaytest.Tape{}
		s := upgraded(tape).Add(ms, "bye", over).Add(ms, tc.note, closing)
		tc.after(s.Ended(schema.EndClosed))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		conn, _, err := websocket.Dial(ctx, et.Serve(t, handler(tape))+"/live", nil)
		check(t, err)
		if _, got, err := conn.Read(ctx); err != nil || string(got) != "bye" {
			t.Errorf("%s: got %q, %v", tc.name, got, err)
		}
		_, _, err = conn.Read(ctx)
		if shut, ok := errors.AsType[websocket.CloseError](err); !ok || shut.Code != tc.code || shut.Reason != tc.reason {
			t.Errorf("%s: closed with %v, want %d %q", tc.name, err, tc.code, tc.reason)
		}
		conn.CloseNow()
		cancel()
	}
}

// The server waits for the close of a client that closed first.
func TestSocketClientCloses(t *testing.T) {
	tape := &replaytest.Tape{}
	upgraded(tape).Add(0, "hello", et.Over(schema.WebSocket)).Add(ms, "close 1000", closing, et.Sent).
		Add(2*ms, "close 1000", closing).Ended(schema.EndClosed)
	conn, _, err := websocket.Dial(t.Context(), et.Serve(t, handler(tape))+"/live", nil)
	check(t, err)
	defer conn.CloseNow()
	_, _, err = conn.Read(t.Context())
	check(t, err)
	short, cancel := context.WithTimeout(t.Context(), 100*ms)
	defer cancel()
	if _, _, err := conn.Read(short); websocket.CloseStatus(err) != -1 {
		t.Errorf("the server closed by itself: %v", err)
	}
}

// A connection that was cut has no close frame.
func TestSocketCut(t *testing.T) {
	tape := &replaytest.Tape{}
	upgraded(tape).Add(0, "half", et.Over(schema.WebSocket)).Ended("error: the connection was cut without a close frame")
	conn, _, err := websocket.Dial(t.Context(), et.Serve(t, handler(tape))+"/live", nil)
	check(t, err)
	defer conn.CloseNow()
	_, _, err = conn.Read(t.Context())
	check(t, err)
	if _, _, err := conn.Read(t.Context()); err == nil || websocket.CloseStatus(err) != -1 {
		t.Errorf("ended with %v, want a connection that breaks off", err)
	}
}

// The subprotocol is that which the recorded server chose, not the first that the client offers.
func TestSocketSubprotocol(t *testing.T) {
	for _, tc := range []struct {
		field   string
		offered []string
		want    string
	}{
		{"Sec-WebSocket-Protocol: graphql-ws", []string{"v1.chat", "graphql-ws"}, "graphql-ws"},
		{"Sec-WebSocket-Protocol: graphql-ws", []string{"v1.chat"}, ""},
		{"X-None: 1", []string{"v1.chat", "graphql-ws"}, ""},
		{"Sec-WebSocket-Protocol: b", nil, ""},
	} {
		tape := &replaytest.Tape{}
		upgraded(tape, tc.field, "X-Node: 7", "Sec-WebSocket-Accept: old", "Sec-WebSocket-Extensions: permessage-deflate").
			Add(0, "x", et.Over(schema.WebSocket)).Add(0, "close 1000", closing).Ended(schema.EndClosed)
		conn, res, err := websocket.Dial(t.Context(), et.Serve(t, handler(tape))+"/live", &websocket.DialOptions{Subprotocols: tc.offered})
		check(t, err)
		if conn.Subprotocol() != tc.want || res.Header.Get("X-Node") != "7" {
			t.Errorf("%s to %v: %q, fields %v", tc.field, tc.offered, conn.Subprotocol(), res.Header)
		}
		conn.CloseNow()
	}
}

// A refused upgrade is refused as recorded, with its body.
func TestSocketRefused(t *testing.T) {
	for status, body := range map[string]string{"401 Unauthorized": `{"error":"no token"}`, "302 Found": "", "503 Service Unavailable": "later"} {
		tape := &replaytest.Tape{}
		s := et.Asked(tape, 0, "GET /live", []string{"Connection: Upgrade", "Upgrade: websocket"}, "")
		et.Head(s, ms, status, "Content-Type: application/json", "WWW-Authenticate: Bearer").Add(2*ms, body)
		conn, res, err := websocket.Dial(t.Context(), et.Serve(t, handler(tape))+"/live", &websocket.DialOptions{
			HTTPClient: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		})
		if err == nil {
			conn.CloseNow()
			t.Errorf("%s: the upgrade succeeded", status)
			continue
		}
		got, err := io.ReadAll(res.Body)
		if err != nil || !strings.HasPrefix(status, strconv.Itoa(res.StatusCode)) || string(got) != body || res.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: got %d %q %v, %v", status, res.StatusCode, got, res.Header, err)
		}
	}
}
