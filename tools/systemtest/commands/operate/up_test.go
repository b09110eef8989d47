package operate

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tapedeck/internal/app/server"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/loopback"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// The demo is recorded by the ordinary taps, plays, and its facts are the scripts'. Every call has a
// name and a price, and the cost that the agent states is the computed one.
func TestDemo(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	s, err := commandtest.StartUp(t, filepath.Join(t.TempDir(), "data"), "--demo")
	if err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the demo", func() bool {
		_, body, _ := s.Get(t, "/v1/sessions/demo")
		return strings.Contains(string(body), `"status":"ok"`)
	})
	out := s.Must(t, "show", "demo")
	for _, want := range []string{"tool bash", "tool read  (error", "6,789", "thinking: The user wants", "reply: Last night's build"} {
		if !strings.Contains(out, want) {
			t.Errorf("show demo does not say %q:\n%s", want, out)
		}
	}
	if out := s.Must(t, "play", "demo", "--speed", "max"); !strings.Contains(out, "── end, 121 frames") {
		t.Errorf("play demo:\n%s", out)
	}
	for session, status := range map[string]string{"demo-release": "ok", "demo-release-failed": "error"} {
		bounded.Until(t, session, func() bool {
			_, body, _ := s.Get(t, "/v1/sessions/"+session)
			return strings.Contains(string(body), `"status":"`+status+`"`)
		})
		commandtest.Contains(t, "show "+session, s.Must(t, "show", session), "tool Task", "node reviewer", "tool Bash", "user: Release the shop")
	}
	for _, session := range []string{"demo", "demo-release", "demo-release-failed"} {
		checkSpans(t, s, session)
	}
	if out := s.Must(t, "usage", "--group-by", "model"); strings.Contains(out, "unpriced") || strings.Contains(out, "(none)") {
		t.Errorf("the usage of the demo:\n%s", out)
	}
	if out := s.Must(t, "doctor", "usage"); strings.Contains(out, "demo") {
		t.Errorf("usage of the demo that does not add up:\n%s", out)
	}
	if out := s.Must(t, "diff", "demo-release", "demo-release-failed"); !strings.Contains(out, "the result of Bash differs") {
		t.Errorf("diff of the releases:\n%s", out)
	}
	if took, err := s.Stop(); err != nil || took > server.StopTimeout {
		t.Errorf("stopping took %v (%v), want at most %v\n%s", took, err, server.StopTimeout, s.Log)
	}
}

// A second up on a data directory says who holds it; a killed one leaves no
// process behind; a killed ClickHouse comes back while recording goes on.
func TestUpIsAlone(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	dir := filepath.Join(t.TempDir(), "data")
	s, err := commandtest.StartUp(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	_, stderr, exit := s.Run(t, "up", "--data", dir, "--listen", "127.0.0.1:0")
	if exit != commandtest.ExitFailed || !strings.Contains(stderr, fmt.Sprint(s.Cmd.Process.Pid)) || !strings.Contains(stderr, s.URL) {
		t.Errorf("a second up: exit %d, %q; it must name process %d and %s", exit, stderr, s.Cmd.Process.Pid, s.URL)
	}
	engine := enginePID(t, s)
	if err := syscall.Kill(engine, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.Must(t, "record", "--no-wait", "--session", "meanwhile", commandtest.TextFile(t, []byte("{\"a\":1}\n")))
	bounded.Until(t, "the recording made while ClickHouse was away", func() bool {
		status, _, _ := s.Get(t, "/v1/sessions/meanwhile")
		return status == http.StatusOK
	})
	again := enginePID(t, s)
	if again == engine {
		t.Fatalf("ClickHouse is still process %d", engine)
	}
	s.Kill()
	bounded.Until(t, "the end of ClickHouse after its parent was killed", func() bool {
		_, err := os.Stat(fmt.Sprintf("/proc/%d", again))
		return os.IsNotExist(err)
	})
}

func enginePID(t *testing.T, s *commandtest.Instance) (pid int) {
	t.Helper()
	bounded.Until(t, "ClickHouse to run", func() bool {
		_, body, _ := s.Get(t, "/readyz")
		var r struct {
			Checks []struct {
				Part  string
				State struct{ ClickHouse struct{ PID int } }
			}
		}
		if err := json.Unmarshal(body, &r); err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Checks {
			if c.Part == "local" {
				pid = c.State.ClickHouse.PID
			}
		}
		return pid != 0
	})
	return pid
}

// A server that is away: recording says so, keeps everything on disk, and the
// next recording that reaches a server sends it.
func TestServerAway(t *testing.T) {
	t.Parallel()
	commandtest.NeedEngine(t)
	for name, send := range map[string]func(*testing.T, *commandtest.Instance){
		moved: func(t *testing.T, s *commandtest.Instance) {
			_, stderr, exit := s.Run(t, "flush")
			_, dir, named := strings.Cut(stderr, "send them here with --spool ")
			if exit != commandtest.ExitFailed || !named {
				t.Fatalf("flush to another server: exit %d, %s", exit, stderr)
			}
			s.Must(t, "flush", "--spool", strings.TrimSpace(dir))
		},
		"flushed": func(t *testing.T, s *commandtest.Instance) {
			if stdout, _, exit := s.Run(t, "doctor"); exit != commandtest.ExitFailed || !strings.Contains(stdout, `→ "tapedeck flush" sends them`) {
				t.Errorf("doctor: exit %d\n%s", exit, stdout)
			}
			s.Must(t, "flush")
			if _, stderr, exit := s.Run(t, "flush"); exit != 0 || !strings.Contains(stderr, "Nothing waits") {
				t.Errorf("flushed again: exit %d, %s", exit, stderr)
			}
		},
		"sent by the next": func(t *testing.T, s *commandtest.Instance) {
			s.Must(t, "record", "--again", "--session", "other", commandtest.TextFile(t, []byte("{}\n")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			serverAway(t, name == moved, send)
		})
	}
}

// moved is the case in which the server comes back at another address.
const moved = "flushed to another address"

// serverAway has a server go away permanently under a recording; send is to send
// what was kept once another one is there.
func serverAway(t *testing.T, moves bool, send func(*testing.T, *commandtest.Instance)) {
	dir, address := filepath.Join(t.TempDir(), "data"), loopback.Free(t)
	s, err := commandtest.StartUp(t, dir, "--listen", address)
	if err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(t.TempDir(), "gone") // the command goes on once it is there
	cmd := s.Command(t, "record", "--session", "away", "--", "sh", "-c", `echo '{"n":1}'; while [ ! -e "$0" ]; do sleep 0.1; done; for i in 2 3 4; do echo "{\"n\":$i}"; done`, gone)
	stdout, stderr := &commandtest.LogBuffer{}, &commandtest.LogBuffer{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the first line", func() bool {
		status, _, _ := s.Get(t, "/v1/sessions/away")
		return status == http.StatusOK && strings.Contains(stdout.String(), "1")
	})
	s.Kill()
	if err := os.WriteFile(gone, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err = bounded.Command(t, cmd)
	if err == nil || !strings.Contains(stderr.String(), "safe on disk") ||
		!strings.Contains(stderr.String(), "\ntapedeck: "+s.URL+" is away since ") {
		t.Errorf("record ended with %v and said %q; it must fail and say where the blocks are", err, stderr)
	}
	if want := "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}\n"; stdout.String() != want {
		t.Errorf("the command's output came through as %q, want %q", stdout, want)
	}
	if moves {
		address = loopback.Free(t)
	}
	if s, err = commandtest.StartUp(t, dir, "--listen", address); err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	send(t, s)
	bounded.Until(t, "what was kept on disk", func() bool {
		_, body, _ := s.Get(t, "/v1/sessions/away/replay?mode=raw&speed=max", "Accept", "application/x-ndjson")
		return string(body) == stdout.String()
	})
}
