package server

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"tapedeck/query"
)

// panics is a log handler that keeps what the server logs about handlers that panicked.
type panics struct {
	slog.Handler
	mu   sync.Mutex // guards said
	said string
}

func (p *panics) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "panicked") {
		p.mu.Lock()
		defer p.mu.Unlock()
		r.Attrs(func(a slog.Attr) bool { p.said += a.String() + "\n"; return true })
	}
	return nil
}

func (*panics) Enabled(context.Context, slog.Level) bool { return true }

// take returns what was logged since the last call.
func (p *panics) take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	said := p.said
	p.said = ""
	return said
}

// needsNATS matches the routes that need what a server without NATS does not have.
var needsNATS = regexp.MustCompile(`^/+(readyz|v1/+(tokens|audit|dead-letters|ingest|bills|login|shares|retention|erasures|backups|tenants))`)

// Any path and query of a GET request is answered, by no handler that panics, and with a status
// of the client's if its query cannot be read.
func FuzzRequests(f *testing.F) {
	doc, err := openapi3.NewLoader().LoadFromData(query.OpenAPI)
	if err != nil {
		f.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		if item.Get == nil || needsNATS.MatchString(path) {
			continue
		}
		path = strings.NewReplacer("{", "", "}", "").Replace(path)
		f.Add(path, "")
		for _, q := range []string{"from=-7d&to=now&tz=Europe/Berlin", "limit=0", "cursor=!", "%zz", "speed=max&from=type:x", "sort=-cost&group_by=day,model", "a;b", "limit=1&limit=2"} {
			f.Add(path, q)
		}
	}
	f.Add("/v1/sessions/%2e%2e%2f/frames/0-0", "")
	f.Add("//v1//sessions", "\x00")
	said := &panics{Handler: slog.DiscardHandler}
	s := bareServer(f)
	s.Log = slog.New(said)
	f.Fuzz(func(t *testing.T, path, query string) {
		if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, " \t\r\n\x00") {
			return
		}
		u, err := url.ParseRequestURI(path)
		if err != nil || needsNATS.MatchString(u.Path) || strings.HasPrefix(u.Path, "/debug/") {
			return
		}
		u.RawQuery = query
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, "GET", "/", nil)
		r.URL, r.Host, r.RequestURI = u, "127.0.0.1:4600", u.RequestURI()
		w := httptest.NewRecorder()
		s.echo.ServeHTTP(w, r)
		if text := said.take(); text != "" {
			t.Fatalf("GET %s?%s: %s", path, query, text)
		}
		if _, err := url.ParseQuery(query); err != nil && w.Code < 400 && !strings.HasPrefix(path, "/emulate/") && !strings.HasPrefix(path, "/api/v0/") {
			t.Errorf("GET %s?%s: %d", path, query, w.Code)
		}
		if body, _ := io.ReadAll(w.Body); w.Code == 500 && bytes.Contains(body, []byte("goroutine")) {
			t.Errorf("GET %s?%s: the answer holds a stack", path, query)
		}
	})
}
