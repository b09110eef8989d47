package report

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/ingest/redecode"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A stream that was recorded as something else shows its run, its tool and its
// tokens once it was decoded anew, and plays the same bytes as ever.
func TestRedecode(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	file := commandtest.TextFile(t, []byte(commandtest.LoomRun))
	const id = "redecode/one" // a name that has to be escaped
	s.Must(t, "record", "--again", "--session", id, "--dialect", "generic", file)
	s.Must(t, "record", "--again", "--session", "redecode two", "--dialect", "generic", file)
	if out := s.Must(t, "show", id); strings.Contains(out, "clock") {
		t.Fatalf("generic knows the tool:\n%s", out)
	}
	out := s.Must(t, "redecode", id, "redecode two")
	if rows := strings.Split(strings.TrimSpace(out), "\n"); len(rows) != 3 || !strings.Contains(rows[0], "DIALECT") ||
		strings.Count(out, "generic → loom") != 2 || !strings.Contains(out, id) {
		t.Errorf("redecode:\n%s", out)
	}
	shown := s.Must(t, "show", id)
	for _, want := range []string{"tool clock", "What is it?", "reply: Noon."} {
		if !strings.Contains(shown, want) {
			t.Errorf("show does not say %q:\n%s", want, shown)
		}
	}
	if raw := s.Must(t, "play", id, "--format", "ndjson", "--speed", "max"); raw != commandtest.LoomRun {
		t.Errorf("it plays %q", raw)
	}
	if out := s.Must(t, "frames", id); !strings.Contains(out, "tool_start") {
		t.Errorf("frames:\n%s", out)
	}

	var answer struct {
		Items []redecode.Result `json:"items"`
		Next  *string           `json:"next"`
	}
	if err := json.Unmarshal([]byte(s.Must(t, "redecode", "--json", "--dialect", "generic", id)), &answer); err != nil || len(answer.Items) != 1 {
		t.Fatalf("%+v, %v", answer, err)
	}
	got := answer.Items[0].Streams[0]
	if got.DialectBefore != "loom" || got.DialectAfter != "generic" || got.Frames != 8 || got.Usages != 0 || !got.Ended {
		t.Errorf("%+v", got)
	}
	if out := s.Must(t, "show", id); strings.Contains(out, "clock") {
		t.Errorf("facts that are no longer emitted:\n%s", out)
	}
	s.Must(t, "redecode", id)
	if again := s.Must(t, "show", id); again != shown {
		t.Errorf("there and back:\n%s\nwas\n%s", again, shown)
	}
}

func TestRedecodeRefusals(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	s.Must(t, "record", "--again", "--session", "refused", commandtest.TextFile(t, []byte(commandtest.LoomRun)))
	for _, tc := range []struct {
		args []string
		exit int
		says []string
	}{
		{[]string{"redecode", "nobody", "refused"}, commandtest.ExitFailed, []string{"session nobody", "no session"}},
		{[]string{"redecode", "--dialect", "loon", "refused"}, commandtest.ExitUsage, []string{`"loon"`, "loom", "generic"}},
		{[]string{"redecode"}, commandtest.ExitUsage, []string{"session"}},
		{[]string{"redecode", "--server", "http://127.0.0.1:1", "refused"}, commandtest.ExitFailed, []string{"tapedeck up"}},
	} {
		_, stderr, exit := s.Run(t, tc.args...)
		if exit != tc.exit {
			t.Errorf("%q: exit %d, want %d", tc.args, exit, tc.exit)
		}
		for _, want := range tc.says {
			if !strings.Contains(stderr, want) {
				t.Errorf("%q does not say %q: %s", tc.args, want, stderr)
			}
		}
	}

	// One that is being recorded.
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte(commandtest.LoomRun), 0o600); err != nil {
		t.Fatal(err)
	}
	follow := s.Command(t, "record", "--session", "live", "--follow", log)
	if err := follow.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = follow.Process.Kill() // ends with the test
		_ = bounded.Command(t, follow)
	}()
	bounded.Until(t, "the live session", func() bool {
		status, _, _ := s.Get(t, "/v1/sessions/live")
		return status == http.StatusOK
	})
	if _, stderr, exit := s.Run(t, "redecode", "live"); exit != commandtest.ExitFailed || !strings.Contains(stderr, "still being recorded") || !strings.Contains(stderr, "Try again") {
		t.Errorf("a running session: exit %d, %s", exit, stderr)
	}
}
