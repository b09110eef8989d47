package websocket

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/internal/problem"
	"tapedeck/schema"
)

// listening is a server with the endpoint, on a real socket.
type listening struct {
	*httptest.Server
	memory   ingesttest.Memory
	handler  *Handler
	shutdown func() error
}

func listen(t *testing.T, opts HandlerOptions) *listening {
	t.Helper()
	l := &listening{}
	h := NewHandler(ingest.NewRecorder(&l.memory, ingest.Settings{}), opts)
	l.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.IngestWS(w, r, "default")
	}))
	l.handler = h
	l.Start()
	l.shutdown = func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		return h.Shutdown(ctx)
	}
	t.Cleanup(l.Close)
	t.Cleanup(func() {
		if err := l.shutdown(); err != nil {
			t.Error("shutdown:", err)
		}
	})
	return l
}

func (l *listening) dial(t *testing.T, query string) *websocket.Conn {
	t.Helper()
	c, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(l.URL, "http")+"/v1/ingest/ws"+query,
		&websocket.DialOptions{HTTPClient: l.Client()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseNow() })
	return c
}

func send(t *testing.T, c *websocket.Conn, typ websocket.MessageType, p string) {
	t.Helper()
	if err := c.Write(t.Context(), typ, []byte(p)); err != nil {
		t.Fatal(err)
	}
}

// answer is what the server says.
type answer struct {
	Ack     *int64 `json:"ack"`
	Error   string `json:"error"`
	Durable *int64 `json:"durable"`
}

func receive(t *testing.T, c *websocket.Conn) (answer, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, p, err := c.Read(ctx)
	if err != nil {
		return answer{}, err
	}
	var m answer
	if err := json.Unmarshal(p, &m); err != nil {
		t.Fatalf("the server said %q: %v", p, err)
	}
	return m, nil
}

// untilAck reads acknowledgements, which must rise, until that of seq.
func untilAck(t *testing.T, c *websocket.Conn, seq int64) (acks int) {
	t.Helper()
	last := int64(-1)
	for last < seq {
		m, err := receive(t, c)
		if err != nil {
			t.Fatalf("after ack %d: %v", last, err)
		}
		if m.Ack == nil || *m.Ack <= last || *m.Ack > seq {
			t.Fatalf("after ack %d came %+v", last, m)
		}
		last = *m.Ack
		acks++
	}
	return acks
}

// ended waits for the stream to have ended, and returns its last state.
func (l *listening) ended(t *testing.T) (last schema.StreamState) {
	t.Helper()
	bounded.Until(t, "the stream has ended", func() bool {
		for _, b := range l.memory.Blocks() {
			if b.State.Ended != 0 {
				last = b.State
				return true
			}
		}
		return false
	})
	return last
}

func TestIngestWS(t *testing.T) {
	l := listen(t, HandlerOptions{})
	c := l.dial(t, "?session=talk&dialect=loom&tag=team:a&tag=env:x:y")
	big := strings.Repeat("z", 300_000)
	sent := []string{`{"type":"run","id":"r"}`, big, "", "\xff\x00"}
	for i, p := range sent {
		typ := websocket.MessageText
		if i == 3 {
			typ = websocket.MessageBinary
		}
		send(t, c, typ, p)
	}
	untilAck(t, c, 3)
	if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	state := l.ended(t)
	if state.EndReason != "closed" || state.Dialect != "loom" || state.Tags["team"] != "a" || state.Tags["env"] != "x:y" ||
		state.Transport != schema.WebSocket || !strings.HasPrefix(state.Source, "WebSocket from 127.0.0.1:") {
		t.Errorf("state %+v", state)
	}
	frames := l.memory.Frames(state.StreamID)
	if len(frames) != len(sent) {
		t.Fatalf("%d frames", len(frames))
	}
	for i, f := range frames {
		if string(f.Raw) != sent[i] || f.Direction != schema.Receive || f.Transport != schema.WebSocket ||
			f.Flags.Has(schema.FlagBinary) != (i == 3) {
			t.Errorf("frame %d: %.50q %v %v", i, f.Raw, f.Direction, f.Flags)
		}
	}
	for _, b := range l.memory.Blocks() {
		if b.Session != "talk" {
			t.Errorf("a block of session %q", b.Session)
		}
	}
}

// One acknowledgement stands for many frames.
func TestAcksCoalesce(t *testing.T) {
	l := listen(t, HandlerOptions{})
	l.memory.Delay(50 * time.Millisecond)
	c := l.dial(t, "?session=s&dialect=loom")
	const n = 5000
	go func() {
		for i := range n {
			if c.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"n":%d}`, i)) != nil {
				return
			}
		}
	}()
	if acks := untilAck(t, c, n-1); acks > n/2 {
		t.Errorf("%d acknowledgements for %d frames", acks, n)
	}
}

func TestBadRequests(t *testing.T) {
	l := listen(t, HandlerOptions{})
	for _, tc := range []struct {
		query, parameter, says string
		status                 int
	}{
		{"?session=%00", "session", "control characters", 400},
		{"?dialect=klingon", "dialect", "klingon", 400},
		{"?tag=nocolon", "tag", "nocolon", 400},
		{"?tag=:v", "tag", ":v", 400},
		{"", "", "WebSocket", 426},
	} {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, l.URL+"/v1/ingest/ws"+tc.query, nil)
		if tc.status == 400 { // before the upgrade, for one who asks for it rightly
			req.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
				"Sec-Websocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="}}
		}
		resp, err := l.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var p problem.Problem
		err = json.NewDecoder(resp.Body).Decode(&p)
		resp.Body.Close()
		if err != nil || resp.StatusCode != tc.status || p.Parameter != tc.parameter || !strings.Contains(p.Detail, tc.says) ||
			resp.Header.Get("Content-Type") != problem.ContentType {
			t.Errorf("%q: %d %+v, %v", tc.query, resp.StatusCode, p, err)
		}
	}
	// A browser's page from elsewhere is refused by default.
	_, resp, err := websocket.Dial(t.Context(), l.URL, &websocket.DialOptions{
		HTTPClient: l.Client(), HTTPHeader: http.Header{"Origin": {"http://elsewhere.example"}},
	})
	if err == nil || resp == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("another origin: %v %v", resp, err)
	} else if got := resp.Header.Get("Content-Type"); got != problem.ContentType {
		t.Errorf("another origin receives %s", got)
	}
	if len(l.memory.Blocks()) != 0 {
		t.Error("something was recorded")
	}
}

// A publisher that is full stops the reading; if it stays so the client learns
// how far it came, and nothing that was acknowledged is lost.
func TestPushBack(t *testing.T) {
	metrictest.Grow(t, "tapedeck_ingest_ws_pushed_back_total")
	for _, tc := range []struct {
		name string
		jam  func(m *ingesttest.Memory)
		says string
	}{
		{"full", func(m *ingesttest.Memory) { m.Stall() }, "overloaded"},
		{"refuses", func(m *ingesttest.Memory) { m.Refuse(errors.New("spool is full")) }, "spool is full"},
		{"abandons", func(m *ingesttest.Memory) { m.Abandon(errors.New("spool is full")) }, "spool is full"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := testutil.ToFloat64(busyClosed)
			l := listen(t, HandlerOptions{Timeout: 300 * time.Millisecond})
			t.Cleanup(l.memory.Resume)
			c := l.dial(t, "?session=s&dialect=loom")
			for i := range 10 {
				send(t, c, websocket.MessageText, fmt.Sprintf(`{"n":%d}`, i))
			}
			untilAck(t, c, 9)
			metrictest.Show(t, "tapedeck_ingest_ws_connections")
			tc.jam(&l.memory)
			stop := make(chan struct{})
			wrote := make(chan int)
			go func() {
				n, pad := 0, strings.Repeat("x", 1000)
				for ; ; n++ {
					select {
					case <-stop:
						wrote <- n
						return
					default:
					}
					if c.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"n":%d,"pad":%q}`, 10+n, pad)) != nil {
						wrote <- n
						return
					}
					if tc.name == "abandons" && n == 3 { // and then waits
						<-stop
					}
				}
			}()
			m, err := receive(t, c)
			if err != nil || !strings.Contains(m.Error, tc.says) || m.Durable == nil || *m.Durable != 9 {
				t.Errorf("answer %+v, %v", m, err)
			}
			_, err = receive(t, c)
			if websocket.CloseStatus(err) != websocket.StatusTryAgainLater {
				t.Errorf("closed with %v", err)
			}
			close(stop)
			n := bounded.Receive(t, wrote)
			t.Logf("%d messages were written to a server that took none", n)
			if n > 60_000 { // what sockets hold, not more
				t.Errorf("the server read on: %d messages", n)
			}
			if got := testutil.ToFloat64(busyClosed) - before; got != 1 {
				t.Errorf("counted %v", got)
			}
		})
	}
}

func TestShutdown(t *testing.T) {
	l := listen(t, HandlerOptions{})
	l.memory.Delay(100 * time.Millisecond)
	c := l.dial(t, "?session=s&dialect=loom")
	send(t, c, websocket.MessageText, `{"n":0}`)
	l.recorded(0)
	down := make(chan error)
	go func() { down <- l.shutdown() }()
	untilAck(t, c, 0)
	_, err := receive(t, c)
	if err := bounded.Receive(t, down); err != nil {
		t.Error(err)
	}
	if got := l.ended(t); got.Frames != 1 {
		t.Errorf("%d frames at the return of Shutdown", got.Frames)
	}
	if websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("closed with %v", err)
	}
	if got := l.ended(t).EndReason; got != "error: the server was shut down" {
		t.Errorf("end reason %q", got)
	}
}

func TestClientCutOff(t *testing.T) {
	l := listen(t, HandlerOptions{})
	conn, err := net.Dial("tcp", l.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET /v1/ingest/ws?session=s&dialect=loom HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	// The first message comes with the request, before the answer.
	w := &wire{masked: true}
	w.say(fin|text, `{"early":true}`).say(text, strings.Repeat("half", 10)).say(fin|ping, "read so far?")
	if _, err := conn.Write(w.Bytes()); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	if answer, err := http.ReadResponse(in, nil); err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v %v", answer, err)
	}
	// A reset may take away what was not read yet.
	pong := make([]byte, 2+len("read so far?"))
	if _, err := io.ReadFull(in, pong); err != nil || pong[0] != fin|0xA || string(pong[2:]) != "read so far?" {
		t.Fatalf("%q %v", pong, err)
	}
	l.recorded(0)
	conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
	state := l.ended(t)
	if !strings.HasPrefix(state.EndReason, "error: the connection was cut: ") {
		t.Errorf("end reason %q", state.EndReason)
	}
	frames := l.memory.Frames(state.StreamID)
	if len(frames) != 2 || string(frames[0].Raw) != `{"early":true}` || frames[0].Flags.Has(schema.FlagUnterminated) ||
		len(frames[1].Raw) != 40 || !frames[1].Flags.Has(schema.FlagUnterminated) {
		t.Errorf("frames %+v", frames)
	}
}
