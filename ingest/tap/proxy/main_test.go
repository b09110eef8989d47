package proxy

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/syncbuffer"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// setup is an upstream, a proxy before it and a client, over real sockets.
type setup struct {
	upstream *httptest.Server
	proxy    *Proxy
	front    *httptest.Server
	memory   ingesttest.Memory
	client   *http.Client
}

func start(t testing.TB, upstream http.Handler, change func(*Options)) *setup {
	t.Helper()
	s := &setup{upstream: httptest.NewServer(upstream)}
	t.Cleanup(s.upstream.Close)
	s.begin(t, s.upstream.URL, change)
	return s
}

// startRaw has each connection to the upstream served by script, with the bytes in its hands.
func startRaw(t testing.TB, script func(c *net.TCPConn), change func(*Options)) *setup {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				script(c.(*net.TCPConn))
			}()
		}
	}()
	t.Cleanup(func() {
		ln.Close()
		bounded.Receive(t, done)
	})
	s := &setup{}
	s.begin(t, "http://"+ln.Addr().String(), change)
	return s
}

func (s *setup) begin(t testing.TB, upstream string, change func(*Options)) {
	var logged syncbuffer.Output
	opts := Options{
		Upstream: upstream, Recorder: ingest.NewRecorder(&s.memory, ingest.Settings{}),
		Log: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	opts.Stream.Dialect = "generic"
	if change != nil {
		change(&opts)
	}
	var err error
	if s.proxy, err = New(opts); err != nil {
		t.Fatal(err)
	}
	s.front = httptest.NewUnstartedServer(s.proxy)
	s.front.Config.ErrorLog = log.New(complaints{t}, "", 0)
	s.front.Start()
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 256}
	s.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(func() {
		s.memory.Resume()
		transport.CloseIdleConnections()
		s.front.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := s.proxy.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		bounded.Wait(t, s.memory.Wait)
		if t.Failed() {
			t.Logf("the proxy logged:\n%s", logged.String())
		}
	})
}

// complaints are what the server before the proxy logs: panics, above all.
type complaints struct{ t testing.TB }

func (c complaints) Write(p []byte) (int, error) {
	c.t.Errorf("the server logged: %s", p)
	return len(p), nil
}

// do sends a request through the proxy and returns the whole answer.
func (s *setup) do(t testing.TB, req *http.Request) (*http.Response, string) {
	t.Helper()
	res, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(res.Body); err != nil {
		t.Fatal(err)
	}
	return res, b.String()
}

func (s *setup) request(t testing.TB, method, path, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.front.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// recorded is a stream that was recorded.
type recorded struct {
	state   schema.StreamState
	session string
	frames  []schema.Frame
}

// recorded waits for n streams to have ended and returns them in the order in
// which they began.
func (s *setup) recorded(t testing.TB, n int) (list []recorded) {
	t.Helper()
	bounded.Until(t, fmt.Sprintf("%d streams ended", n), func() bool {
		ended := map[string]recorded{}
		for _, b := range s.memory.Blocks() {
			if b.State.Ended != 0 {
				ended[b.State.StreamID] = recorded{state: b.State, session: b.Session}
			}
		}
		if len(ended) != n {
			return false
		}
		for id, r := range ended {
			r.frames = s.memory.Frames(id)
			list = append(list, r)
		}
		return true
	})
	slices.SortFunc(list, func(a, b recorded) int { return strings.Compare(a.state.StreamID, b.state.StreamID) })
	return list
}

func (s *setup) one(t testing.TB) recorded {
	t.Helper()
	return s.recorded(t, 1)[0]
}

// body is what was recorded of a direction without the notes.
func (r recorded) body(way schema.Direction) string {
	var b strings.Builder
	for _, f := range r.frames {
		if f.Direction == way && !isNote(f) {
			b.Write(f.Raw)
		}
	}
	return b.String()
}

// isNote distinguishes notes of the proxy from SSE events that are notes.
func isNote(f schema.Frame) bool {
	return f.Flags.Has(schema.FlagNote) && f.Transport != schema.SSE && f.Transport != schema.NDJSON
}

func (r recorded) notes(way schema.Direction) (notes []string) {
	for _, f := range r.frames {
		if f.Direction == way && isNote(f) {
			notes = append(notes, string(f.Raw))
		}
	}
	return notes
}

// messages are the frames of a direction without the notes.
func (r recorded) messages(way schema.Direction) (list []schema.Frame) {
	for _, f := range r.frames {
		if f.Direction == way && !isNote(f) {
			list = append(list, f)
		}
	}
	return list
}
