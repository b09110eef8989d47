package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/bounded"
	"tapedeck/internal/loopback"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/internal/speedtest"
	"tapedeck/schema"
)

// seen is what an upstream saw of a request.
type seen struct {
	Method, Target, Body string
	Header               http.Header
	Length               int64
	Coding               []string
	Trailer              http.Header
}

// Whatever is asked and answered, both ends see the same as without the proxy.
func TestTransparent(t *testing.T) {
	var mu sync.Mutex
	var saw []seen
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		saw = append(saw, seen{r.Method, r.RequestURI, string(body), r.Header, r.ContentLength, r.TransferEncoding, r.Trailer})
		mu.Unlock()
		h := w.Header()
		h["X-Twice"] = []string{"one", "two, three"}
		h.Set("Set-Cookie", "a=b")
		switch r.URL.Path {
		case "/nothing":
			w.WriteHeader(http.StatusNoContent)
		case "/same":
			h.Set("Etag", `"x"`)
			w.WriteHeader(http.StatusNotModified)
		case "/moved":
			h.Set("Location", "http://elsewhere.example/?token=t")
			w.WriteHeader(http.StatusFound)
		case "/bare": // without the fields that servers add
			h["Content-Type"], h["Date"] = nil, nil
			w.WriteHeader(http.StatusOK)
			io.WriteString(w, "<html>")
		case "/teapot":
			w.WriteHeader(599)
			io.WriteString(w, "no")
		case "/chunks":
			for i := range 3 {
				fmt.Fprintf(w, "chunk %d\n", i)
				http.NewResponseController(w).Flush()
			}
		default:
			h.Set("Content-Type", "text/plain")
			io.WriteString(w, "hello "+string(body))
		}
	}), nil)
	type answer struct {
		Status  string
		Header  http.Header
		Length  int64
		Coding  []string
		Body    string
		Trailer http.Header
	}
	for _, tc := range []struct {
		method, target string
		header         http.Header
		body           io.Reader
	}{
		{"GET", "/", nil, nil},
		{"GET", "/a%2Fb/%7Ec/a|b/ü?x=1;y=%zz&&q=a+b%20c", nil, nil},
		{"GET", "//double//slashes/", nil, nil},
		{"GET", "/question?", nil, nil},
		{"POST", "/post", http.Header{"Content-Type": {"application/json"}, "X-Multi": {"a", "b"}}, strings.NewReader(`{"a":1}`)},
		{"POST", "/chunked", nil, io.MultiReader(strings.NewReader("no length"))},
		{"PUT", "/empty", nil, strings.NewReader("")},
		{"PROPFIND", "/odd", nil, strings.NewReader("<x/>")},
		{"DELETE", "/with-body", nil, strings.NewReader("{}")},
		{"HEAD", "/head", nil, nil},
		{"GET", "/nothing", nil, nil},
		{"GET", "/same", http.Header{"If-None-Match": {`"x"`}}, nil},
		{"GET", "/moved", nil, nil},
		{"GET", "/bare", nil, nil},
		{"GET", "/teapot", nil, nil},
		{"GET", "/chunks", nil, nil},
		{"GET", "/fields", http.Header{
			"Accept-Encoding": {"gzip, br"}, "User-Agent": {""}, "X-Forwarded-For": {"10.1.2.3"}, "Forwarded": {"for=x"},
			"Authorization": {"Bearer s"}, "Cookie": {"c=d"}, "Te": {"trailers"}, "X-Empty": {""},
		}, nil},
	} {
		t.Run(tc.method+tc.target, func(t *testing.T) {
			saw = nil
			var answers []answer
			var body []byte
			if tc.body != nil {
				body, _ = io.ReadAll(tc.body)
			}
			_, sized := tc.body.(*strings.Reader)
			for _, base := range []string{s.upstream.URL, s.front.URL} {
				req, err := http.NewRequestWithContext(t.Context(), tc.method, base, nil)
				if err != nil {
					t.Fatal(err)
				}
				path, query, mark := strings.Cut(tc.target, "?")
				req.URL.RawQuery, req.URL.ForceQuery = query, mark && query == ""
				if strings.HasPrefix(path, "//") {
					req.URL.Path = path
				} else {
					req.URL.Opaque = path
				}
				if tc.header != nil {
					req.Header = tc.header.Clone()
				}
				if tc.body != nil {
					req.Body = io.NopCloser(strings.NewReader(string(body)))
					req.ContentLength = -1
					if sized {
						req.ContentLength = int64(len(body))
					}
				}
				res, text := s.do(t, req)
				h := res.Header.Clone()
				if h.Get("Date") != "" {
					h.Set("Date", "some")
				}
				answers = append(answers, answer{res.Status, h, res.ContentLength, res.TransferEncoding, text, res.Trailer})
			}
			if diff := cmp.Diff(saw[0], saw[1]); diff != "" {
				t.Errorf("the upstream saw, without (-) and with (+) the proxy:\n%s", diff)
			}
			if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
				t.Errorf("the client saw, without (-) and with (+) the proxy:\n%s", diff)
			}
		})
	}
}

func TestTrailers(t *testing.T) {
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Trailer", "X-Sum")
		io.WriteString(w, "body")
		w.Header().Set("X-Sum", "of "+r.Trailer.Get("X-Check"))
		w.Header().Set(http.TrailerPrefix+"X-Late", "not announced")
	}), nil)
	req := s.request(t, "POST", "/", "request")
	req.ContentLength = -1
	req.Trailer = http.Header{"X-Check": {"abc"}}
	res, body := s.do(t, req)
	if body != "body" || res.Trailer.Get("X-Sum") != "of abc" || res.Trailer.Get("X-Late") != "not announced" {
		t.Errorf("%q, trailers %v", body, res.Trailer)
	}
	r := s.one(t)
	if notes := r.notes(schema.Send); len(notes) != 2 || notes[1] != "X-Check: abc\r\n\r\n" ||
		!strings.Contains(notes[0], "\r\nTransfer-Encoding: chunked\r\nTrailer: X-Check\r\n\r\n") {
		t.Errorf("request notes %q", notes)
	}
	if notes := r.notes(schema.Receive); len(notes) != 2 || notes[1] != "X-Late: not announced\r\nX-Sum: of abc\r\n\r\n" {
		t.Errorf("answer notes %q", notes)
	}
}

func TestInformational(t *testing.T) {
	refuse := false
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuse {
			w.WriteHeader(http.StatusExpectationFailed)
			return
		}
		w.Header().Set("Link", "</style.css>")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		body, _ := io.ReadAll(r.Body) // asks for the body
		w.Write(body)
	}), nil)
	s.client.Transport.(*http.Transport).ExpectContinueTimeout = 5 * time.Second
	var r []recorded
	exchanges := 0
	for _, refuse = range []bool{false, true} {
		var got []string
		trace := &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
			got = append(got, fmt.Sprint(code, " ", h.Get("Link")))
			return nil
		}}
		req := s.request(t, "POST", "/", "the body")
		req.Header.Set("Expect", "100-continue")
		began := time.Now()
		res, body := s.do(t, req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
		if refuse {
			if res.StatusCode != http.StatusExpectationFailed || len(got) != 0 {
				t.Errorf("status %d after %q", res.StatusCode, got)
			}
		} else if body != "the body" || !slices.Equal(got, []string{"103 </style.css>", "100 "}) {
			t.Errorf("%q after %q", body, got)
		}
		// The proxy waits a second for a 100 that does not come, the client five.
		speedtest.Within(t, "the exchange", time.Since(began), 900*time.Millisecond)
		exchanges++
		r = s.recorded(t, exchanges) // recordings are in the order in which they began
	}
	want := []string{"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n"}
	if notes := r[0].notes(schema.Receive); len(notes) != 3 || !slices.Equal(notes[:2], want) {
		t.Errorf("notes %q", notes)
	}
	if got := r[0].body(schema.Send); got != "the body" {
		t.Errorf("recorded request %q", got)
	}
	if got := r[1].body(schema.Send); got != "" {
		t.Errorf("recorded request %q, which was never sent", got)
	}
}

func TestKeepAlive(t *testing.T) {
	var mu sync.Mutex
	connections := map[string]bool{}
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		connections[r.RemoteAddr] = true
		mu.Unlock()
		io.WriteString(w, "ok")
	}), nil)
	reused := 0
	for range 20 {
		req := s.request(t, "POST", "/", "x")
		trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
			if i.Reused {
				reused++
			}
		}}
		s.do(t, req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	}
	// The next request may be there before a connection is free.
	if reused < 10 || len(connections) > 10 {
		t.Errorf("%d of 20 requests came over a connection that was there; %d connections to the upstream", reused, len(connections))
	}
	s.recorded(t, 20)
}

func TestHTTP2Upstream(t *testing.T) {
	up := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "data: %s %s\n\n", r.Proto, body)
	}))
	up.EnableHTTP2 = true
	up.StartTLS()
	defer up.Close()
	s := &setup{}
	s.begin(t, up.URL+"/base/", func(o *Options) { o.TLS = up.Client().Transport.(*http.Transport).TLSClientConfig })
	if _, body := s.do(t, s.request(t, "POST", "/x", "hi")); body != "data: HTTP/2.0 hi\n\n" {
		t.Errorf("got %q", body)
	}
	r := s.one(t)
	if !strings.HasPrefix(r.notes(schema.Receive)[0], "HTTP/2.0 200 OK\r\n") || r.body(schema.Receive) != "data: HTTP/2.0 hi\n\n" {
		t.Errorf("recorded %q and %q", r.notes(schema.Receive), r.body(schema.Receive))
	}
	if want := "POST " + up.URL + "/base/x"; r.state.Source != want {
		t.Errorf("source %q, want %q", r.state.Source, want)
	}
}

func TestMisdirected(t *testing.T) {
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.RequestURI) }), nil)
	addr := s.front.Listener.Addr().String()
	for _, tc := range []struct{ request, want string }{
		{"CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443", "405"},
		{"GET http://api.example.com/v1 HTTP/1.1\r\nHost: api.example.com", "421"},
		{"GET http://" + addr + "/v1 HTTP/1.1\r\nHost: " + addr, "200"},
		{"OPTIONS * HTTP/1.1\r\nHost: " + addr, "200"},
	} {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "%s\r\nConnection: close\r\n\r\n", tc.request)
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		c.Close()
		if !strings.HasPrefix(res.Status, tc.want) || tc.want != "200" && !strings.Contains(string(body), "base URL") {
			t.Errorf("%q: %s, %s", tc.request, res.Status, body)
		}
	}
}

func TestUpstreamDown(t *testing.T) {
	metrictest.Grow(t, "tapedeck_proxy_upstream_failures_total")
	s := &setup{}
	s.begin(t, "http://"+loopback.Free(t), nil)
	res, body := s.do(t, s.request(t, "POST", "/v1?key=secret", `{}`))
	if res.StatusCode != http.StatusBadGateway || res.Header.Get("Content-Type") != "application/problem+json" ||
		!strings.Contains(body, "connection refused") || !strings.Contains(body, "--upstream") || strings.Contains(body, "secret") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	r := s.one(t)
	if r.state.EndReason != "error: upstream: connection refused" || len(r.notes(schema.Send)) != 1 {
		t.Errorf("ended %q with %q", r.state.EndReason, r.notes(schema.Send))
	}
}

// An answer that comes before the request has ended is not held up, and what
// is on the connection does not become a request.
func TestEarlyAnswer(t *testing.T) {
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		io.WriteString(w, "too large")
	}), nil)
	for _, size := range []int{1, 5000, 100_000, 300_000, 600_000, 3_000_000} {
		began := time.Now()
		body, feed := io.Pipe()
		answered := make(chan struct{})
		req := s.request(t, "POST", "/", "")
		req.Body, req.ContentLength = body, int64(size)
		go func() {
			feed.Write([]byte(strings.Repeat("x", size/2)))
			select {
			case <-answered:
			case <-time.After(bounded.Limit):
				t.Errorf("%d bytes: no answer before the end of the request", size)
			}
			feed.Write([]byte(strings.Repeat("x", size-size/2)))
			feed.Close()
		}()
		res, err := s.client.Do(req)
		if err != nil {
			t.Errorf("%d bytes: %v", size, err)
			close(answered)
			body.Close()
			continue
		}
		if got, err := io.ReadAll(res.Body); err != nil || string(got) != "too large" || res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%d bytes: %d %q %v", size, res.StatusCode, got, err)
		}
		close(answered)
		res.Body.Close()
		body.Close()
		speedtest.Within(t, "the answer", time.Since(began), 15*time.Second)
	}
	s.recorded(t, 6)
}
