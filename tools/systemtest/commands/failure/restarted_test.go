package failure

import (
	"strings"
	"sync"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// restarted is a `tapedeck serve` that is stopped and started again on its data directory.
type restarted struct {
	role  string
	start func() *commandtest.Instance

	mu      sync.Mutex            // guards what follows
	running *commandtest.Instance // nil while it is stopped
}

// restartableOf starts a server of the cluster, which can be restarted.
func restartableOf(t *testing.T, c *commandtest.Cluster, role string, args ...string) *restarted {
	t.Helper()
	return restartable(t, c.Servers.NATSURL(), c.Servers.ClickHouseDSN(), role, args...)
}

// restartable starts a server, which can be restarted.
func restartable(t *testing.T, nats, clickhouse, role string, args ...string) *restarted {
	t.Helper()
	dir, args := t.TempDir(), append([]string{"--migrate"}, args...)
	r := &restarted{role: role, start: func() *commandtest.Instance { return commandtest.Launch(t, dir, nats, clickhouse, role, args...) }}
	t.Cleanup(func() { r.stop(t) })
	r.begin(t)
	return r
}

// now returns the process; nil while there is none.
func (r *restarted) now() *commandtest.Instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running
}

func (r *restarted) set(s *commandtest.Instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running = s
}

// begin starts it and waits until it is ready.
func (r *restarted) begin(t *testing.T) {
	t.Helper()
	s := r.start()
	r.set(s)
	bounded.Until(t, "the server with the role "+r.role+" to be ready", func() bool { return ready(s.URL) })
}

// stop ends the process as a service manager does.
func (r *restarted) stop(t *testing.T) {
	t.Helper()
	s := r.now()
	if s == nil {
		return
	}
	if _, err := s.Stop(); err != nil {
		t.Errorf("stop the server with the role %s: %v\n%s", r.role, err, s.Log)
	}
	r.set(nil)
}

func (r *restarted) restart(t *testing.T) {
	t.Helper()
	r.stop(t)
	r.begin(t)
}

// firstReady returns the address of the first of the servers that is ready; "" if none is.
func firstReady(servers ...*restarted) func() string {
	return func() string {
		for _, r := range servers {
			if s := r.now(); s != nil && ready(s.URL) {
				return strings.TrimPrefix(s.URL, "http://")
			}
		}
		return ""
	}
}

// spread is firstReady that begins with another server at each call.
func spread(servers ...*restarted) func() string {
	var mu sync.Mutex
	turn := 0
	return func() string {
		mu.Lock()
		turn++
		first := turn % len(servers)
		mu.Unlock()
		return firstReady(append(servers[first:len(servers):len(servers)], servers[:first]...)...)()
	}
}
