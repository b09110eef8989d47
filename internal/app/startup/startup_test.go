package startup

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tapedeck/internal/problem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func get(t *testing.T, url string) (status int, header http.Header, body string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

// A server that starts is alive and not ready, and the server that follows answers on the
// same socket.
func TestAnswers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	s, err := Serve(l, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s.SetDetail("migrating 0018_settled_sessions_compact 2/5")
	for _, want := range []struct {
		path, text string
		status     int
	}{
		{"/healthz", "ok", http.StatusOK},
		{"/readyz", "migrating 0018_settled_sessions_compact 2/5", http.StatusServiceUnavailable},
		{"/v1/sessions", "migrating 0018_settled_sessions_compact 2/5", http.StatusServiceUnavailable},
	} {
		status, header, body := get(t, url+want.path)
		if status != want.status || !strings.Contains(body, want.text) {
			t.Errorf("%s: %d %s", want.path, status, body)
		}
		if again := header.Get("Retry-After"); want.path == "/v1/sessions" && again != "1" {
			t.Errorf("%s: Retry-After %q", want.path, again)
		}
	}
	req, err := http.NewRequest(http.MethodGet, url+"/sessions/demo", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html,application/xhtml+xml")
	s.SetDetail("<script>")
	client := &http.Client{Transport: &http.Transport{}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	client.CloseIdleConnections()
	if h := resp.Header; err != nil || resp.StatusCode != http.StatusServiceUnavailable || h.Get("Refresh") != "1" || h.Get(problem.StartingHeader) != "1" ||
		!strings.HasPrefix(h.Get("Content-Type"), "text/html") || !strings.Contains(string(page), "<p>&lt;script&gt;</p>") {
		t.Errorf("a page: %d %v %s, %v", resp.StatusCode, h, page, err)
	}
	s.Close()
	s.Close() // a second call does nothing
	next := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("next")) })}
	ended := make(chan error, 1)
	go func() { ended <- next.Serve(l) }()
	if status, _, body := get(t, url+"/readyz"); status != http.StatusOK || body != "next" {
		t.Errorf("the server that follows: %d %s", status, body)
	}
	_ = next.Close()
	<-ended
}

// A listener that is not a TCP socket is left to the server that follows.
func TestOtherListener(t *testing.T) {
	l, err := net.Listen("unix", t.TempDir()+"/s")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, err := Serve(l, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}
