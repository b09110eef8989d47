package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/bounded"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/schema"
)

// echo answers each message with itself, and is closed on demand.
func echo(mode websocket.CompressionMode) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, &websocket.AcceptOptions{
			CompressionMode: mode, CompressionThreshold: 1, Subprotocols: []string{"realtime"},
		})
		if err != nil {
			return
		}
		defer c.CloseNow()
		c.SetReadLimit(-1)
		for {
			typ, p, err := c.Read(r.Context())
			if err != nil {
				return
			}
			if code := 0; typ == websocket.MessageText && bytes.HasPrefix(p, []byte("close ")) {
				fmt.Sscanf(string(p), "close %d", &code)
				c.Close(websocket.StatusCode(code), "as you wish")
				return
			}
			if c.Write(r.Context(), typ, p) != nil {
				return
			}
		}
	})
}

func (s *setup) dial(t *testing.T, opts websocket.DialOptions) *websocket.Conn {
	t.Helper()
	opts.HTTPClient = s.client
	c, _, err := websocket.Dial(t.Context(), s.front.URL+"/ws?api_key=secret", &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseNow() })
	c.SetReadLimit(-1)
	return c
}

func TestWebSocket(t *testing.T) {
	for _, mode := range []websocket.CompressionMode{
		websocket.CompressionDisabled, websocket.CompressionContextTakeover, websocket.CompressionNoContextTakeover,
	} {
		t.Run(fmt.Sprint("compression ", mode), func(t *testing.T) {
			s := start(t, echo(mode), nil)
			c := s.dial(t, websocket.DialOptions{
				CompressionMode: mode, CompressionThreshold: 1, Subprotocols: []string{"realtime", "openai-insecure-api-key.sk-123"},
			})
			if c.Subprotocol() != "realtime" {
				t.Errorf("subprotocol %q", c.Subprotocol())
			}
			type message struct {
				typ websocket.MessageType
				p   string
			}
			sent := []message{{websocket.MessageText, ""}, {websocket.MessageBinary, "\x00\xff\x00"}, {websocket.MessageText, strings.Repeat("long ", 100_000)}}
			for i := range 20 { // which refer to one another when compressed
				sent = append(sent, message{websocket.MessageText, fmt.Sprintf(`{"type":"run_stream_event","event_id":%d,"text":"hello hello"}`, i)})
			}
			for i, m := range sent {
				if err := c.Write(t.Context(), m.typ, []byte(m.p)); err != nil {
					t.Fatal(err)
				}
				typ, p, err := c.Read(t.Context())
				if err != nil || typ != m.typ || string(p) != m.p {
					t.Fatalf("message %d came back as %v %.50q, %v", i, typ, p, err)
				}
			}
			pinged := make(chan error, 1)
			go func() { pinged <- c.Ping(t.Context()) }()
			go c.Write(t.Context(), websocket.MessageText, []byte("after the ping"))
			if _, p, err := c.Read(t.Context()); err != nil || string(p) != "after the ping" {
				t.Fatalf("%q %v", p, err)
			}
			c.CloseRead(t.Context())
			if err := bounded.Receive(t, pinged); err != nil {
				t.Errorf("ping: %v", err)
			}
			sent = append(sent, message{websocket.MessageText, "after the ping"})
			if err := c.Close(websocket.StatusNormalClosure, "bye"); err != nil {
				t.Error(err)
			}
			r := s.one(t)
			for _, way := range []schema.Direction{schema.Send, schema.Receive} {
				got := r.messages(way)
				if len(got) != len(sent) {
					t.Fatalf("%d messages %v were recorded, %d passed", len(got), way, len(sent))
				}
				for i, f := range got {
					if string(f.Raw) != sent[i].p || f.Transport != schema.WebSocket ||
						f.Flags.Has(schema.FlagBinary) != (sent[i].typ == websocket.MessageBinary) {
						t.Errorf("%v %d is %.50q %v %v", way, i, f.Raw, f.Transport, f.Flags)
					}
				}
				notes := r.notes(way)
				if len(notes) != 2 || !strings.HasPrefix(notes[1], "close 1000") {
					t.Errorf("notes %v: %q", way, notes)
				}
				for _, secret := range []string{"secret", "sk-123"} {
					if strings.Contains(notes[0], secret) {
						t.Errorf("a secret is in the head %q", notes[0])
					}
				}
			}
			if r.state.EndReason != "closed" || r.state.Transport != schema.WebSocket {
				t.Errorf("ended %q, transport %v", r.state.EndReason, r.state.Transport)
			}
		})
	}
}

func TestWebSocketCloseCodes(t *testing.T) {
	for code, want := range map[int]string{
		1000: "closed", 1001: "closed", 1011: "error: closed with 1011 as you wish", 4321: "error: closed with 4321 as you wish",
	} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			s := start(t, echo(websocket.CompressionDisabled), nil)
			c := s.dial(t, websocket.DialOptions{})
			if err := c.Write(t.Context(), websocket.MessageText, fmt.Append(nil, "close ", code)); err != nil {
				t.Fatal(err)
			}
			_, _, err := c.Read(t.Context())
			if got := websocket.CloseStatus(err); int(got) != code || !strings.Contains(err.Error(), "as you wish") {
				t.Errorf("the client saw %v", err)
			}
			r := s.one(t)
			if notes := r.notes(schema.Receive); r.state.EndReason != want || notes[len(notes)-1] != fmt.Sprintf("close %d as you wish", code) {
				t.Errorf("ended %q, notes %q", r.state.EndReason, notes)
			}
		})
	}
}

// handshake upgrades a connection to the proxy by hand.
func (s *setup) handshake(t *testing.T, early []byte) (*net.TCPConn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", s.front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	head := "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
	if _, err := c.Write(append([]byte(head), early...)); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(c)
	res, err := http.ReadResponse(in, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v %v", res, err)
	}
	return c.(*net.TCPConn), in
}

// masked is a frame as a client sends it.
func masked(first byte, payload string) []byte {
	key := [4]byte{1, 2, 3, 4}
	b := append([]byte{first, 0x80 | 126}, binary.BigEndian.AppendUint16(nil, uint16(len(payload)))...)
	b = append(b, key[:]...)
	for i := range payload {
		b = append(b, payload[i]^key[i%4])
	}
	return b
}

// upgrading is an upstream that upgrades and then has the bytes in its hands.
func upgrading(script func(c *net.TCPConn, in *bufio.Reader)) func(*net.TCPConn) {
	return func(c *net.TCPConn) {
		in := bufio.NewReader(c)
		if _, err := http.ReadRequest(in); err != nil {
			return
		}
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		script(c, in)
	}
}

// The bytes of both directions pass unchanged, what a client sends before it
// was answered included; fragments make one message.
func TestTunnelBytes(t *testing.T) {
	up := append(masked(0x01, "frag"), masked(0x89, "ping")...)
	up = append(append(up, masked(0x80, "ments")...), masked(0x82, "\x00")...)
	down := []byte("\x01\x03one\x00\x03two\x8a\x00\x80\x05three\xf1\x01?") // reserved bits and all
	got, arrived := make(chan []byte, 1), make(chan struct{})
	defer close(arrived)
	s := startRaw(t, upgrading(func(c *net.TCPConn, in *bufio.Reader) {
		p := make([]byte, len(up))
		io.ReadFull(in, p)
		got <- p
		for i := range down { // byte by byte, each when the one before has passed
			c.Write(down[i : i+1])
			bounded.Receive(t, arrived)
		}
		c.CloseWrite()
		io.Copy(io.Discard, in)
	}), nil)
	c, in := s.handshake(t, up[:7])
	if _, err := c.Write(up[7:]); err != nil {
		t.Fatal(err)
	}
	if p := bounded.Receive(t, got); !bytes.Equal(p, up) {
		t.Errorf("the upstream got %q, want %q", p, up)
	}
	var p []byte
	for range down {
		b, err := in.ReadByte()
		if err != nil {
			t.Fatalf("the client got %q, %v; want %q", p, err, down)
		}
		p = append(p, b)
		arrived <- struct{}{}
	}
	if rest, err := io.ReadAll(in); err != nil || !bytes.Equal(p, down) || len(rest) > 0 {
		t.Errorf("the client got %q, %q, %v; want %q", p, rest, err, down)
	}
	c.Close()
	r := s.one(t)
	var list []string
	for _, f := range append(r.messages(schema.Send), r.messages(schema.Receive)...) {
		list = append(list, fmt.Sprintf("%s %q", f.Direction, f.Raw))
	}
	if want := `[send "fragments" send "\x00" receive "onetwothree" receive "?"]`; fmt.Sprint(list) != want {
		t.Errorf("recorded %v, want %s", list, want)
	}
	if f := r.messages(schema.Receive)[0]; len(f.Cuts) != len("onetwothree")-1 {
		t.Errorf("%d cuts", len(f.Cuts))
	}
	if r.state.EndReason != "error: the connection was cut without a close frame" {
		t.Errorf("ended %q", r.state.EndReason)
	}
}

// The upstream is gone in the middle of a message: so is the client's
// connection, and what came is recorded and marked.
func TestTunnelReset(t *testing.T) {
	arrived := make(chan struct{}) // a reset may take away what was not read yet
	release := sync.OnceFunc(func() { close(arrived) })
	defer release()
	const sent = "\x81\x05whole\x81\x05ha"
	s := startRaw(t, upgrading(func(c *net.TCPConn, _ *bufio.Reader) {
		c.Write([]byte(sent))
		bounded.Receive(t, arrived)
		c.SetLinger(0)
	}), nil)
	_, in := s.handshake(t, nil)
	p := make([]byte, len(sent))
	if _, err := io.ReadFull(in, p); err != nil || string(p) != sent {
		t.Errorf("the client got %q (%v)", p, err)
	}
	release()
	if rest, _ := io.ReadAll(in); len(rest) > 0 {
		t.Errorf("and then %q", rest)
	}
	r := s.one(t)
	got := r.messages(schema.Receive)
	if len(got) != 2 || string(got[1].Raw) != "ha" || !got[1].Flags.Has(schema.FlagUnterminated) {
		t.Errorf("recorded %+v", got)
	}
	if r.state.EndReason != "error: the connection to the upstream was cut: connection reset by peer" {
		t.Errorf("ended %q", r.state.EndReason)
	}
}

// An upgrade to something else is recorded read by read.
func TestOtherUpgrade(t *testing.T) {
	s := startRaw(t, func(c *net.TCPConn) {
		in := bufio.NewReader(c)
		http.ReadRequest(in)
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: gossip\r\n\r\nwelcome")
		line, _ := in.ReadString('\n')
		io.WriteString(c, "you said "+line)
	}, nil)
	c, err := net.Dial("tcp", s.front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: gossip\r\n\r\n")
	in := bufio.NewReader(c)
	if _, err := http.ReadResponse(in, nil); err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "hello\n")
	if p, err := io.ReadAll(in); err != nil || string(p) != "welcomeyou said hello\n" {
		t.Errorf("%q %v", p, err)
	}
	c.Close()
	r := s.one(t)
	if r.body(schema.Send) != "hello\n" || r.body(schema.Receive) != "welcomeyou said hello\n" || r.state.EndReason != "eof" {
		t.Errorf("recorded %q and %q, ended %q", r.body(schema.Send), r.body(schema.Receive), r.state.EndReason)
	}
}

func TestShutdownCutsTunnels(t *testing.T) {
	s := start(t, echo(websocket.CompressionDisabled), nil)
	c := s.dial(t, websocket.DialOptions{})
	if err := c.Write(t.Context(), websocket.MessageText, []byte("hi")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	metrictest.Show(t, "tapedeck_proxy_exchanges_active")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.proxy.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Read(t.Context()); err == nil {
		t.Error("the connection goes on")
	}
	if got := s.one(t).state.EndReason; got != "error: the proxy was shut down" {
		t.Errorf("ended %q", got)
	}
	if res, _ := s.do(t, s.request(t, "GET", "/", "")); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("after the end: %s", res.Status)
	}
}
