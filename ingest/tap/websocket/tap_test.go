package websocket

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/speedtest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// serve starts a WebSocket server on a real socket that plays script on each
// connection, and returns its address.
func serve(t *testing.T, script func(ctx context.Context, c *websocket.Conn)) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"events.v2"}})
		if err != nil {
			return
		}
		defer c.CloseNow()
		script(context.WithValue(r.Context(), requestKey{}, r), c)
	}))
	t.Cleanup(srv.Close)
	return "ws" + strings.TrimPrefix(srv.URL, "http")
}

type requestKey struct{}

// raw starts a server that has the connection's bytes in its own hands after
// the handshake.
func raw(t *testing.T, script func(c net.Conn, in *bufio.Reader)) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Sec-Websocket-Accept", acceptKey(r.Header.Get("Sec-Websocket-Key")))
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Connection", "Upgrade")
		w.WriteHeader(http.StatusSwitchingProtocols)
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		script(c, rw.Reader)
	}))
	t.Cleanup(srv.Close)
	return "ws" + strings.TrimPrefix(srv.URL, "http")
}

// acceptKey answers a handshake (RFC 6455, section 4.2.2).
func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// record runs a tap to its end.
func record(t *testing.T, m *ingesttest.Memory, opts Options) (ingest.Summary, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	opts.Client = &http.Client{Transport: transport}
	rec := ingest.NewRecorder(m, ingest.Settings{})
	return Record(ctx, rec, ingest.StreamOptions{}, opts)
}

// lastState is what is known of a stream at its end.
func lastState(t *testing.T, m *ingesttest.Memory, id string) schema.StreamState {
	t.Helper()
	bounded.Wait(t, m.Wait)
	var last *block.Block
	for _, b := range m.Blocks() {
		if b.State.StreamID == id {
			last = b
		}
	}
	if last == nil {
		t.Fatalf("nothing of stream %q was published", id)
	}
	return last.State
}

func TestRecord(t *testing.T) {
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MiB, over any default read limit
	sent := make(chan string, 2)
	var headers http.Header
	url := serve(t, func(ctx context.Context, c *websocket.Conn) {
		headers = ctx.Value(requestKey{}).(*http.Request).Header
		c.SetReadLimit(-1)
		for range 2 {
			_, p, err := c.Read(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			sent <- string(p)
		}
		pinged := make(chan error)
		c.CloseRead(ctx)
		go func() { pinged <- c.Ping(ctx) }()
		if err := bounded.Receive(t, pinged); err != nil {
			t.Errorf("ping was not answered: %v", err)
		}
		for _, p := range [][]byte{[]byte(`{"type":"run_stream_event","id":"run-1"}`), {}, big, []byte("a\xffb")} {
			if err := c.Write(ctx, websocket.MessageText, p); err != nil {
				t.Error(err)
			}
		}
		if err := c.Write(ctx, websocket.MessageBinary, []byte{0, 1, 2}); err != nil {
			t.Error(err)
		}
		c.Close(websocket.StatusNormalClosure, "done")
	})
	var m ingesttest.Memory
	sum, err := record(t, &m, Options{
		URL: url + "/?token=secret", Header: http.Header{"X-Test": {"yes"}}, Subprotocols: []string{"events.v2"},
		Send: []Payload{{Data: []byte(`{"type":"run","message":"hi"}`)}, {Data: []byte{9, 0}, Binary: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if headers.Get("X-Test") != "yes" || headers.Get("Sec-Websocket-Protocol") != "events.v2" {
		t.Errorf("the server saw %v", headers)
	}
	if a, b := bounded.Receive(t, sent), bounded.Receive(t, sent); a != `{"type":"run","message":"hi"}` || b != "\x09\x00" {
		t.Errorf("the server was sent %q and %q", a, b)
	}
	type frame struct {
		raw   string
		flags schema.Flags
		way   schema.Direction
	}
	want := []frame{
		{`{"type":"run","message":"hi"}`, 0, schema.Send},
		{"\x09\x00", schema.FlagBinary | schema.FlagNUL | schema.FlagNotJSON, schema.Send},
		{`{"type":"run_stream_event","id":"run-1"}`, 0, schema.Receive},
		{"", 0, schema.Receive},
		{string(big), schema.FlagNotJSON, schema.Receive},
		{"a\xffb", schema.FlagInvalidUTF8 | schema.FlagNotJSON, schema.Receive},
		{"\x00\x01\x02", schema.FlagBinary | schema.FlagNUL | schema.FlagNotJSON, schema.Receive},
	}
	got := m.Frames(sum.StreamID)
	if len(got) != len(want) || sum.Frames != uint64(len(want)) {
		t.Fatalf("%d frames, %d in the summary, want %d", len(got), sum.Frames, len(want))
	}
	for i, f := range got {
		w := want[i]
		flags := f.Flags &^ (schema.FlagJoined | schema.FlagUnknownType)
		if string(f.Raw) != w.raw || flags != w.flags || f.Direction != w.way || f.Transport != schema.WebSocket {
			t.Errorf("frame %d: %.60q %v %v %v, want %.60q %v %v", i, f.Raw, flags, f.Direction, f.Transport, w.raw, w.flags, w.way)
		}
	}
	state := lastState(t, &m, sum.StreamID)
	if state.EndReason != "closed" || state.Ended == 0 || state.Transport != schema.WebSocket || strings.Contains(state.Source, "secret") {
		t.Errorf("the stream's last state is %+v", state)
	}
}

func TestEndReasons(t *testing.T) {
	for _, tc := range []struct {
		name   string
		script func(c net.Conn, in *bufio.Reader)
		want   string // or the beginning of it
		frames []string
	}{
		{"1001", closeWith("\x03\xe9"), "closed", nil},
		{"no code", closeWith(""), "closed", nil},
		{"1011", closeWith("\x03\xf3out of memory"), "error: closed with 1011 out of memory", nil},
		{"application code", closeWith("\x0f\xa1"), "error: closed with 4001", nil},
		{"a code that must not be sent", closeWith("\x03\xee"), "error: closed with 1006", nil},
		{"cut between messages", func(c net.Conn, _ *bufio.Reader) { c.Write(new(wire).say(fin|text, "whole").Bytes()) },
			"error: the connection was cut: EOF", []string{"whole"}},
		{"cut inside a message", func(c net.Conn, _ *bufio.Reader) { c.Write(new(wire).say(fin|text, "whole").Bytes()[:5]) },
			"error: the connection was cut: EOF", []string{"who…"}},
		{"cut between fragments", func(c net.Conn, _ *bufio.Reader) { c.Write(new(wire).say(text, "half").Bytes()) },
			"error: the connection was cut: EOF", []string{"half…"}},
		{"cut at a multiple of what is read", func(c net.Conn, _ *bufio.Reader) {
			c.Write(new(wire).say(fin|text, strings.Repeat("x", 3*readSize)).Bytes()[:10+2*readSize])
		}, "error: the connection was cut: EOF", []string{strings.Repeat("x", 2*readSize) + "…"}},
		{"reset", func(c net.Conn, _ *bufio.Reader) { c.Write(new(wire).say(fin|text, "whole").Bytes()) },
			"error: the connection was cut: connection reset by peer", []string{"whole"}},
		{"protocol broken", func(c net.Conn, in *bufio.Reader) {
			c.Write([]byte{fin | 0x30 | text, 1, 'x'})
			io.Copy(io.Discard, in)
		}, "error: received header with unexpected rsv bits", []string{"x"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var m ingesttest.Memory
			url := raw(t, func(c net.Conn, in *bufio.Reader) {
				c.Write(new(wire).say(fin|text, "first").Bytes())
				tc.script(c, in)
				if tc.name == "reset" { // it may take away what was not read yet
					for framesIn(&m) < 1+len(tc.frames) {
						time.Sleep(time.Millisecond) // between two looks at the frames
					}
					c.(*net.TCPConn).SetLinger(0)
				}
			})
			sum, err := record(t, &m, Options{URL: url})
			if err != nil {
				t.Fatal(err)
			}
			if got := lastState(t, &m, sum.StreamID).EndReason; !strings.HasPrefix(got, tc.want) {
				t.Errorf("end reason %q, want %q", got, tc.want)
			}
			var got []string
			for _, f := range m.Frames(sum.StreamID) {
				s := string(f.Raw)
				if f.Flags.Has(schema.FlagUnterminated) {
					s += "…"
				}
				got = append(got, s)
			}
			if fmt.Sprint(got) != fmt.Sprint(append([]string{"first"}, tc.frames...)) {
				t.Errorf("recorded %.100q", got)
			}
		})
	}
}

// framesIn counts the frames that were published.
func framesIn(m *ingesttest.Memory) (n int) {
	for _, b := range m.Blocks() {
		n += len(b.Frames)
	}
	return n
}

func closeWith(payload string) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, in *bufio.Reader) {
		c.Write(new(wire).say(fin|closing, payload).Bytes())
		io.Copy(io.Discard, in) // until the client has answered
	}
}

func TestOversize(t *testing.T) {
	url := serve(t, func(ctx context.Context, c *websocket.Conn) {
		c.Write(ctx, websocket.MessageText, bytes.Repeat([]byte("x"), 2500))
		c.Write(ctx, websocket.MessageText, []byte("next"))
		c.Close(websocket.StatusNormalClosure, "")
	})
	var m ingesttest.Memory
	sum, err := record(t, &m, Options{URL: url, FrameLimit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, f := range m.Frames(sum.StreamID) {
		sizes = append(sizes, len(f.Raw))
		if f.Flags.Has(schema.FlagOversize) != (string(f.Raw) != "next") {
			t.Errorf("frame %d has flags %v", f.Seq, f.Flags)
		}
	}
	if fmt.Sprint(sizes) != "[1000 1000 500 4]" {
		t.Errorf("pieces of %v bytes", sizes)
	}
}

func TestUntilAndCancel(t *testing.T) {
	for _, until := range []bool{true, false} {
		t.Run(fmt.Sprintf("until %t", until), func(t *testing.T) {
			closed := make(chan error, 1)
			url := serve(t, func(ctx context.Context, c *websocket.Conn) {
				for i := range 5 {
					c.Write(ctx, websocket.MessageText, fmt.Appendf(nil, `{"n":%d}`, i))
				}
				_, _, err := c.Read(ctx)
				closed <- err
			})
			var m ingesttest.Memory
			opts := Options{URL: url}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			seen := 0
			opts.Until = func(f *schema.Frame) bool {
				seen++
				if !until && seen == 5 {
					cancel()
				}
				return until && string(f.Raw) == `{"n":2}`
			}
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			opts.Client = &http.Client{Transport: transport}
			sum, err := Record(ctx, ingest.NewRecorder(&m, ingest.Settings{}), ingest.StreamOptions{Session: "s", Dialect: "generic"}, opts)
			if err != nil {
				t.Fatal(err)
			}
			if got := websocket.CloseStatus(bounded.Receive(t, closed)); got != websocket.StatusNormalClosure {
				t.Errorf("the server saw close status %v", got)
			}
			want := map[bool]uint64{true: 3, false: 5}[until]
			if state := lastState(t, &m, sum.StreamID); state.Frames != want || state.EndReason != "closed" {
				t.Errorf("%d frames, ended %q; want %d, closed", state.Frames, state.EndReason, want)
			}
		})
	}
}

func TestCannotConnect(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "token please", http.StatusUnauthorized)
	}))
	defer srv.Close()
	var m ingesttest.Memory
	_, err := record(t, &m, Options{URL: srv.URL})
	if err == nil || !strings.Contains(err.Error(), "401") || !strings.Contains(err.Error(), "token please") {
		t.Errorf("error %v", err)
	}
	if _, err = record(t, &m, Options{URL: "ws://127.0.0.1:1"}); err == nil || !strings.Contains(err.Error(), "ws://127.0.0.1:1") {
		t.Errorf("error %v", err)
	}
	if len(m.Blocks()) != 0 {
		t.Error("something was recorded")
	}
}

func TestRecordingFails(t *testing.T) {
	url := serve(t, func(ctx context.Context, c *websocket.Conn) {
		ctx = c.CloseRead(ctx) // answers a close
		for i := 0; c.Write(ctx, websocket.MessageText, fmt.Appendf(nil, `{"n":%d}`, i)) == nil; i++ {
			time.Sleep(time.Millisecond) // the gap between two messages
		}
	})
	var m ingesttest.Memory
	full := errors.New("the disk is full")
	m.Refuse(full)
	began := time.Now()
	if _, err := record(t, &m, Options{URL: url}); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	speedtest.Within(t, "the end of the recording", time.Since(began), 4*time.Second)
}

func TestReconnect(t *testing.T) {
	var connects atomic.Int32
	url := serve(t, func(ctx context.Context, c *websocket.Conn) {
		_, p, err := c.Read(ctx)
		if err != nil || string(p) != "subscribe" {
			t.Errorf("sent %q, %v", p, err)
		}
		n := connects.Add(1)
		c.Write(ctx, websocket.MessageText, fmt.Appendf(nil, "connection %d", n))
		switch n {
		case 1: // cut
		case 2:
			c.Close(websocket.StatusServiceRestart, "")
		default:
			c.Close(websocket.StatusNormalClosure, "")
		}
	})
	var m ingesttest.Memory
	sum, err := record(t, &m, Options{URL: url, Send: []Payload{{Data: []byte("subscribe")}}, Reconnect: &Reconnect{First: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range m.Frames(sum.StreamID) {
		switch {
		case f.Flags.Has(schema.FlagNote):
			reason, _, _ := strings.Cut(string(f.Raw), ";")
			got = append(got, "note "+reason)
		case f.Direction == schema.Receive:
			got = append(got, string(f.Raw))
		}
	}
	want := []string{"connection 1", "note error: the connection was cut: EOF", "connection 2", "note error: closed with 1012", "connection 3"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("recorded %q\nwant     %q", got, want)
	}
}

func TestReconnectWaits(t *testing.T) {
	for _, c := range []struct {
		bounds Reconnect
		about  []time.Duration // ms
	}{
		{Reconnect{Most: 2 * time.Second}, []time.Duration{500, 1000, 2000, 2000}},
		{Reconnect{First: 20 * time.Second}, []time.Duration{20_000, 30_000, 30_000}},
	} {
		wait := c.bounds.backoff()
		for i, about := range c.about {
			about *= time.Millisecond
			if d := wait.Next(); d < about*4/5 || d > about*6/5 || d < wait.Min || d > wait.Max {
				t.Errorf("%+v: wait %d is %v, want about %v", c.bounds, i, d, about)
			}
		}
	}
}

// What a server says in place of a WebSocket is quoted on one line, and not all
// of a page; an address that cannot be one is refused before it is dialled.
func TestNoWebSocketThere(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, "<html>\n\n  <p>not\there\xff</p>\n"+strings.Repeat("<br>\n", 10_000))
	}))
	defer page.Close()
	rec := ingest.NewRecorder(&ingesttest.Memory{}, ingest.Settings{})
	for address, want := range map[string]string{
		page.URL:       "the server answered 404 Not Found, saying \"<html> <p>not here</p> <br>",
		"ftp://host/x": `"ftp://host/x" is not the address of a WebSocket`,
		"host":         `"host" is not the address of a WebSocket`,
	} {
		_, err := Record(t.Context(), rec, ingest.StreamOptions{}, Options{URL: address})
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 500 {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A connection is not made again after a normal closure, with or without a code,
// nor where the server refuses it; what the server fails at is tried again.
func TestReconnectEnds(t *testing.T) {
	for _, tc := range []struct {
		name     string
		attempts []func(w http.ResponseWriter, r *http.Request)
		want     int32 // attempts
		reason   string
		err      string
	}{
		{"closed without a code", []func(http.ResponseWriter, *http.Request){closesWith(0)}, 1, "closed", ""},
		{"going away, then normal", []func(http.ResponseWriter, *http.Request){closesWith(websocket.StatusGoingAway), closesWith(websocket.StatusNormalClosure)}, 2, "closed", ""},
		{"away, then there", []func(http.ResponseWriter, *http.Request){answersWith(503), answersWith(429), closesWith(websocket.StatusNormalClosure)}, 3, "closed", ""},
		{"cut, then refused", []func(http.ResponseWriter, *http.Request){closesWith(-1), answersWith(503), answersWith(401)}, 3, "error: the connection was cut: EOF", "401"},
		{"refused at once", []func(http.ResponseWriter, *http.Request){answersWith(404)}, 1, "", "404"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var attempts atomic.Int32
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n := int(attempts.Add(1)) - 1
				tc.attempts[min(n, len(tc.attempts)-1)](w, r)
			}))
			defer srv.Close()
			var m ingesttest.Memory
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			sum, err := Record(ctx, ingest.NewRecorder(&m, ingest.Settings{}), ingest.StreamOptions{Session: "s"},
				Options{URL: srv.URL, Reconnect: &Reconnect{First: time.Millisecond}})
			if ctx.Err() != nil || attempts.Load() != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%d attempts, %v, want %d and %q", attempts.Load(), err, tc.want, tc.err)
			}
			reason := ""
			for _, b := range m.Blocks() {
				if b.State.StreamID == sum.StreamID && b.State.Ended != 0 {
					reason = b.State.EndReason
				}
			}
			if reason != tc.reason {
				t.Errorf("ended %q, want %q", reason, tc.reason)
			}
		})
	}
}

// closesWith accepts a WebSocket, says something and closes it: with a code, without
// one (0), or not at all (-1).
func closesWith(code websocket.StatusCode) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		c.Write(r.Context(), websocket.MessageText, []byte("hello"))
		switch code {
		case -1:
			c.CloseNow()
		case 0:
			c.Close(websocket.StatusNoStatusRcvd, "")
		default:
			c.Close(code, "")
		}
	}
}

func answersWith(status int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) }
}
