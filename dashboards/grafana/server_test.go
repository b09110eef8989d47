package grafana

import (
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
)

// startServer builds the program and runs `tapedeck up`; it returns the address.
func startServer(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "tapedeck")
	if out, err := exec.Command("go", "build", "-o", program, "tapedeck/cmd/tapedeck").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	cmd := exec.Command(program, "up", "--data", data, "--listen", "127.0.0.1:0")
	cmd.Stderr = log
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
		http.DefaultClient.CloseIdleConnections()
	})
	var note struct {
		PID     int    `json:"pid"`
		Address string `json:"address"`
	}
	bounded.Until(t, "the server is ready", func() bool {
		text, err := os.ReadFile(filepath.Join(data, "runtime.json"))
		if err != nil || json.Unmarshal(text, &note) != nil || note.PID != cmd.Process.Pid {
			return false
		}
		resp, err := http.Get(note.Address + "/readyz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return note.Address
}

// call is a stream of Anthropic's API.
const call = `event: message_start
data: {"type":"message_start","message":{"id":"msg_N","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[],"usage":{"input_tokens":1000,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello"}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":50}}

event: message_stop
data: {"type":"message_stop"}

`

func request(t *testing.T, method, url, media, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", media)
	resp, err := http.DefaultClient.Do(req)
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

// work records a session, waits until it can be read, plays it and asks for reports.
func work(t *testing.T, address string, n int) {
	t.Helper()
	session := fmt.Sprint("session-", n)
	if code, text := request(t, "POST", address+"/v1/ingest?session="+session, "text/event-stream", strings.ReplaceAll(call, "msg_N", session)); code != http.StatusOK {
		t.Fatalf("ingest: %d %s", code, text)
	}
	bounded.Until(t, "the session can be read", func() bool {
		code, text := request(t, "GET", address+"/v1/sessions/"+session+"/frames", "", "")
		return code == http.StatusOK && strings.Contains(text, "message_stop")
	})
	for _, path := range []string{"/v1/sessions/" + session + "/replay?speed=1", "/v1/usage", "/v1/tools", "/v1/sessions", "/v1/calls"} {
		if code, text := request(t, "GET", address+path, "", ""); code != http.StatusOK {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
}
