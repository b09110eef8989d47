package ingesthttp_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/ingesthttp"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/problem"
)

func TestMain(m *testing.M) { localtest.Main(m) }

// server is a real HTTP server with a Handler, and what it recorded.
type server struct {
	mem      *ingesttest.Memory
	http     *httptest.Server
	client   *http.Client
	shutdown context.CancelFunc
}

// serve starts a server whose own timeouts are far too short for a stream.
func serve(t *testing.T, set ingest.Settings, opts ingesthttp.Options) *server {
	t.Helper()
	return serveTo(t, &ingesttest.Memory{}, set, opts)
}

// serveTo is serve with what records.
func serveTo(t *testing.T, mem *ingesttest.Memory, set ingest.Settings, opts ingesthttp.Options) *server {
	t.Helper()
	s := &server{mem: mem}
	h := ingesthttp.NewHandler(ingest.NewRecorder(s.mem, set), opts)
	ctx, cancel := context.WithCancelCause(t.Context())
	s.shutdown = func() { cancel(problem.ErrStopping) }
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key, ok := strings.CutPrefix(r.URL.Path, "/v1/ingest/"); ok {
			_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // it looks the key up first
			h.Status(w, r, ingest.DefaultTenant, key)
			return
		}
		h.Ingest(w, r, "")
	}))
	s.http.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	s.http.Config.ReadHeaderTimeout = time.Minute // a busy machine may take longer than the others
	s.http.Config.IdleTimeout = time.Minute
	s.http.Config.ReadTimeout = 50 * time.Millisecond
	s.http.Config.WriteTimeout = 50 * time.Millisecond
	s.http.Start()
	s.client = s.http.Client()
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		s.http.Close()
		s.shutdown()
		bounded.Wait(t, s.mem.Wait)
	})
	return s
}

func (s *server) request(t *testing.T, query, media, encoding string, text io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.http.URL+"/v1/ingest"+query, text)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": media, "Content-Encoding": encoding} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	return r
}

func (s *server) post(t *testing.T, query, media, encoding string, text io.Reader) *http.Response {
	t.Helper()
	resp, err := s.client.Do(s.request(t, query, media, encoding, text))
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// text reads an answer of the expected status.
func (s *server) text(t *testing.T, resp *http.Response, status int) string {
	t.Helper()
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != status {
		t.Fatalf("status %d, want %d: %s", resp.StatusCode, status, text)
	}
	return string(text)
}

func (s *server) read(t *testing.T, resp *http.Response, status int, into any) {
	t.Helper()
	if text := s.text(t, resp, status); json.Unmarshal([]byte(text), into) != nil {
		t.Fatalf("not JSON: %s", text)
	}
}

// frames counts what was recorded so far, of all streams.
func (s *server) frames() int {
	n := 0
	for _, b := range s.mem.Blocks() {
		n += len(b.Frames)
	}
	return n
}

func (s *server) waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(bounded.Limit); !done(); time.Sleep(time.Millisecond) { // polls the condition
		if time.Now().After(deadline) { // it may be called by another goroutine than the test's, which must not end the test
			t.Errorf("waited in vain for %s", what)
			return
		}
	}
}
