package prometheus

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/certs/certstest"
)

// faulty is a server in which the faults of the list onFaults are forced.
type faulty struct {
	*server
	certificate string // its file
}

// startFaulty starts a server with a certificate that expires in a week, a limit of one stream,
// which a body that does not end has open, and a limit of one row for statements on ClickHouse.
func startFaulty(t *testing.T) *faulty {
	t.Helper()
	authority := certstest.New(t, "authority")
	cert, key := authority.Save(t.TempDir(), authority.Issue(7*24*time.Hour, "127.0.0.1"))
	f := &faulty{certificate: cert}
	f.server = start(t, authority, "--tokens", "--tls-cert", cert, "--tls-key", key, "--max-streams-per-tenant", "1", "--query-rows", "1")
	f.record(t, "first")
	f.record(t, "second")
	bounded.Until(t, "a statement reaches its limit", func() bool {
		code, _ := f.ask(t, "GET", "/v1/usage", "", nil)
		return code == http.StatusServiceUnavailable
	})
	body, open := io.Pipe()
	ended := make(chan struct{})
	req, err := http.NewRequestWithContext(t.Context(), "POST", f.address+"/v1/ingest?session=open", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+f.token)
	req.Header.Set("Content-Type", "text/event-stream")
	go func() {
		defer close(ended)
		if resp, err := f.client.Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	t.Cleanup(func() { open.Close(); <-ended })
	if _, err := io.WriteString(open, ": open\n\n"); err != nil { // nothing is sent before
		t.Fatal(err)
	}
	return f
}

// fail forces faults, some before each scrape.
func (f *faulty) fail(t *testing.T, n int) {
	t.Helper()
	bounded.Until(t, "a stream is refused", func() bool {
		code, _ := f.ask(t, "POST", "/v1/ingest?session=refused", "text/event-stream", strings.NewReader(call("refused")))
		return code == http.StatusTooManyRequests
	})
	for i := range 60 { // 4 a second by Prometheus's clock
		if code, text := f.askWith(t, fmt.Sprint("guess-", i), "GET", "/v1/sessions", "", nil); code != http.StatusUnauthorized {
			t.Errorf("a token that is not one: %d %s", code, text)
		}
	}
	for range 6 { // more than 5 % of the requests
		f.ask(t, "POST", "/v1/ingest?session=refused", "text/event-stream", strings.NewReader(call("refused")))
		if code, text := f.ask(t, "GET", "/v1/usage", "", nil); code != http.StatusServiceUnavailable {
			t.Errorf("a statement beyond its limit: %d %s", code, text)
		}
	}
	if n == 1 {
		if err := os.WriteFile(f.certificate, []byte("nothing"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
