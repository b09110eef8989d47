package server

import (
	"net/http/httptest"
	"net/url"
	"testing"

	"tapedeck/internal/app/auth/login"
)

// Behind a proxy with TLS the public name alone is bound to https.
func TestPublicNameIsBoundToHTTPS(t *testing.T) {
	for _, c := range []struct {
		public, host string
		bound        bool
	}{
		{"https://tapedeck.example.com", "tapedeck.example.com", true}, {"https://tapedeck.example.com", "127.0.0.1:4600", false},
		{"http://tapedeck.example.com", "tapedeck.example.com", false}, {"https://localhost:8443", "localhost:8443", false},
	} {
		s := bareServer(t)
		u, err := url.Parse(c.public)
		if err != nil {
			t.Fatal(err)
		}
		s.Logins = &login.Logins{Settings: login.Settings{Public: u}}
		r := httptest.NewRequest("GET", "/healthz", nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		s.Hosts = []string{"tapedeck.example.com"}
		s.echo.ServeHTTP(w, r)
		if got := w.Header().Get("Strict-Transport-Security"); (got != "") != c.bound {
			t.Errorf("%s called as %s: %d, %q", c.public, c.host, w.Code, got)
		}
	}
}
