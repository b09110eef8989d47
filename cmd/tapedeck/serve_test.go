package main

import (
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/local/programtest"
)

// cluster is a NATS and a ClickHouse for processes of `tapedeck serve`.
type cluster struct{ servers *local.Servers }

func newCluster(t *testing.T, opts local.Options) *cluster {
	t.Helper()
	needEngine(t)
	opts.ListenNATS = "127.0.0.1:0"
	return &cluster{localtest.Servers(t, opts)}
}

var servingAt = regexp.MustCompile(`serving.* url=(\S+)`)

// serve runs `tapedeck serve` with roles on the cluster.
func (c *cluster) serve(t *testing.T, roles string, args ...string) *instance {
	t.Helper()
	return serve(t, c.servers.NATSURL(), c.servers.ClickHouseDSN(), roles, append([]string{"--migrate"}, args...)...)
}

// serve runs `tapedeck serve` until the test ends, and waits until it answers.
func serve(t *testing.T, nats, clickhouse, roles string, args ...string) *instance {
	t.Helper()
	s := launch(t, t.TempDir(), nats, clickhouse, roles, args...)
	t.Cleanup(func() {
		if _, err := s.stop(); err != nil {
			t.Errorf("stop serve --role %s: %v\n%s", roles, err, s.log)
		}
	})
	return s
}

// launch runs `tapedeck serve` on a data directory, and waits until it answers. The caller stops it.
func launch(t *testing.T, dir, nats, clickhouse, roles string, args ...string) *instance {
	t.Helper()
	s := &instance{dir: dir, log: &logBuffer{}, done: make(chan error, 1)}
	s.cmd = exec.Command(programtest.Path(t), append([]string{"serve", "--role", roles, "--nats", nats, "--clickhouse", clickhouse,
		"--listen", "127.0.0.1:0", "--data", s.dir}, args...)...)
	s.cmd.Env = os.Environ()
	s.cmd.Stderr = s.log
	s.cmd.WaitDelay = 10 * time.Second // for a child that holds its standard error
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.done <- s.cmd.Wait() }()
	answers := false
	defer func() {
		if !answers {
			_ = s.cmd.Process.Kill() // the test has failed
		}
	}()
	bounded.Until(t, "serve --role "+roles, func() bool {
		found := servingAt.FindStringSubmatch(s.log.String())
		if found == nil {
			return false
		}
		s.url = found[1]
		resp, err := http.Get(s.url + "/healthz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		answers = resp.StatusCode == http.StatusOK
		return answers
	})
	return s
}
