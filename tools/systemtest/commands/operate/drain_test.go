package operate

import (
	"net/http"
	"strings"
	"syscall"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A server that is stopped is not ready first, answers requests for --drain-delay, and ends at
// once on another signal.
func TestDrainDelay(t *testing.T) {
	commandtest.NeedEngine(t)
	s, err := commandtest.StartUp(t, t.TempDir(), "--drain-delay", "10m")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the server not to be ready", func() bool {
		status, body, _ := s.Get(t, "/readyz", "Accept", "application/json")
		return status == http.StatusServiceUnavailable && strings.Contains(string(body), `"stopping"`)
	})
	for _, path := range []string{"/healthz", "/v1/sessions"} {
		if status, _, _ := s.Get(t, path, "Accept", "application/json"); status != http.StatusOK {
			t.Errorf("%s answers %d while the server drains", path, status)
		}
	}
	bounded.Until(t, "the server to end", func() bool {
		_ = s.Cmd.Process.Signal(syscall.SIGTERM) // those right behind the first count as one
		select {
		case <-s.Done:
			return true
		default:
			return false
		}
	})
	if text := s.Log.String(); !strings.Contains(text, "second signal") {
		t.Errorf("the log is %s", text)
	}
}

// A drain delay that has passed ends the server in good order.
func TestDrained(t *testing.T) {
	commandtest.NeedEngine(t)
	s, err := commandtest.StartUp(t, t.TempDir(), "--drain-delay", "300ms", "--stop-timeout", "10s")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stop(); err != nil || !strings.Contains(s.Log.String(), "requests are ended") {
		t.Errorf("%v; the log is %s", err, s.Log)
	}
}
