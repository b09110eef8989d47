package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/bounded"
	"tapedeck/internal/problem"
	"tapedeck/internal/slow"
)

// A body that does not arrive holds no connection, whoever sends it, where nobody reads it neither:
// every route is tried, and what is no route.
func TestSlowBodies(t *testing.T) {
	s := bareServer(t)
	s.Slow.Body = slow.NewTimeout(100 * time.Millisecond)
	go func() { _ = s.serve(s.http, s.Listener) }()
	defer s.http.Close()
	routes := []string{"POST /nothing", "GET /v1/nothing", "BREW /v1/sessions"}
	for route, r := range s.table {
		method, path, _ := strings.Cut(route, " ")
		if r.scope == access.Record || strings.HasPrefix(path, "/emulate/") || strings.HasSuffix(path, "/replay") || method == http.MethodHead {
			continue // these may pause
		}
		routes = append(routes, route)
	}
	var all sync.WaitGroup
	for _, route := range routes {
		all.Go(func() {
			method, path, _ := strings.Cut(route, " ")
			c, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(bounded.Limit))
			path = strings.NewReplacer(":", "", "*", "x").Replace(path)
			fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", method, path)
			if _, err := io.Copy(io.Discard, bufio.NewReader(c)); err != nil && strings.Contains(err.Error(), "timeout") {
				t.Errorf("%s holds its connection", route)
			}
		})
	}
	all.Wait()
	t.Logf("%d routes", len(routes))
}

// A request that is refused while its body still arrives is answered at once, also a recording, which may pause for
// any time.
func TestRefusedWhileTheBodyArrives(t *testing.T) {
	s := bareServer(t)
	go func() { _ = s.serve(s.http, s.Listener) }()
	defer s.http.Close()
	for _, path := range []string{"/v1/nothing", "/v1/ingest?nothing=1", "/v1/shares"} {
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(slow.BodyTimeout / 2))
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", path)
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Errorf("%s: no answer before the body ended: %v", path, err)
			continue
		}
		res.Body.Close()
		if res.StatusCode < http.StatusBadRequest || !res.Close {
			t.Errorf("%s: %d, the connection closes: %v", path, res.StatusCode, res.Close)
		}
	}
}

// Answers are not stored, unless a handler says otherwise: a cache before the server knows nothing of
// logins.
func TestAnswersAreNotStored(t *testing.T) {
	s := bareServer(t)
	go func() { _ = s.serve(s.http, s.Listener) }()
	defer s.http.Close()
	for _, path := range []string{"/healthz", "/metrics", "/v1/nothing", "/v1/sessions/x/tape", "/v1/sessions", "/v1/sessions/x/replay", "/openapi.yaml"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.Header.Get(problem.ServerHeader) == "" {
			t.Errorf("%s: commands do not recognise the server", path)
		}
		if got := res.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: %d with Cache-Control %q", path, res.StatusCode, got)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}
