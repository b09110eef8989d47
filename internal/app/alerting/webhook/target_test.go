package webhook_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tapedeck/internal/app/alerting/notify"
	"tapedeck/internal/app/alerting/webhook"
	"tapedeck/internal/bounded"
	"tapedeck/query/alerts/evaluate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var event = notify.EventOf(&evaluate.Alert{ID: "a1", Rule: "hangs", Tenant: "acme", Session: "s", Detail: "it hangs"})

func target(t *testing.T, url string, timeout time.Duration) *webhook.Target {
	t.Helper()
	to, err := webhook.New(webhook.Options{URL: url, Secret: "key", Inward: true, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(to.Close)
	return to
}

// A receiver can check who sent a body, and when.
func TestSignature(t *testing.T) {
	type request struct {
		header http.Header
		body   []byte
	}
	received := make(chan request, 1)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received <- request{r.Header, body}
	}))
	defer s.Close()
	if err := target(t, s.URL+"/hook", bounded.Limit).Send(t.Context(), event); err != nil {
		t.Fatal(err)
	}
	r := bounded.Receive(t, received)
	if want := "v1=" + webhook.Sign([]byte("key"), r.header.Get("Tapedeck-Timestamp"), r.body); r.header.Get("Tapedeck-Signature") != want {
		t.Errorf("the signature is %q, want %q", r.header.Get("Tapedeck-Signature"), want)
	}
	var got map[string]any
	if err := json.Unmarshal(r.body, &got); err != nil {
		t.Fatal(err)
	}
	if got["id"] != "a1:alert.began" || got["type"] != "alert.began" || got["tenant"] != "acme" || r.header.Get("Tapedeck-Event-Id") != "a1:alert.began" {
		t.Errorf("%s", r.body)
	}
	// The HMAC-SHA256 of "1700000000.{}" with the key "key", computed with openssl dgst -sha256 -hmac key.
	const known = "9d713ed406bb7076d4123f0dc2c39d2df5c654ed4b0cd56b52c8b4c940bd63ae"
	if mac := webhook.Sign([]byte("key"), "1700000000", []byte("{}")); mac != known {
		t.Errorf("the signature of a known body is %s", mac)
	}
}

// A receiver that redirects, refuses or hangs has not taken an event, and the error does not show the path of the URL.
func TestFailures(t *testing.T) {
	var followed atomic.Bool
	hang := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/followed", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/followed", func(http.ResponseWriter, *http.Request) { followed.Store(true) })
	mux.HandleFunc("/refuse", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	defer close(hang)
	for path, want := range map[string]string{"/redirect": "307", "/refuse": "500", "/hang": "imeout"} {
		timeout := bounded.Limit
		if path == "/hang" {
			timeout = 200 * time.Millisecond // it ends by its timeout, however slow the machine is
		}
		err := target(t, s.URL+path, timeout).Send(t.Context(), event)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	if followed.Load() {
		t.Error("a redirect was followed")
	}
}

// Inward addresses are refused unless they are allowed, by name too.
func TestInward(t *testing.T) {
	for _, url := range []string{"https://127.0.0.1/x", "https://10.1.2.3/x", "https://169.254.169.254/latest", "https://[::1]/x", "https://[::ffff:10.0.0.1]/",
		"https://100.64.0.1/", "https://0.0.0.0/", "https://[fd00::1]/", "http://hooks.example.com/", "https://user:pass@hooks.example.com/", "ftp://x/", "x"} {
		if _, err := webhook.New(webhook.Options{URL: url, Secret: "key"}); err == nil {
			t.Errorf("%s was accepted", url)
		}
	}
	to, err := webhook.New(webhook.Options{URL: "https://localhost:1/x", Secret: "key"})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if err := to.Send(t.Context(), event); err == nil || !strings.Contains(err.Error(), "not public") {
		t.Errorf("a name of an inward address: %v", err)
	}
}

// An event is sent until the receiver takes it, always with the same id.
func TestQueue(t *testing.T) {
	var refuse atomic.Bool
	refuse.Store(true)
	ids := make(chan string, 1000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refused := refuse.Load()
		ids <- r.Header.Get("Tapedeck-Event-Id")
		if refused {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	defer s.Close()
	taken := make(chan string, 10)
	var asked atomic.Int64
	q := notify.NewQueue(target(t, s.URL, bounded.Limit),
		func(context.Context, notify.Event) (bool, error) { asked.Add(1); return true, nil },
		func(_ context.Context, e notify.Event) { taken <- e.ID }, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); q.Run(ctx) }()
	defer func() { cancel(); <-done }()
	q.Add(event)
	first := bounded.Receive(t, ids) // it was refused
	refuse.Store(false)
	if id := bounded.Receive(t, taken); first != event.ID || id != event.ID {
		t.Errorf("%s was refused, %s was taken", first, id)
	}
	if len(ids) == 0 || asked.Load() == 0 {
		t.Errorf("it was sent again %d times, and its alert looked up %d times", len(ids), asked.Load())
	}
	for len(ids) > 0 {
		if id := <-ids; id != event.ID {
			t.Errorf("%s was sent again", id)
		}
	}
}
