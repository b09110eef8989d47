package fairness

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// server is a `tapedeck up` with tokens, and a connection to its NATS.
type server struct {
	*commandtest.Instance
	t     *testing.T
	token string // for all tenants
	nc    *nats.Conn
}

// newServer runs a server until the test ends.
func newServer(t *testing.T) *server {
	t.Helper()
	commandtest.NeedEngine(t)
	dir := filepath.Join(t.TempDir(), "data")
	up, err := commandtest.StartUp(t, dir, "--tokens", "--nats-listen", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := up.Stop(); err != nil {
			t.Errorf("%v\n%s", err, up.Log)
		}
	})
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(text))
	}
	s := &server{Instance: up, t: t, token: read("admin-token")}
	if s.nc, err = nats.Connect(read("nats-url")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.nc.Close)
	return s
}

// request returns a request of a tenant. The test's context ends it.
func (s *server) request(method, path, tenant string, body io.Reader) *http.Request {
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, body)
	if err != nil {
		panic(err) // the paths are constants
	}
	r.Header = s.header(tenant)
	r.Header.Set("Content-Type", "application/x-ndjson")
	return r
}

func (s *server) header(tenant string) http.Header {
	return http.Header{"Authorization": {"Bearer " + s.token}, "Tapedeck-Tenant": {tenant}}
}

// post records a body and returns an error unless the server recorded all of it.
func (s *server) post(tenant, query string, body io.Reader) error {
	resp, err := http.DefaultClient.Do(s.request(http.MethodPost, "/v1/ingest?"+query, tenant, body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("POST /v1/ingest?%s: %s %s", query, resp.Status, answer)
	}
	return err
}

// idle reports whether the sink has stored everything.
func (s *server) idle() bool {
	js, err := njs.New(s.nc)
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := js.Consumer(s.t.Context(), jetstream.StreamName, sink.ConsumerName)
	if err != nil {
		s.t.Fatal(err)
	}
	info := c.CachedInfo()
	return info.NumPending == 0 && info.NumAckPending == 0
}
