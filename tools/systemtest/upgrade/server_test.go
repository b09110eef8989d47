package upgrade

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/syncbuffer"
)

// programs are the two versions.
type programs struct{ old, new string }

// fleet is NATS, ClickHouse, and a server for each role.
type fleet struct {
	programs
	dir     string
	servers *local.Servers
	roles   map[string]*server
}

// server is a process of `tapedeck serve` with one role.
type server struct {
	addr string
	dir  string
	cmd  *exec.Cmd
	log  *syncbuffer.Output
	done chan error
}

// newFleet starts NATS and ClickHouse, and every role of the previous version.
func newFleet(t *testing.T, p programs) *fleet {
	t.Helper()
	f := &fleet{programs: p, dir: t.TempDir(), roles: map[string]*server{}}
	f.servers = localtest.Servers(t, local.Options{ListenNATS: "127.0.0.1:0"})
	run(t, ".", p.old, "migrate", "--clickhouse", f.servers.ClickHouseDSN())
	var held []net.Listener
	for _, role := range []string{"ingest", "sink", "api"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, l)
		f.roles[role] = &server{addr: l.Addr().String(), dir: filepath.Join(f.dir, role)}
	}
	for _, l := range held {
		l.Close()
	}
	for role := range f.roles {
		f.start(t, role, p.old)
	}
	t.Cleanup(func() {
		for role := range f.roles {
			f.stop(t, role)
		}
	})
	return f
}

func (f *fleet) start(t *testing.T, role, program string) {
	t.Helper()
	s := f.roles[role]
	s.log, s.done = &syncbuffer.Output{}, make(chan error, 1)
	s.cmd = exec.Command(program, "serve", "--role", role, "--listen", s.addr, "--data", s.dir,
		"--nats", f.servers.NATSURL(), "--clickhouse", f.servers.ClickHouseDSN(), "--max-bytes", fmt.Sprint(256<<20))
	s.cmd.Stderr = s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cmd, done := s.cmd, s.done
	go func() { done <- cmd.Wait() }()
	bounded.Until(t, role+" to be ready", func() bool {
		select {
		case err := <-done:
			t.Fatalf("%s ended: %v\n%s", role, err, s.log)
		default:
		}
		status, _, err := get("http://" + s.addr + "/readyz")
		return err == nil && status == http.StatusOK
	})
}

func (f *fleet) stop(t *testing.T, role string) {
	t.Helper()
	s := f.roles[role]
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may just have ended
	if err := bounded.Receive(t, s.done); err != nil {
		t.Errorf("%s ended: %v\n%s", role, err, s.log)
	}
	s.cmd = nil
}

// replace restarts a role with another version.
func (f *fleet) replace(t *testing.T, role, program string) {
	t.Helper()
	f.stop(t, role)
	f.start(t, role, program)
}

func (f *fleet) url(role string) string { return "http://" + f.roles[role].addr }

func get(url string) (status int, body []byte, err error) {
	resp, err := http.Get(url)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	return resp.StatusCode, body, err
}
