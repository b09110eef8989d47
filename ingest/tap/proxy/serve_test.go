package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
)

// Serve lets what is going on finish, up to its bound, and has it durable when
// it returns.
func TestServe(t *testing.T) {
	for _, tc := range []struct {
		name  string
		drain time.Duration
		ends  <-chan time.Time // when the upstream ends
		body  string           // that the client gets, "" where it is cut off
		end   string
	}{
		{"in time", bounded.Limit, time.After(300 * time.Millisecond), "begin end", "eof"},
		{"too late", 50 * time.Millisecond, nil, "", "error: the proxy was shut down"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, "begin ")
				http.NewResponseController(w).Flush()
				select {
				case <-tc.ends:
				case <-r.Context().Done():
				}
				io.WriteString(w, "end")
			}))
			defer up.Close()
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			var m ingesttest.Memory
			p, err := New(Options{Upstream: up.URL, Recorder: ingest.NewRecorder(&m, ingest.Settings{})})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			served := make(chan error, 1)
			go func() { served <- p.Serve(ctx, ln, tc.drain) }()
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			res, err := (&http.Client{Transport: transport}).Get("http://" + ln.Addr().String() + "/")
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if _, err := io.ReadFull(res.Body, make([]byte, 6)); err != nil {
				t.Fatal(err)
			}
			stop()
			rest, err := io.ReadAll(res.Body)
			if whole := err == nil && "begin "+string(rest) == tc.body; whole != (tc.body != "") {
				t.Errorf("the client got %q, %v", rest, err)
			}
			if err := bounded.Receive(t, served); err != nil {
				t.Error(err)
			}
			id := m.Streams()[0] // durable by now
			var last schema.StreamState
			for _, b := range m.Blocks() {
				last = b.State
			}
			if last.EndReason != tc.end || last.Ended == 0 || len(m.Frames(id)) < 3 {
				t.Errorf("ended %q with %d frames", last.EndReason, len(m.Frames(id)))
			}
			if _, err := net.Dial("tcp", ln.Addr().String()); err == nil {
				t.Error("it still listens")
			}
		})
	}
}

// A listener that fails ends Serve with the reason.
func TestServeFails(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	p, err := New(Options{Upstream: "http://127.0.0.1:1", Recorder: ingest.NewRecorder(&ingesttest.Memory{}, ingest.Settings{})})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Serve(t.Context(), ln, time.Second); err == nil {
		t.Error("no error")
	}
}

// A client may begin with HTTP/2 without TLS, as the AWS SDK for JavaScript does.
func TestServePlainHTTP2(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	defer up.Close()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var m ingesttest.Memory
	p, err := New(Options{Upstream: up.URL, Recorder: ingest.NewRecorder(&m, ingest.Settings{})})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, ln, 5*time.Second) }()
	plain := new(http.Protocols)
	plain.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: plain}
	res, err := (&http.Client{Transport: transport}).Post("http://"+ln.Addr().String()+"/", "text/plain", strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil || res.ProtoMajor != 2 || string(text) != "body" {
		t.Errorf("got %q by %s, %v", text, res.Proto, err)
	}
	transport.CloseIdleConnections()
	stop()
	if err := bounded.Receive(t, served); err != nil {
		t.Error(err)
	}
}
