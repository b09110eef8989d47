package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"tapedeck/internal/bounded"
	"testing"
	"time"

	"tapedeck/internal/app/health"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/programtest"
	"tapedeck/internal/syncbuffer"
)

// instance is a running `tapedeck up`.
type instance struct {
	url  string
	dir  string
	cmd  *exec.Cmd
	log  *logBuffer
	done chan error
}

// logBuffer is what a process wrote to its standard error.
type logBuffer = syncbuffer.Output

// startUp runs `tapedeck up` on a data directory and waits until it is ready.
func startUp(t testing.TB, dir string, args ...string) (*instance, error) {
	return startWith(t, http.DefaultClient, dir, args...)
}

// startWith is startUp for a server that only some clients can call.
func startWith(t testing.TB, client *http.Client, dir string, args ...string) (*instance, error) {
	s := &instance{dir: dir, log: &logBuffer{}, done: make(chan error, 1)}
	args = append([]string{"up", "--data", dir}, args...)
	if !slices.Contains(args, "--listen") {
		args = append(args, "--listen", "127.0.0.1:0")
	}
	s.cmd = exec.Command(programtest.Path(t), args...)
	s.cmd.Env = os.Environ()
	s.cmd.Stderr = s.log
	s.cmd.WaitDelay = 10 * time.Second // for a child that holds its standard error
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.done <- s.cmd.Wait() }()
	for end := time.Now().Add(bounded.Limit); time.Now().Before(end); {
		if s.url == "" {
			s.url = announced(dir, s.cmd.Process.Pid)
		} else if resp, err := client.Get(s.url + "/readyz"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return s, nil
			}
		}
		select {
		case err := <-s.done:
			return nil, fmt.Errorf("up ended: %w\n%s", err, s.log)
		case <-time.After(20 * time.Millisecond):
		}
	}
	s.kill()
	return nil, fmt.Errorf("up was not ready within %v\n%s", bounded.Limit, s.log)
}

// announced reads the address that the process noted.
func announced(dir string, pid int) string {
	var note struct {
		PID     int    `json:"pid"`
		Address string `json:"address"`
	}
	data, err := os.ReadFile(filepath.Join(dir, "runtime.json"))
	if err != nil || json.Unmarshal(data, &note) != nil || note.PID != pid {
		return ""
	}
	return note.Address
}

// kill ends it as kill -9 does.
func (s *instance) kill() {
	_ = s.cmd.Process.Kill() // it may be gone
	<-s.done
}

// stop ends it in good order and returns the time that took.
func (s *instance) stop() (time.Duration, error) {
	began := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	select {
	case err := <-s.done:
		return time.Since(began), err
	case <-time.After(bounded.Limit):
		s.kill()
		return time.Since(began), fmt.Errorf("it did not end within %v", bounded.Limit)
	}
}

// shared is the server that most tests use, started by the first.
var shared struct {
	once sync.Once
	s    *instance
	home string
	err  error
}

// sharedServer returns the server that the tests of a package share.
func sharedServer(t testing.TB) *instance {
	t.Helper()
	needEngine(t)
	shared.once.Do(func() {
		if shared.home, shared.err = os.MkdirTemp("", "tapedeck-test-"); shared.err == nil {
			shared.s, shared.err = startUp(t, filepath.Join(shared.home, "data"))
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.s
}

func stopShared() {
	if shared.s != nil {
		if _, err := shared.s.stop(); err != nil {
			fmt.Fprintf(os.Stderr, "stop the shared server: %v\n%s", err, shared.s.log)
		}
	}
	os.RemoveAll(shared.home)
}

// runTests runs the tests of a package and exits. It stops the server that they share.
func runTests(m *testing.M) {
	engine.RunIfChild()
	if found, err := engine.Find(context.Background()); err == nil && found.Library != "" {
		os.Setenv(engine.LibraryEnv, found.Library) // for the program, which is outside of the clone
	}
	code := m.Run()
	if code != 0 && shared.s != nil {
		fmt.Fprintf(os.Stderr, "the shared server logged:\n%s", shared.s.log)
	}
	stopShared()
	os.Exit(code)
}

func needEngine(t testing.TB) {
	t.Helper()
	if _, err := engine.Find(t.Context()); err != nil {
		fulltest.Missing(t, err)
	}
}

// command returns a run of tapedeck against a server.
func (s *instance) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), programtest.Path(t), args...)
	cmd.Env = append(os.Environ(), "TAPEDECK_SERVER="+s.url, "XDG_STATE_HOME="+filepath.Dir(s.dir), "XDG_DATA_HOME="+filepath.Dir(s.dir))
	return cmd
}

// run runs a command and returns what it printed.
func (s *instance) run(t *testing.T, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	return finish(t, s.command(t, args...))
}

func finish(t *testing.T, cmd *exec.Cmd) (stdout, stderr string, exit int) {
	t.Helper()
	var out, diag bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diag
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return out.String(), diag.String(), cmd.ProcessState.ExitCode()
}

// must runs a command that has to succeed.
func (s *instance) must(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, exit := s.run(t, args...)
	if exit != 0 {
		t.Fatalf("tapedeck %s: exit %d\n%s%s", strings.Join(args, " "), exit, stdout, stderr)
	}
	return stdout
}

// get reads an answer of the API.
func (s *instance) get(t *testing.T, path string, header ...string) (status int, body []byte, h http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err = io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body, resp.Header
}

// readiness reads /readyz.
func (s *instance) readiness(t *testing.T) (status int, answer health.Readiness) {
	t.Helper()
	status, body, _ := s.get(t, "/readyz")
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return status, answer
}

// post sends NDJSON, which has to be taken.
func (s *instance) post(t *testing.T, path string, body []byte) {
	t.Helper()
	resp, err := http.Post(s.url+path, "application/x-ndjson", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		t.Fatalf("POST %s: %d %s", path, resp.StatusCode, answer)
	}
}

// metric reads one metric, with its labels if it has any.
func (s *instance) metric(t *testing.T, name string) float64 {
	t.Helper()
	_, body, _ := s.get(t, "/metrics")
	for line := range strings.Lines(string(body)) {
		if text, ok := strings.CutPrefix(line, name+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Errorf("there is no metric %s", name)
	return 0
}
