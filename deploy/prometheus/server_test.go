package prometheus

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/certs/certstest"
	"tapedeck/internal/local/programtest"
)

// server is a process of `tapedeck up`.
type server struct {
	address string
	client  *http.Client
	token   string // of requests; "" for none
}

// start runs the program with flags. authority signed its certificate and may be nil.
func start(t *testing.T, authority *certstest.Authority, flags ...string) *server {
	t.Helper()
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	if authority != nil {
		transport.TLSClientConfig = &tls.Config{RootCAs: authority.Pool()}
	}
	data := filepath.Join(dir, "data")
	cmd := exec.Command(programtest.Path(t), append([]string{"up", "--data", data, "--listen", "127.0.0.1:0"}, flags...)...)
	cmd.Env, cmd.Stderr = programtest.Environ(t), log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case <-done:
		case <-time.After(30 * time.Second):
			_ = cmd.Process.Kill()
			<-done
		}
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("the server logged:\n%s", text)
		}
		log.Close()
		transport.CloseIdleConnections()
	})
	s := &server{client: &http.Client{Transport: transport}}
	bounded.Until(t, "the server is ready", func() bool {
		var note struct {
			PID     int    `json:"pid"`
			Address string `json:"address"`
		}
		text, err := os.ReadFile(filepath.Join(data, "runtime.json"))
		if err != nil || json.Unmarshal(text, &note) != nil || note.PID != cmd.Process.Pid {
			return false
		}
		s.address = note.Address
		resp, err := s.client.Get(note.Address + "/readyz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	if text, err := os.ReadFile(filepath.Join(data, "admin-token")); err == nil {
		s.token = strings.TrimSpace(string(text))
	}
	return s
}

// ask sends a request and returns the status and the body of the answer.
func (s *server) ask(t *testing.T, method, path, media string, body io.Reader) (int, string) {
	t.Helper()
	return s.askWith(t, s.token, method, path, media, body)
}

func (s *server) askWith(t *testing.T, token, method, path, media string, body io.Reader) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.address+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", media)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// record records a stream of Anthropic's API as a session.
func (s *server) record(t *testing.T, session string) {
	t.Helper()
	if code, text := s.ask(t, "POST", "/v1/ingest?session="+session, "text/event-stream", strings.NewReader(call(session))); code != http.StatusOK {
		t.Fatalf("ingest: %d %s", code, text)
	}
}

// call is a stream of Anthropic's API.
func call(id string) string {
	var b strings.Builder
	for _, data := range []string{
		`{"type":"message_start","message":{"id":"` + id + `","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[],"usage":{"input_tokens":1000,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello"}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":50}}`,
		`{"type":"message_stop"}`,
	} {
		kind, _, _ := strings.Cut(strings.TrimPrefix(data, `{"type":"`), `"`)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", kind, data)
	}
	return b.String()
}

// more records a secret, records under an idempotency key, and deletes a session.
func (s *server) more(t *testing.T) {
	t.Helper()
	for path, body := range map[string]string{
		"/v1/ingest?session=secret": strings.ReplaceAll(call("secret"), "hello", "Authorization: Bearer sk-ant-api03-"+strings.Repeat("k3", 46)+"-AA"),
		"/v1/ingest?session=keyed":  call("keyed"),
	} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "text/event-stream")
		if strings.HasSuffix(path, "keyed") {
			req.Header.Set("Idempotency-Key", "key-1")
		}
		resp, err := s.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
	if code, text := s.ask(t, "DELETE", "/v1/sessions/session-0", "", nil); code >= 300 {
		t.Errorf("delete: %d %s", code, text)
	}
}

// work records a session, waits until it can be read, plays it and asks for reports.
func (s *server) work(t *testing.T, n int) {
	t.Helper()
	session := fmt.Sprint("session-", n)
	s.record(t, session)
	bounded.Until(t, "the session can be read", func() bool {
		code, text := s.ask(t, "GET", "/v1/sessions/"+session+"/frames", "", nil)
		return code == http.StatusOK && strings.Contains(text, "message_stop")
	})
	if n == 1 {
		s.more(t)
	}
	for _, path := range []string{"/v1/sessions/" + session + "/replay?speed=1", "/v1/usage", "/v1/tools", "/v1/sessions", "/v1/calls"} {
		if code, text := s.ask(t, "GET", path, "", nil); code != http.StatusOK {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
}
