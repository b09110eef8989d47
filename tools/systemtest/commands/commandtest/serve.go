package commandtest

import (
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/local/programtest"
)

// Cluster is a NATS and a ClickHouse for processes of `tapedeck serve`.
type Cluster struct{ Servers *local.Servers }

// NewCluster starts both servers until the test ends.
func NewCluster(t *testing.T, opts local.Options) *Cluster {
	t.Helper()
	NeedEngine(t)
	opts.ListenNATS = "127.0.0.1:0"
	return &Cluster{localtest.Servers(t, opts)}
}

// ServingAt matches the address in the log of a server.
var ServingAt = regexp.MustCompile(`serving.* url=(\S+)`)

// Serve runs `tapedeck serve` with roles on the cluster.
func (c *Cluster) Serve(t *testing.T, roles string, args ...string) *Instance {
	t.Helper()
	return Serve(t, c.Servers.NATSURL(), c.Servers.ClickHouseDSN(), roles, append([]string{"--migrate"}, args...)...)
}

// Serve runs `tapedeck serve` until the test ends, and waits until it answers.
func Serve(t *testing.T, nats, clickhouse, roles string, args ...string) *Instance {
	t.Helper()
	s := Launch(t, t.TempDir(), nats, clickhouse, roles, args...)
	t.Cleanup(func() {
		if _, err := s.Stop(); err != nil {
			t.Errorf("stop serve --role %s: %v\n%s", roles, err, s.Log)
		}
	})
	return s
}

// Launch runs `tapedeck serve` on a data directory, and waits until it answers. The caller stops
// it. It listens on a free port, unless args have --listen.
func Launch(t *testing.T, dir, nats, clickhouse, roles string, args ...string) *Instance {
	t.Helper()
	s := &Instance{Dir: dir, Log: &LogBuffer{}, Done: make(chan error, 1)}
	if !slices.Contains(args, "--listen") {
		args = append([]string{"--listen", "127.0.0.1:0"}, args...)
	}
	s.Cmd = exec.Command(programtest.Path(t),
		append([]string{"serve", "--role", roles, "--nats", nats, "--clickhouse", clickhouse, "--data", s.Dir}, args...)...)
	s.Cmd.Env = os.Environ()
	s.Cmd.Stderr = s.Log
	s.Cmd.WaitDelay = 10 * time.Second // a child may hold the standard error
	if err := s.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.Done <- s.Cmd.Wait() }()
	answers := false
	defer func() {
		if !answers {
			_ = s.Cmd.Process.Kill() // the test has failed
		}
	}()
	bounded.Until(t, "serve --role "+roles, func() bool {
		found := ServingAt.FindStringSubmatch(s.Log.String())
		if found == nil {
			return false
		}
		s.URL = found[1]
		resp, err := http.Get(s.URL + "/healthz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		answers = resp.StatusCode == http.StatusOK
		return answers
	})
	return s
}
