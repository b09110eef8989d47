package proxy

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/certs/certstest"
	"tapedeck/internal/certs/localca"
	"tapedeck/schema"
)

// exampleKey is the key of the examples in Amazon's documentation.
var exampleKey = "wJalrXUtnFEMI/" + "K7MDENG+bPxRfiCY" + "EXAMPLEKEY"

// signature computes a signature of AWS Signature Version 4 over a request, as its documentation
// describes it: path is the path as sent, of which each segment is escaped once more.
func signature(method, path, query, service string, signed []string, h http.Header, host, body string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
	}
	list := strings.Split(query, "&")
	slices.Sort(list)
	var heads strings.Builder
	for _, name := range signed {
		value := strings.Join(h.Values(name), ",")
		if name == "host" {
			value = host
		}
		fmt.Fprintf(&heads, "%s:%s\n", name, strings.Join(strings.Fields(value), " "))
	}
	hash := func(s string) string { sum := sha256.Sum256([]byte(s)); return hex.EncodeToString(sum[:]) }
	at := h.Get("X-Amz-Date")
	scope := at[:8] + "/us-east-1/" + service + "/aws4_request"
	canonical := strings.Join([]string{method, strings.Join(segments, "/"), strings.Join(list, "&"), heads.String(), strings.Join(signed, ";"), hash(body)}, "\n")
	key := []byte("AWS4" + exampleKey)
	for _, part := range []string{at[:8], "us-east-1", service, "aws4_request", "AWS4-HMAC-SHA256\n" + at + "\n" + scope + "\n" + hash(canonical)} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	return hex.EncodeToString(key)
}

// The computation agrees with "get-vanilla" of Amazon's published test suite.
func TestSignature(t *testing.T) {
	h := http.Header{"X-Amz-Date": {"20150830T123600Z"}}
	got := signature("GET", "/", "", "service", []string{"host", "x-amz-date"}, h, "example.amazonaws.com", "")
	if want := "5fa00fa31553b73ebf1942676e86291e" + "8372ff2a2260956d9b8aae1d763fbf31"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// forwarding is a forward proxy before a TLS server that is called localhost.
type forwarding struct {
	memory    ingesttest.Memory
	host      string // the server's
	address   string // the proxy's
	authority *localca.Authority
	stop      func()
}

func startForward(t *testing.T, upstream http.Handler) *forwarding {
	t.Helper()
	own := certstest.New(t, "upstream")
	up := httptest.NewUnstartedServer(upstream)
	up.TLS = &tls.Config{Certificates: []tls.Certificate{own.TLS(own.Issue(time.Hour, "localhost"))}}
	up.EnableHTTP2 = true
	up.StartTLS()
	t.Cleanup(up.Close)
	_, port, _ := net.SplitHostPort(up.Listener.Addr().String())
	f := &forwarding{host: "localhost:" + port}
	var err error
	if f.authority, err = localca.Open(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	p, err := NewForward(Options{Recorder: ingest.NewRecorder(&f.memory, ingest.Settings{}), TLS: &tls.Config{RootCAs: own.Pool()}},
		[]Target{{Host: "localhost", Port: port}}, f.authority)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.address = ln.Addr().String()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, ln, 5*time.Second) }()
	f.stop = func() {
		cancel()
		if err := bounded.Receive(t, served); err != nil {
			t.Error(err)
		}
		bounded.Wait(t, f.memory.Wait)
	}
	return f
}

func (f *forwarding) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(f.authority.PEM)
	return pool
}

// A request that is signed over its host, head and body arrives with a valid signature, over HTTP/1.1 and
// HTTP/2, and is recorded without its secrets.
func TestForwardSigned(t *testing.T) {
	const body = `{"messages":[{"role":"user","content":[{"text":"Hallo, Welt"}]}]}`
	f := startForward(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body) // a cut body has another signature
		path, query, _ := strings.Cut(r.RequestURI, "?")
		_, fields, _ := strings.Cut(r.Header.Get("Authorization"), "SignedHeaders=")
		names, sent, _ := strings.Cut(fields, ", Signature=")
		if want := signature(r.Method, path, query, "bedrock", strings.Split(names, ";"), r.Header, r.Host, string(text)); sent != want {
			http.Error(w, "the signature does not match", http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"stopReason":"end_turn"}`) // the client sees an error
	}))
	const target = "/model/anthropic.claude-3%3A0/converse-stream?b=2&a=1%2F"
	for version, h2 := range map[int]bool{1: false, 2: true} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+f.host+target, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Content-Type": {"application/json"}, "X-Amz-Date": {"20260101T000000Z"}, "User-Agent": {"aws-sdk-js/3.1  ua/2.1"},
			"Amz-Sdk-Invocation-Id": {"1"}, "X-Amz-Security-Token": {"session" + "-token-of-nobody"}}
		signed := []string{"amz-sdk-invocation-id", "content-type", "host", "user-agent", "x-amz-date", "x-amz-security-token"}
		path, query, _ := strings.Cut(target, "?")
		req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/bedrock/aws4_request, SignedHeaders="+strings.Join(signed, ";")+
			", Signature="+signature("POST", path, query, "bedrock", signed, req.Header, f.host, body))
		transport := &http.Transport{
			Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: f.address}), TLSClientConfig: &tls.Config{RootCAs: f.roots()}, ForceAttemptHTTP2: h2,
		}
		res, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		transport.CloseIdleConnections()
		if err != nil || res.StatusCode != 200 || res.ProtoMajor != version || string(text) != `{"stopReason":"end_turn"}` {
			t.Errorf("HTTP/%d: %d by %s: %q, %v", version, res.StatusCode, res.Proto, text, err)
		}
	}
	f.stop()
	ids := f.memory.Streams()
	if len(ids) != 2 {
		t.Fatalf("%d streams", len(ids))
	}
	for _, id := range ids {
		var sent, received, all strings.Builder
		for _, fr := range f.memory.Frames(id) {
			all.Write(fr.Raw)
			switch {
			case isNote(fr):
			case fr.Direction == schema.Send:
				sent.Write(fr.Raw)
			default:
				received.Write(fr.Raw)
			}
		}
		if sent.String() != body || received.String() != `{"stopReason":"end_turn"}` || !strings.Contains(all.String(), "Host: "+f.host) {
			t.Errorf("recorded %s", all.String())
		}
		if strings.Contains(all.String(), "Signature=") || strings.Contains(all.String(), "-token-of-nobody") {
			t.Errorf("a secret was recorded: %s", all.String())
		}
	}
	for _, b := range f.memory.Blocks() {
		if want := "POST https://" + f.host + "/model/anthropic.claude-3%3A0/converse-stream"; !strings.HasPrefix(b.State.Source, want) {
			t.Errorf("source %q, want %q", b.State.Source, want)
		}
	}
}

// What is not on the list is refused, and a connection carries requests for its own host only.
func TestForwardRefuses(t *testing.T) {
	var reached atomic.Int64
	f := startForward(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	_, port, _ := net.SplitHostPort(f.host)
	connect := func(line string) (net.Conn, *http.Response) {
		t.Helper()
		c, err := net.Dial("tcp", f.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() }) // may be closed already
		fmt.Fprintf(c, "%s\r\n\r\n", line)
		res, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: http.MethodConnect})
		if err != nil {
			t.Fatal(err)
		}
		return c, res
	}
	for line, status := range map[string]int{
		"CONNECT 169.254.169.254:443 HTTP/1.1\r\nHost: 169.254.169.254:443":                       403,
		"CONNECT 10.0.0.1:443 HTTP/1.1\r\nHost: 10.0.0.1:443":                                     403,
		"CONNECT localhost:25 HTTP/1.1\r\nHost: localhost:25":                                     403,
		"CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443":                                   403,
		"CONNECT 127.0.0.1:" + port + " HTTP/1.1\r\nHost: " + f.host:                              403, // the listed server by an address
		"CONNECT evil.example:" + port + " HTTP/1.1\r\nHost: " + f.host:                           403,
		"CONNECT localhost.evil.example:" + port + " HTTP/1.1\r\nHost: " + f.host:                 403,
		"CONNECT [::1]:" + port + " HTTP/1.1\r\nHost: " + f.host:                                  403,
		"CONNECT " + f.host + " HTTP/1.1\r\nHost: " + f.host + "\r\nOrigin: https://evil.example": 403,
		"GET http://" + f.host + "/ HTTP/1.1\r\nHost: " + f.host:                                  421,
		"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0":                                 421,
	} {
		if _, res := connect(line); res.StatusCode != status {
			t.Errorf("%q: %d, want %d", line, res.StatusCode, status)
		}
	}
	open := func(config *tls.Config) *tls.Conn {
		t.Helper()
		c, res := connect("CONNECT " + f.host + " HTTP/1.1\r\nHost: " + f.host)
		if res.StatusCode != http.StatusOK {
			t.Fatalf("CONNECT to the listed host: %d", res.StatusCode)
		}
		return tls.Client(c, config)
	}
	if err := open(&tls.Config{RootCAs: f.roots(), ServerName: "evil.example"}).Handshake(); err == nil {
		t.Error("a handshake for another name")
	}
	if err := open(&tls.Config{RootCAs: x509.NewCertPool(), ServerName: "localhost"}).Handshake(); err == nil {
		t.Error("a client that does not trust the authority")
	}
	for _, head := range []string{
		"GET / HTTP/1.1\r\nHost: evil.example", "GET / HTTP/1.1\r\nHost: localhost:1", "GET / HTTP/1.1\r\nHost: 127.0.0.1:" + port,
		"GET https://evil.example/ HTTP/1.1\r\nHost: " + f.host, "CONNECT " + f.host + " HTTP/1.1\r\nHost: " + f.host,
	} {
		c := open(&tls.Config{RootCAs: f.roots(), ServerName: "localhost"})
		fmt.Fprintf(c, "%s\r\n\r\n", head)
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || res.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("%q within: %v, %v", head, res, err)
		}
		_ = c.Close() // the proxy may have closed it
	}
	f.stop()
	if n := reached.Load(); n != 0 || len(f.memory.Streams()) != 0 {
		t.Errorf("%d requests reached the server, %d were recorded", n, len(f.memory.Streams()))
	}
}

// Hosts of --forward.
func TestTargets(t *testing.T) {
	for text, want := range map[string]Target{
		"api.example.com": {"api.example.com", "443"}, "API.example.com:8443": {"api.example.com", "8443"}, "*.amazonaws.com": {"*.amazonaws.com", "443"},
		"127.0.0.1:8443": {"127.0.0.1", "8443"}, "[::1]:8443": {"::1", "8443"}, "localhost": {"localhost", "443"},
	} {
		if got, err := ParseTarget(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "*", "*.com", "**.example.com", "a.*.com", "https://api.example.com", "api.example.com/", "api.example.com:0", "api.example.com:http x", "a..b", ".example.com", "u@h.example"} {
		if got, err := ParseTarget(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
	wild := Target{"*.amazonaws.com", "443"}
	for host, want := range map[string]bool{
		"bedrock-runtime.us-east-1.amazonaws.com": true, "amazonaws.com": false, "evilamazonaws.com": false, ".amazonaws.com": false,
		"amazonaws.com.evil.example": false, "10.0.0.1": false, "x y.amazonaws.com": false,
	} {
		if got := wild.matches(host, "443"); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}
