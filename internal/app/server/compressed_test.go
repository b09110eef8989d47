package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Answers of the server itself are compressed. What stands below the paths of emulations is
// answered as a recorded application answered it.
func TestCompressedAnswers(t *testing.T) {
	s := bareServer(t)
	for path, coding := range map[string]string{
		"/openapi.yaml":                "zstd",
		"/openapi.yaml?nonsense=1":     "", // a problem of few bytes
		"/emulate/nosuch/openapi.yaml": "",
		"/api/v0/agents":               "",
	} {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:4600"+path, nil)
		r.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
		w := httptest.NewRecorder()
		s.http.Handler.ServeHTTP(w, r)
		if got := w.Header().Get("Content-Encoding"); got != coding {
			t.Errorf("%s: status %d, coding %q, want %q", path, w.Code, got, coding)
		}
	}
}
