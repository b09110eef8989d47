// Package commandtest starts the tapedeck program as users do, for tests of its commands.
//
// A package's TestMain is
//
//	func TestMain(m *testing.M) { commandtest.Main(m) }
//
// Its tests share one server (Shared). A test that changes the state of the server, or
// that asserts totals, starts a server of its own (StartUp, NewCluster).
package commandtest

import (
	"bytes"
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
	"testing"
	"time"

	"tapedeck/internal/app/health"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/engine/enginetest"
	"tapedeck/internal/local/programtest"
	"tapedeck/internal/syncbuffer"
)

// Exit codes of the program.
const (
	ExitFailed = 1
	ExitUsage  = 2
)

// Instance is a running `tapedeck up`.
type Instance struct {
	URL  string
	Dir  string
	Cmd  *exec.Cmd
	Log  *LogBuffer
	Done chan error
}

// LogBuffer collects the standard error of a process.
type LogBuffer = syncbuffer.Output

// StartUp runs `tapedeck up` on a data directory and waits until it is ready.
func StartUp(t testing.TB, dir string, args ...string) (*Instance, error) {
	return StartWith(t, http.DefaultClient, dir, args...)
}

// StartWith is like StartUp for a server that only some clients can call.
func StartWith(t testing.TB, client *http.Client, dir string, args ...string) (*Instance, error) {
	s := &Instance{Dir: dir, Log: &LogBuffer{}, Done: make(chan error, 1)}
	args = append([]string{"up", "--data", dir}, args...)
	if !slices.Contains(args, "--listen") {
		args = append(args, "--listen", "127.0.0.1:0")
	}
	s.Cmd = exec.Command(programtest.Path(t), args...)
	s.Cmd.Env = os.Environ()
	s.Cmd.Stderr = s.Log
	s.Cmd.WaitDelay = 10 * time.Second // a child may hold the standard error
	if err := s.Cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.Done <- s.Cmd.Wait() }()
	for end := time.Now().Add(bounded.Limit); time.Now().Before(end); {
		if s.URL == "" {
			s.URL = announced(dir, s.Cmd.Process.Pid)
		} else if resp, err := client.Get(s.URL + "/readyz"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return s, nil
			}
		}
		select {
		case err := <-s.Done:
			return nil, fmt.Errorf("up ended: %w\n%s", err, s.Log)
		case <-time.After(20 * time.Millisecond):
		}
	}
	s.Kill()
	return nil, fmt.Errorf("up was not ready within %v\n%s", bounded.Limit, s.Log)
}

// announced reads the address that the process has stored.
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

// Kill ends the process as kill -9 does.
func (s *Instance) Kill() {
	_ = s.Cmd.Process.Kill() // it may have ended
	<-s.Done                 //nolint:errcheck // it was killed, which is not an error
}

// Stop ends the process cleanly and returns the time that it took.
func (s *Instance) Stop() (time.Duration, error) {
	began := time.Now()
	if err := s.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	select {
	case err := <-s.Done:
		return time.Since(began), err
	case <-time.After(bounded.Limit):
		s.Kill()
		return time.Since(began), fmt.Errorf("it did not end within %v", bounded.Limit)
	}
}

// shared is the server that most tests use; the first one starts it.
var shared struct {
	once sync.Once
	s    *Instance
	home string
	err  error
}

// Shared returns the server that the tests of a package share.
func Shared(t testing.TB) *Instance {
	t.Helper()
	NeedEngine(t)
	shared.once.Do(func() {
		if shared.home, shared.err = os.MkdirTemp("", "tapedeck-test-"); shared.err == nil {
			shared.s, shared.err = StartUp(t, filepath.Join(shared.home, "data"))
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.s
}

func stopShared() {
	if shared.s != nil {
		if _, err := shared.s.Stop(); err != nil {
			fmt.Fprintf(os.Stderr, "stop the shared server: %v\n%s", err, shared.s.Log)
		}
	}
	os.RemoveAll(shared.home)
}

// Main runs the tests of a package and exits. It stops the shared server.
func Main(m *testing.M) {
	engine.RunIfChild()
	enginetest.Use() // also for the program, which is outside of the clone
	code := m.Run()
	if code != 0 && shared.s != nil {
		fmt.Fprintf(os.Stderr, "the shared server logged:\n%s", shared.s.Log)
	}
	stopShared()
	os.Exit(code)
}

// NeedEngine skips a test, or fails it in a full run, if no ClickHouse is installed.
func NeedEngine(t testing.TB) {
	t.Helper()
	if _, err := engine.Find(t.Context()); err != nil {
		fulltest.Missing(t, err)
	}
}

// Command returns a tapedeck command that uses this server.
func (s *Instance) Command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), programtest.Path(t), args...)
	cmd.Env = append(os.Environ(), "TAPEDECK_SERVER="+s.URL, "XDG_STATE_HOME="+filepath.Dir(s.Dir),
		"XDG_DATA_HOME="+filepath.Dir(s.Dir), "TAPEDECK_WAIT_LIMIT="+bounded.Limit.String())
	return cmd
}

// Run runs a command and returns its output.
func (s *Instance) Run(t *testing.T, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	return Finish(t, s.Command(t, args...))
}

// Finish runs a command and returns its output.
func Finish(t *testing.T, cmd *exec.Cmd) (stdout, stderr string, exit int) {
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

// Must runs a command that must succeed.
func (s *Instance) Must(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, exit := s.Run(t, args...)
	if exit != 0 {
		t.Fatalf("tapedeck %s: exit %d\n%s%s", strings.Join(args, " "), exit, stdout, stderr)
	}
	return stdout
}

// Get reads an answer of the API.
func (s *Instance) Get(t *testing.T, path string, header ...string) (status int, body []byte, h http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
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

// Readiness reads /readyz.
func (s *Instance) Readiness(t *testing.T) (status int, answer health.Readiness) {
	t.Helper()
	status, body, _ := s.Get(t, "/readyz")
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return status, answer
}

// Post sends NDJSON, which the server must accept.
func (s *Instance) Post(t *testing.T, path string, body []byte) {
	t.Helper()
	resp, err := http.Post(s.URL+path, "application/x-ndjson", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		t.Fatalf("POST %s: %d %s", path, resp.StatusCode, answer)
	}
}

// Metric reads one metric. name includes the labels if it has any.
func (s *Instance) Metric(t *testing.T, name string) float64 {
	t.Helper()
	_, body, _ := s.Get(t, "/metrics")
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
