package bench

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
	"syscall"
	"time"

	"tapedeck/ingest"
)

// Server is a `tapedeck up` of its own, in a process of its own.
type Server struct {
	URL     string
	program string
	dir     string
	cmd     *exec.Cmd
	output  bytes.Buffer
}

const (
	startTimeout = 30 * time.Second
	stopTimeout  = 20 * time.Second
)

// StartServer runs the program's "up" with a data directory under dir and waits
// until it is ready.
func StartServer(ctx context.Context, program, dir string) (*Server, error) {
	s := &Server{program: program, dir: filepath.Join(dir, "data")}
	s.cmd = exec.Command(program, "up", "--data", s.dir, "--listen", "127.0.0.1:0", "--log-level", "warn")
	s.cmd.Stderr = &s.output
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s up: %w", program, err)
	}
	for end := time.Now().Add(startTimeout); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		if s.URL == "" {
			s.URL = s.announced()
		}
		if s.URL != "" && s.ready(ctx) {
			return s, nil
		}
	}
	_, err := s.Stop()
	return nil, errors.Join(fmt.Errorf("the server was not ready within %v: %s", startTimeout, s.output.String()), err)
}

// announced reads the address that the server noted in its data directory.
func (s *Server) announced() string {
	var note struct {
		Address string `json:"address"`
	}
	data, err := os.ReadFile(filepath.Join(s.dir, "runtime.json"))
	if err != nil || json.Unmarshal(data, &note) != nil {
		return ""
	}
	return note.Address
}

func (s *Server) ready(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/readyz", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// Record runs the program's "record FILE" against the server and returns when
// all of it can be queried. CPU is that of the recording process alone.
func (s *Server) Record(ctx context.Context, path string) (Stage, ingest.Summary, error) {
	began := time.Now()
	cmd := exec.CommandContext(ctx, s.program, "record", "--json", "--server", s.URL, path)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Dir(s.dir))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return Stage{}, ingest.Summary{}, fmt.Errorf("%s record: %w: %s", s.program, err, stderr.String())
	}
	took := time.Since(began)
	var sum ingest.Summary
	if err := json.Unmarshal(stdout.Bytes(), &sum); err != nil {
		return Stage{}, sum, fmt.Errorf("read what record printed: %w", err)
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return Stage{Name: "end to end", Frames: sum.Frames, Bytes: sum.Bytes, Took: took, CPU: cpu}, sum, nil
}

// Get asks the server's API.
func (s *Server) Get(ctx context.Context, path string, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s: %s", path, resp.Status, body)
	}
	return json.Unmarshal(body, v)
}

// Stop ends the server and gives the CPU time that it took, ClickHouse's included.
func (s *Server) Stop() (time.Duration, error) {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, fmt.Errorf("stop the server: %w", err)
	}
	killer := time.AfterFunc(stopTimeout, func() { _ = s.cmd.Process.Kill() }) // it may be gone by then
	defer killer.Stop()
	err := s.cmd.Wait()
	cpu := s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
	if err != nil {
		return cpu, fmt.Errorf("the server ended badly: %w: %s", err, s.output.String())
	}
	return cpu, nil
}
