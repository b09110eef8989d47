package proxy

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/certs"
	"tapedeck/internal/certs/certstest"
	"tapedeck/schema"
)

// Addresses of the upstream are those of the proxy for the client, and as sent in the recording.
func TestRewriteAddresses(t *testing.T) {
	const card = `{"url":"UP/a2a/v1","also":"UP","escaped":"ESC\/x","ws":"WSUP/s","not":["UP0/x","UP.example/","xUP/"],"text":"see UP?q=1"}`
	answer := func(host string) string {
		return strings.NewReplacer("WSUP", "ws://"+host, "UP", "http://"+host, "ESC", `http:\/\/`+host).Replace(card)
	}
	// What the proxy must not touch is written for itself.
	want := func(own, host string) string {
		return fmt.Sprintf(`{"url":"http://%[1]s/a2a/v1","also":"http://%[1]s","escaped":"http:\/\/%[1]s\/x","ws":"ws://%[1]s/s","not":["http://%[2]s0/x","http://%[2]s.example/","xhttp://%[2]s/"],"text":"see http://%[1]s?q=1"}`, own, host)
	}
	var gz bytes.Buffer
	up := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, text := w.Header(), answer(r.Host)
		h.Set("Content-Type", "application/json; charset=utf-8")
		switch r.URL.Path {
		case "/moved":
			h.Set("Location", "http://"+r.Host+"/final?x=%2F")
			h.Set("X-Goog-Upload-Url", "http://"+r.Host+"/upload")
			h.Set("Link", "<http://"+r.Host+"/2>; rel=next, <https://other.example/>; rel=prev")
			w.WriteHeader(http.StatusTemporaryRedirect)
			return
		case "/gzip":
			gz.Reset()
			z := gzip.NewWriter(&gz)
			_, _ = io.WriteString(z, text) // a buffer takes all
			_ = z.Close()                  // as above
			h.Set("Content-Encoding", "gzip")
			h.Set("Content-Length", strconv.Itoa(gz.Len()))
			_, _ = w.Write(gz.Bytes()) // the client sees an error
			return
		case "/events":
			h.Set("Content-Type", "text/event-stream")
			text = "data: " + text + "\n\n"
		case "/large":
			text = `"` + strings.Repeat("x", rewriteLimit) + `"` + text
		case "/unknown-coding":
			h.Set("Content-Encoding", "x-mine")
		}
		if r.URL.Path != "/stream" && r.URL.Path != "/.well-known/agent-card.json" {
			h.Set("Content-Length", strconv.Itoa(len(text)))
		}
		for _, part := range []string{text[:20], text[20:]} { // an address is cut
			_, _ = io.WriteString(w, part) // the client sees an error
			_ = http.NewResponseController(w).Flush()
		}
	})
	for path, replaced := range map[string]bool{
		"/card": true, "/.well-known/agent-card.json": true, "/gzip": true,
		"/stream": false, "/events": false, "/large": false, "/unknown-coding": false,
	} {
		s := start(t, up, func(o *Options) { o.RewriteAddresses = true })
		host, own := s.upstream.Listener.Addr().String(), s.front.Listener.Addr().String()
		res, got := s.do(t, s.request(t, "GET", path, ""))
		sent := answer(host)
		if replaced {
			if got != want(own, host) || res.Header.Get("Content-Encoding") != "" || path != "/.well-known/agent-card.json" && res.ContentLength != int64(len(got)) {
				t.Errorf("%s: %d bytes, %v\n%s\nwant\n%s", path, res.ContentLength, res.Header, got, want(own, host))
			}
		} else if !strings.Contains(got, sent) {
			t.Errorf("%s: changed: %.300s", path, got)
		}
		if rec := s.one(t).body(schema.Receive); !strings.Contains(rec, sent) && path != "/large" {
			t.Errorf("%s: recorded %.300q, want %q", path, rec, sent)
		}
	}
	for _, on := range []bool{true, false} {
		s := start(t, up, func(o *Options) { o.RewriteAddresses = on })
		host, own := s.upstream.Listener.Addr().String(), s.front.Listener.Addr().String()
		seen := host
		if on {
			seen = own
		}
		res, _ := s.do(t, s.request(t, "POST", "/moved", ""))
		for name, value := range map[string]string{
			"Location": "http://" + seen + "/final?x=%2F", "X-Goog-Upload-Url": "http://" + seen + "/upload",
			"Link": "<http://" + seen + "/2>; rel=next, <https://other.example/>; rel=prev",
		} {
			if got := res.Header.Get(name); got != value {
				t.Errorf("rewrite %v: %s: %s, want %s", on, name, got, value)
			}
		}
		if head := strings.Join(s.one(t).notes(schema.Receive), ""); !strings.Contains(head, "Location: http://"+host+"/final") {
			t.Errorf("recorded: %s", head)
		}
	}
}

// A base URL of the upstream with a path, a default port, in another host's name.
func TestAddresses(t *testing.T) {
	for _, tc := range []struct{ upstream, text, want string }{
		{"https://api.example.com/v1/", "https://api.example.com/v1/x", "http://127.0.0.1:4700/x"},
		{"https://api.example.com/v1", "https://api.example.com/v1", "http://127.0.0.1:4700"},
		{"https://api.example.com/v1", "https://api.example.com/v12 https://api.example.com/", "https://api.example.com/v12 https://api.example.com/"},
		{"https://api.example.com", "https://api.example.com:443/a https://api.example.com:8443/a", "http://127.0.0.1:4700/a https://api.example.com:8443/a"},
		{"http://up:80", "http://up/a,http://up:80/a,http://up:8080/a", "http://127.0.0.1:4700/a,http://127.0.0.1:4700/a,http://up:8080/a"},
		{"https://api.example.com", "http://api.example.com/ https://api.example.com@evil.example/ https://api.example.community", "http://api.example.com/ https://api.example.com@evil.example/ https://api.example.community"},
		{"https://api.example.com", "wss://api.example.com/rt", "ws://127.0.0.1:4700/rt"},
	} {
		p, err := New(Options{Upstream: tc.upstream, Recorder: ingest.NewRecorder(&ingesttest.Memory{}, ingest.Settings{})})
		if err != nil {
			t.Fatal(err)
		}
		got, ok := p.addresses("http://127.0.0.1:4700").replace([]byte(tc.text))
		if string(got) != tc.want || ok != (tc.text != tc.want) {
			t.Errorf("%s: %q is %q, %v, want %q", tc.upstream, tc.text, got, ok, tc.want)
		}
	}
}

// With a certificate the proxy answers over TLS only, by HTTP/2 and HTTP/1.1, and takes a renewed
// certificate without a restart.
func TestServeTLS(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+r.Host+"/next", http.StatusFound)
	}))
	defer up.Close()
	ca, dir := certstest.New(t, "ca"), t.TempDir()
	first, second := ca.Issue(time.Hour, "127.0.0.1"), ca.Issue(time.Hour, "127.0.0.1")
	cert, key := ca.Save(dir, first)
	files, err := certs.Open(certs.Files{Use: "server", Cert: cert, Key: key}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var m ingesttest.Memory
	p, err := New(Options{Upstream: up.URL, RewriteAddresses: true, Certificates: files.Server(tls.VersionTLS12), Recorder: ingest.NewRecorder(&m, ingest.Settings{})})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, ln, 5*time.Second) }()
	ask := func(h2 bool) (version int, location, serial string) {
		t.Helper()
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: ca.Pool()}, ForceAttemptHTTP2: h2, DisableKeepAlives: true}
		res, err := transport.RoundTrip(httptest.NewRequestWithContext(t.Context(), "GET", "https://"+ln.Addr().String()+"/", nil))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		transport.CloseIdleConnections()
		return res.ProtoMajor, res.Header.Get("Location"), res.TLS.PeerCertificates[0].SerialNumber.Text(16)
	}
	for version, h2 := range map[int]bool{1: false, 2: true} {
		if got, location, serial := ask(h2); got != version || location != "https://"+ln.Addr().String()+"/next" || serial != first.Serial {
			t.Errorf("HTTP/%d, %s, certificate %s; want %d and %s", got, location, serial, version, first.Serial)
		}
	}
	ca.Save(dir, second)
	bounded.Until(t, "the renewed certificate", func() bool {
		_, _, serial := ask(true)
		return serial == second.Serial
	})
	res, err := http.Get("http://" + ln.Addr().String() + "/")
	if err == nil {
		res.Body.Close()
		if res.StatusCode != http.StatusBadRequest {
			t.Errorf("without TLS: %d", res.StatusCode)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	stop()
	if err := bounded.Receive(t, served); err != nil {
		t.Error(err)
	}
}
