package main

import (
	"net/http"
	"strings"
	"syscall"
	"testing"

	"tapedeck/internal/bounded"
)

// A server that is stopped is not ready first, answers requests for --drain-delay, and ends at
// once on another signal.
func TestDrainDelay(t *testing.T) {
	needEngine(t)
	s, err := startUp(t, t.TempDir(), "--drain-delay", "10m")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the server not to be ready", func() bool {
		status, body, _ := s.get(t, "/readyz", "Accept", "application/json")
		return status == http.StatusServiceUnavailable && strings.Contains(string(body), `"stopping"`)
	})
	for _, path := range []string{"/healthz", "/v1/sessions"} {
		if status, _, _ := s.get(t, path, "Accept", "application/json"); status != http.StatusOK {
			t.Errorf("%s answers %d while the server drains", path, status)
		}
	}
	bounded.Until(t, "the server to end", func() bool {
		_ = s.cmd.Process.Signal(syscall.SIGTERM) // those right behind the first count as one
		select {
		case <-s.done:
			return true
		default:
			return false
		}
	})
	if text := s.log.String(); !strings.Contains(text, "second signal") {
		t.Errorf("the log is %s", text)
	}
}

// A drain delay that has passed ends the server in good order.
func TestDrained(t *testing.T) {
	needEngine(t)
	s, err := startUp(t, t.TempDir(), "--drain-delay", "300ms", "--stop-timeout", "10s")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.stop(); err != nil || !strings.Contains(s.log.String(), "requests are ended") {
		t.Errorf("%v; the log is %s", err, s.log)
	}
}
