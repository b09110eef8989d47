package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// What cannot be is said before anything is served; a file needs no server to
// find out.
func TestEmulateFileErrors(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"run.sse": "data: {\"a\":1}\n\n", "run.ndjson": "{\"a\":1}\n", "empty.ndjson": "", "broken.tape": "no tape",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := filepath.Join(dir, "run.sse")
	for _, c := range []struct {
		args string
		exit int
		want string
	}{
		{"http " + run + " --speed 0", commandtest.ExitUsage, "--speed: "},
		{"http " + run + " --idle-limit -1s", commandtest.ExitUsage, "--idle-limit: "},
		{"http " + run + " --from there", commandtest.ExitUsage, "--from: "},
		{"http " + run + " --dialect nosuch", commandtest.ExitUsage, "nosuch"},
		{"http " + run + " --session ..", commandtest.ExitUsage, `session id ".."`},
		{"http " + run + " --listen 0.0.0.0:0", commandtest.ExitUsage, "loopback only"},
		{"http " + run + " --exit-with signal", commandtest.ExitUsage, "--exit-with"},
		{"http " + filepath.Join(dir, "empty.ndjson"), commandtest.ExitFailed, "holds no line and no event"},
		{"http " + filepath.Join(dir, "none.ndjson"), commandtest.ExitFailed, "no such file"},
		{"http " + filepath.Join(dir, "none.tape"), commandtest.ExitFailed, "no such file"},
		{"http " + filepath.Join(dir, "broken.tape"), commandtest.ExitFailed, "broken.tape"},
		{"http " + filepath.Join(dir, "broken.tape") + " --dialect loom", commandtest.ExitUsage, "--dialect goes with"},
		{"http " + filepath.Join(dir, "run.ndjson"), commandtest.ExitFailed, "no recorded HTTP exchanges"},
		{"loom " + run, commandtest.ExitFailed, "no recorded runs of Loom"},
		{"anthropic-agent " + run, commandtest.ExitFailed, "cannot be played as anthropic_agent's"},
		{"http some-session --session x", commandtest.ExitUsage, "--session goes with a file"},
		{"http some-session --dialect loom", commandtest.ExitUsage, "--dialect goes with a file"},
		{"loom some-session --speed 0", commandtest.ExitUsage, "--speed: "},
		{"loom some-session --from there", commandtest.ExitUsage, "--from: "},
		{"stdio " + run, commandtest.ExitUsage, "have no directions"},
		{"stdio some-session --session x", commandtest.ExitUsage, "--session goes with a tape file"},
		{"stdio some-session --from +1s", commandtest.ExitUsage, "--from does not go with stdio"},
		{"stdio some-session --dialect acp", commandtest.ExitUsage, "--dialect does not go with stdio"},
		{"stdio some-session --listen 127.0.0.1:0", commandtest.ExitUsage, "without --listen"},
		{"stdio some-session --exit-with stdin", commandtest.ExitUsage, "without --exit-with stdin"},
		{"stdio some-session --json", commandtest.ExitUsage, "without --json"},
		{"stdio some-session --speed 0", commandtest.ExitUsage, "--speed: "},
		{"stdio " + filepath.Join(dir, "none.tape"), commandtest.ExitFailed, "no such file"},
		{"stdio some-session", commandtest.ExitFailed, "no tapedeck server answers"},
		{"http some-session", commandtest.ExitFailed, "no tapedeck server answers"},
	} {
		_, stderr, exit := commandtest.Alone(t, append([]string{"emulate"}, strings.Fields(c.args)...)...)
		if exit != c.exit || !strings.Contains(stderr, c.want) {
			t.Errorf("emulate %s: exit %d, %q; want %d, %q", c.args, exit, stderr, c.exit, c.want)
		}
	}
}
