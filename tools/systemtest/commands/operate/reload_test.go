package operate

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A running server takes what it can from its configuration file, lists what needs a restart, and
// keeps everything when the file is wrong.
func TestReload(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	file := filepath.Join(t.TempDir(), "tapedeck.yaml")
	set := func(text string) {
		t.Helper()
		next := file + ".next"
		if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, file); err != nil {
			t.Fatal(err)
		}
	}
	set("max-streams: 3\n")
	s, err := commandtest.StartUp(t, filepath.Join(t.TempDir(), "data"), "--config", file, "--max-replays", "9")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	logged := func(text string) {
		t.Helper()
		bounded.Until(t, "the log of "+text, func() bool { return strings.Contains(s.Log.String(), text) })
	}
	limit := func(name string) string {
		_, body, _ := s.Get(t, "/metrics")
		for line := range strings.Lines(string(body)) {
			if rest, ok := strings.CutPrefix(line, `tapedeck_open_limit{limit="`+name+`"} `); ok {
				return strings.TrimSpace(rest)
			}
		}
		return ""
	}
	if got := limit("max-streams"); got != "3" {
		t.Fatalf("max-streams is %q at the start", got)
	}
	set("max-streams: 7\nmax-replays: 1\nlog-level: debug\nlog-format: json\nmax-tags: 5\n") // the watch finds it
	// The loggers that exist write the new format.
	logged(`"changed":"log-format, log-level, max-streams"`)
	logged(`"settings":"max-tags"`)
	if got := limit("max-streams"); got != "7" {
		t.Errorf("max-streams is %q after a reload", got)
	}
	if got := limit("max-replays"); got != "9" {
		t.Errorf("max-replays is %q: the flag comes before the file", got)
	}
	set("max-streams: 8\nmax-followers: -1\n")
	logged("settings: not reloaded")
	logged("--max-followers=-1 (" + file + ":2): it must be 1 or more")
	if got := limit("max-streams"); got != "7" {
		t.Errorf("max-streams is %q after a file that is wrong", got)
	}
	set("max-streams: 8\n")
	if err := s.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the limit of the repaired file", func() bool { return limit("max-streams") == "8" })
}
