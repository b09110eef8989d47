package memory

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local/programtest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// server is a `tapedeck serve` in a control group, and how to ask it.
type server struct {
	*commandtest.Instance
	group  *group
	token  string        // of all tenants
	ended  chan struct{} // closed when the process has ended
	client *http.Client
}

// start runs a server with all roles in a control group until the test ends.
func start(t *testing.T, g *group, nats, clickhouse string, args ...string) *server {
	t.Helper()
	s := &server{Instance: &commandtest.Instance{Dir: t.TempDir(), Log: &commandtest.LogBuffer{}, Done: make(chan error, 1)}, group: g, ended: make(chan struct{})}
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	s.Cmd = exec.Command("/bin/sh", append([]string{"-c", `echo $$ > "$0" && exec "$@"`, g.processes(), programtest.Path(t),
		"serve", "--nats", nats, "--clickhouse", clickhouse, "--listen", "127.0.0.1:0", "--data", s.Dir, "--migrate", "--tokens", "--pprof"}, args...)...)
	s.Cmd.Stderr = s.Log
	if err := s.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		s.Done <- s.Cmd.Wait()
		close(s.ended)
	}()
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		if _, err := s.Stop(); err != nil {
			t.Errorf("the server ended with %v\n%s", err, tail(s.Log.String()))
		}
	})
	bounded.Until(t, "the server answers", func() bool {
		found := commandtest.ServingAt.FindStringSubmatch(s.Log.String())
		if found == nil {
			return false
		}
		s.URL = found[1]
		token, err := os.ReadFile(filepath.Join(s.Dir, "admin-token"))
		s.token = strings.TrimSpace(string(token))
		return err == nil
	})
	return s
}

// tail returns the end of a log.
func tail(log string) string { return log[max(0, len(log)-4000):] }

// request returns a request of a tenant.
func (s *server) request(tenant, method, path string, body io.Reader) *http.Request {
	r, err := http.NewRequest(method, s.URL+path, body)
	if err != nil {
		panic(err) // the tests name valid paths
	}
	r.Header = s.header(tenant)
	r.Header.Set("Content-Type", "application/x-ndjson")
	return r
}

func (s *server) header(tenant string) http.Header {
	return http.Header{"Authorization": {"Bearer " + s.token}, "Tapedeck-Tenant": {tenant}}
}

// refusal checks an answer that refuses a request for now, and returns when to send it again.
func refusal(resp *http.Response) (again time.Duration, err error) {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return 0, fmt.Errorf("%s %s: %s: %s", resp.Request.Method, resp.Request.URL.Path, resp.Status, text)
	}
	seconds := resp.Header.Get("Retry-After")
	if again, err = time.ParseDuration(seconds + "s"); err != nil || again <= 0 {
		return 0, fmt.Errorf("%s %s: %s with Retry-After %q: %s", resp.Request.Method, resp.Request.URL.Path, resp.Status, seconds, text)
	}
	return again, nil
}
