package dashboards

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func serve(t *testing.T, h *Handler, target string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func text(t *testing.T, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestHandler(t *testing.T) {
	script := strings.Repeat("console.log('deck')\n", 100)
	h, err := newHandler(fstest.MapFS{
		".gitkeep":        {},
		"index.html":      {Data: []byte("<html><head></head><body></body></html>")},
		"assets/a-123.js": {Data: []byte(script)},
		"assets/b-456.js": {Data: []byte(script)}, "assets/b-456.js.br": {Data: []byte("brotli")},
	})
	if err != nil {
		t.Fatal(err)
	}

	t.Run("every address of the page is the page, with another nonce each time", func(t *testing.T) {
		seen := map[string]bool{}
		for _, path := range []string{"/", "/sessions/a%2Fb", "/usage?from=now-7d"} {
			res := serve(t, h, path)
			got := regexp.MustCompile(`nonce="([^"]+)"`).FindStringSubmatch(text(t, res.Body))
			if got == nil || !strings.Contains(res.Header.Get("Content-Security-Policy"), "'nonce-"+got[1]+"'") {
				t.Fatalf("%s: nonce %q, policy %q", path, got, res.Header.Get("Content-Security-Policy"))
			}
			seen[got[1]] = true
		}
		if len(seen) != 3 {
			t.Errorf("%d nonces for three answers", len(seen))
		}
	})

	t.Run("what the build compressed is sent to who accepts it", func(t *testing.T) {
		for accepted, want := range map[string]string{
			"gzip, deflate, br, zstd": "br", "gzip;q=1.0, br;q=0.5": "br", "gzip, br;q=0": "gzip", "br;q=0.0": "", "brotli": "", "": "",
		} {
			res := serve(t, h, "/assets/b-456.js", "Accept-Encoding", accepted)
			if got := res.Header.Get("Content-Encoding"); got != want || (text(t, res.Body) == "brotli") != (want == "br") {
				t.Errorf("%q: coding %q, want %q", accepted, got, want)
			}
		}
		if res := serve(t, h, "/assets/b-456.js.br"); res.StatusCode != http.StatusNotFound {
			t.Errorf("the compressed file itself: %s", res.Status)
		}
	})

	t.Run("what is named by its content stays in caches", func(t *testing.T) {
		res := serve(t, h, "/assets/a-123.js", "Accept-Encoding", "gzip, br")
		if !strings.Contains(res.Header.Get("Cache-Control"), "immutable") || res.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("headers %v", res.Header)
		}
		packed, err := gzip.NewReader(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if text(t, packed) != script {
			t.Error("the packed script is another")
		}
		if plain := serve(t, h, "/assets/a-123.js"); text(t, plain.Body) != script {
			t.Error("the plain script is another")
		}
		again := serve(t, h, "/assets/a-123.js", "If-None-Match", res.Header.Get("ETag"))
		if again.StatusCode != http.StatusNotModified {
			t.Errorf("asked again: %s", again.Status)
		}
	})

	t.Run("a script of another version is not the page", func(t *testing.T) {
		if res := serve(t, h, "/assets/c-789.js"); res.StatusCode != http.StatusNotFound {
			t.Error(res.Status)
		}
	})

	t.Run("an address of no page is reported by the page", func(t *testing.T) {
		w := httptest.NewRecorder()
		h.ServeNotFound(w)
		if res := w.Result(); res.StatusCode != http.StatusNotFound || !strings.Contains(text(t, res.Body), "csp-nonce") {
			t.Error(res.Status)
		}
	})

	t.Run("a program without UI says so", func(t *testing.T) {
		empty, err := newHandler(fstest.MapFS{".gitkeep": {}})
		if err != nil {
			t.Fatal(err)
		}
		res := serve(t, empty, "/")
		if got := text(t, res.Body); res.StatusCode != http.StatusNotFound || !strings.Contains(got, "make build") {
			t.Errorf("%s %s", res.Status, got)
		}
	})
}
