package proxy

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"tapedeck/internal/bounded"
)

// Pages of other sites, and names that are not this machine's, reach neither the
// upstream nor a recording.
func TestForeignPages(t *testing.T) {
	var reached atomic.Int64
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { reached.Add(1) }), func(o *Options) {
		o.Hosts, o.Origins = []string{"proxy.test"}, []string{"https://app.example"}
	})
	forwarded := 0
	for _, tc := range []struct {
		method, host, fields string
		status               int
		hint                 string
	}{
		{"POST", "", "", 200, ""},
		{"POST", "localhost:4700", "", 200, ""},
		{"POST", "proxy.test", "", 200, ""},
		{"POST", "", "Origin: http://localhost:3000; Sec-Fetch-Site: cross-site", 200, ""},
		{"POST", "", "Origin: http://127.0.0.1:3000; Sec-Fetch-Site: same-site", 200, ""},
		{"POST", "", "Origin: https://app.example; Sec-Fetch-Site: cross-site", 200, ""},
		{"GET", "", "Sec-Fetch-Site: none; Sec-Fetch-Mode: navigate; Sec-Fetch-Dest: document", 200, ""},
		{"POST", "evil.example", "", 421, "--allow-host"},
		{"GET", "127.0.0.1.evil.example:4700", "", 421, "--allow-host"},
		{"POST", "", "Origin: https://evil.example", 403, "--allow-origin"},
		{"OPTIONS", "", "Origin: https://evil.example; Access-Control-Request-Method: POST", 403, "--allow-origin"},
		{"POST", "", "Origin: null", 403, "--allow-origin"},
		{"GET", "", "Origin: https://evil.example; Upgrade: websocket; Connection: Upgrade", 403, "--allow-origin"},
		{"GET", "", "Sec-Fetch-Site: cross-site; Sec-Fetch-Mode: no-cors; Sec-Fetch-Dest: image", 403, "--allow-origin"},
		{"GET", "", "Sec-Fetch-Site: cross-site; Sec-Fetch-Mode: navigate; Sec-Fetch-Dest: document", 403, "--allow-origin"},
	} {
		before := reached.Load()
		req, err := http.NewRequestWithContext(t.Context(), tc.method, s.front.URL+"/v1/chat", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = tc.host
		for field := range strings.SplitSeq(tc.fields, "; ") {
			if name, value, ok := strings.Cut(field, ": "); ok {
				req.Header.Set(name, value)
			}
		}
		res, err := s.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		text := string(body)
		passed := tc.status == 200
		if res.StatusCode != tc.status || !strings.Contains(text, tc.hint) || (reached.Load() > before) != passed {
			t.Errorf("%s %q %s: %d, reached %v, %s", tc.method, tc.host, tc.fields, res.StatusCode, reached.Load() > before, text)
		}
		if passed {
			forwarded++
			s.recorded(t, forwarded)
			continue
		}
		if len(s.memory.Streams()) != forwarded {
			t.Errorf("%s %q %s was recorded", tc.method, tc.host, tc.fields)
		}
	}
	// A recording ends after its answer: what was refused is looked for once more at the end.
	if err := s.proxy.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	bounded.Wait(t, s.memory.Wait)
	s.recorded(t, forwarded)
}
