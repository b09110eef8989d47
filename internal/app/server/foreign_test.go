package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/app/node"
	"tapedeck/internal/budget"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/lifecycle/tombstone"
)

// bareServer has all routes and no server behind it: a request that passes the checks at
// the rim is answered with an error, but not with 403.
func bareServer(t testing.TB) *Server {
	t.Helper()
	db, err := clickhouse.Open("clickhouse://127.0.0.1:1/x") // never dialled
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	log := slog.New(slog.DiscardHandler)
	return New(Options{Node: &node.Node{DB: db, Deleted: tombstone.NewSet(tombstone.NewStore(db)), Recorder: ingest.NewRecorder(nil, ingest.Settings{}), Config: node.Config{DSN: "clickhouse://127.0.0.1:1/x"}}, Listener: l, Log: log, Readers: budget.New(budget.Options{Bytes: 1 << 30, Readers: 2000})})
}

// call answers a request to a route, its parameters filled in, and returns the
// status.
func call(t *testing.T, s *Server, method, route string, fields ...string) int {
	t.Helper()
	code, _ := ask(t, s, method, route, fields...)
	return code
}

// ask is call with the body.
func ask(t *testing.T, s *Server, method, route string, fields ...string) (code int, body string) {
	t.Helper()
	parts := strings.Split(route, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, ":") || p == "*" {
			parts[i] = "x"
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, method, "http://127.0.0.1:4600"+strings.Join(parts, "/"), nil)
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.echo.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// Pages of other sites change nothing, open no WebSocket, and cause no work: every
// route is tried, so one that is added later is, too.
func TestForeignPages(t *testing.T) {
	s := bareServer(t)
	foreign := map[string][]string{
		"foreign origin":       {"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"},
		"foreign origin alone": {"Origin: https://evil.example"},
		"opaque origin":        {"Origin: null"},
		"cross-site":           {"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"},
		"look-alike":           {"Origin: http://127.0.0.1.evil.example:4600"},
		"sandboxed recording":  {"Origin: null", "Sec-Fetch-Site: cross-site"},
	}
	for _, route := range s.echo.Routes() {
		safe := route.Method == http.MethodGet || route.Method == http.MethodHead
		for how, fields := range foreign {
			if code := call(t, s, route.Method, route.Path, fields...); code != http.StatusForbidden {
				t.Errorf("%s: %s %s: %d, want 403", how, route.Method, route.Path, code)
			}
			if route.Method == http.MethodGet {
				if code := call(t, s, route.Method, route.Path, append(fields, "Upgrade: websocket", "Connection: Upgrade")...); code != http.StatusForbidden {
					t.Errorf("%s: WebSocket %s: %d, want 403", how, route.Path, code)
				}
			}
		}
		// A page of another loopback port is another program's: it may read and play,
		// and speak to recordings, but change nothing.
		other := call(t, s, route.Method, route.Path, "Origin: http://localhost:3000", "Sec-Fetch-Site: cross-site") == http.StatusForbidden
		if recorded := strings.HasPrefix(route.Path, "/emulate/"); other != (!safe && !recorded) {
			t.Errorf("another port's page: %s %s: refused: %v", route.Method, route.Path, other)
		}
		for how, fields := range map[string][]string{
			"a program": nil,
			"own page":  {"Origin: http://127.0.0.1:4600", "Sec-Fetch-Site: same-origin"},
			"typed":     {"Sec-Fetch-Site: none", "Sec-Fetch-Mode: cors"},
		} {
			if code := call(t, s, route.Method, route.Path, fields...); code == http.StatusForbidden {
				t.Errorf("%s: %s %s is refused", how, route.Method, route.Path)
			}
		}
	}
	// Links from other sites lead to the pages.
	link := []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"}
	if code := call(t, s, http.MethodGet, "/sessions", link...); code == http.StatusForbidden {
		t.Error("a link from another site is refused")
	}
	if code := call(t, s, http.MethodPost, "/v1/dead-letters/retry", link...); code != http.StatusForbidden {
		t.Errorf("a form on another site: %d, want 403", code)
	}
}

// Without tokens a page of a listed origin reads every route and plays recordings. It changes
// nothing and opens no other WebSocket, and no page of another origin can do more than before.
func TestListedOriginWithoutTokens(t *testing.T) {
	s := bareServer(t)
	const page = "https://stories.example"
	s.Origins = []string{page}
	srv := httptest.NewServer(s.echo)
	t.Cleanup(srv.Close)
	send := func(method, path string, fields ...string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, srv.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fields {
			name, value, _ := strings.Cut(f, ": ")
			if r.Header.Set(name, value); name == "Host" {
				r.Host = value
			}
		}
		res, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close() // only the head counts
		return res
	}
	listed := []string{"Origin: " + page, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty"}
	for _, route := range s.echo.Routes() {
		safe := route.Method == http.MethodGet || route.Method == http.MethodHead
		recorded := strings.HasPrefix(route.Path, "/emulate/")
		if got := call(t, s, route.Method, route.Path, listed...) == http.StatusForbidden; got != (!safe && !recorded) {
			t.Errorf("%s %s: refused: %v", route.Method, route.Path, got)
		}
		if route.Method == http.MethodGet {
			plays := recorded || strings.HasPrefix(route.Path, "/api/v0/executions/") || route.Path == "/v1/sessions/:id/replay"
			socket := []string{"Origin: " + page, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: websocket", "Sec-Fetch-Dest: websocket", "Upgrade: websocket", "Connection: Upgrade"}
			if got := call(t, s, route.Method, route.Path, socket...) == http.StatusForbidden; got != !plays {
				t.Errorf("WebSocket %s: refused: %v", route.Path, got)
			}
		}
	}
	if res := send("GET", "/openapi.yaml", listed...); res.StatusCode != 200 || res.Header.Get("Access-Control-Allow-Origin") != page || res.Header.Get("Vary") != "Origin" || res.Header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("reading: %d %v", res.StatusCode, res.Header)
	}
	for _, tc := range []struct {
		path, method string
		from         string
		allowed      string // methods
	}{
		{"/v1/sessions/x", "DELETE", page, "GET, HEAD"},
		{"/v1/sessions", "GET", page, "GET, HEAD"},
		{"/emulate/x/v1/messages", "POST", page, "POST"},
		{"/v1/sessions", "GET", "https://other.example", ""},
		{"/v1/sessions", "GET", "http://stories.example", ""},
		{"/v1/sessions", "GET", "https://stories.example.org", ""},
		{"/v1/sessions", "GET", "http://localhost:3000", ""},
		{"/v1/sessions", "GET", "null", ""},
		{"/emulate/x/v1/messages", "POST", "https://other.example", ""},
	} {
		res := send("OPTIONS", tc.path, "Origin: "+tc.from, "Access-Control-Request-Method: "+tc.method, "Access-Control-Request-Headers: x-a")
		if got := res.Header.Get("Access-Control-Allow-Methods"); got != tc.allowed || (res.StatusCode == http.StatusNoContent) != (tc.allowed != "") {
			t.Errorf("the preflight of %s for %s %s: %d, %q", tc.from, tc.method, tc.path, res.StatusCode, got)
		}
		if got := res.Header.Get("Access-Control-Allow-Origin"); (got == tc.from) != (tc.allowed != "") {
			t.Errorf("the preflight of %s for %s %s: may be read by %q", tc.from, tc.method, tc.path, got)
		}
		res = send("GET", "/openapi.yaml", "Origin: "+tc.from)
		if got := res.Header.Get("Access-Control-Allow-Origin"); (got != "") != (tc.from == page) {
			t.Errorf("%s may read: %q", tc.from, got)
		}
	}
	// The name of the page's own host that resolves to the server is no name of the server.
	for _, fields := range [][]string{{"Host: stories.example"}, {"Host: stories.example", "Origin: " + page}} {
		if res := send("GET", "/openapi.yaml", fields...); res.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("%v: %d", fields, res.StatusCode)
		}
	}
	if res := send("GET", "/openapi.yaml", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script"); res.StatusCode != http.StatusForbidden {
		t.Errorf("a script of another site: %d", res.StatusCode)
	}
}

// Profiles are served only where that was asked for, and none takes long.
func TestProfilesAreOff(t *testing.T) {
	s := bareServer(t)
	if code := call(t, s, http.MethodGet, "/debug/pprof/heap"); code != http.StatusNotFound {
		t.Errorf("a profile of a server without --pprof: %d, want 404", code)
	}
	s.Pprof = true
	for query, want := range map[string]int{
		"heap": 200, "trace?seconds=3600": 400, "profile?seconds=61": 400, "profile?seconds=0": 400, "trace?seconds=x": 400, "nosuch": 404,
	} {
		if code := call(t, s, http.MethodGet, "/debug/pprof/"+query); code != want {
			t.Errorf("%s: %d, want %d", query, code, want)
		}
	}
}

// The port of an emulated session is no way for other sites to its content.
func TestEmulatePortRefusesForeignPages(t *testing.T) {
	h := LocalPages(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for _, tc := range []struct {
		method, host, fields string
		want                 int
	}{
		{"POST", "127.0.0.1:8080", "", 200},
		{"POST", "localhost:8080", "Origin: http://localhost:8080; Sec-Fetch-Site: same-origin", 200},
		{"POST", "127.0.0.1:8080", "Origin: http://localhost:3000; Sec-Fetch-Site: cross-site", 200},
		{"GET", "127.0.0.1:8080", "Sec-Fetch-Site: cross-site; Sec-Fetch-Mode: navigate; Sec-Fetch-Dest: document", 200},
		{"GET", "evil.example:8080", "", 421},
		{"POST", "127.0.0.1:8080", "Origin: https://evil.example", 403},
		{"GET", "127.0.0.1:8080", "Origin: https://evil.example; Upgrade: websocket", 403},
		{"GET", "127.0.0.1:8080", "Sec-Fetch-Site: cross-site; Sec-Fetch-Mode: no-cors; Sec-Fetch-Dest: image", 403},
		{"POST", "127.0.0.1:8080", "Sec-Fetch-Site: cross-site; Sec-Fetch-Mode: navigate; Sec-Fetch-Dest: document", 403},
	} {
		r := httptest.NewRequest(tc.method, "http://"+tc.host+"/v1/messages", nil)
		for field := range strings.SplitSeq(tc.fields, "; ") {
			if name, value, ok := strings.Cut(field, ": "); ok {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tc.want {
			t.Errorf("%s %s %s: %d, want %d", tc.method, tc.host, tc.fields, w.Code, tc.want)
		}
	}
}

// The health checks of load balancers, of HTTP/1.0, name no host. Nothing else is served without one.
func TestHealthChecksNeedNoHost(t *testing.T) {
	s := bareServer(t)
	for path, refused := range map[string]bool{"/healthz": false, "/readyz": false, "/": true, "/v1/sessions": true, "/metrics": true} {
		for host, refused := range map[string]bool{"": refused, "evil.example": true} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = host
			w := httptest.NewRecorder()
			s.http.Handler.ServeHTTP(w, r)
			if got := w.Code == http.StatusMisdirectedRequest; got != refused {
				t.Errorf("GET %s of host %q: %d", path, host, w.Code)
			}
		}
	}
}
