package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What cannot be is said before anything is served; a file needs no server to
// find out.
func TestEmulateFileErrors(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"run.sse": "data: {\"a\":1}\n\n", "empty.ndjson": "", "broken.tape": "no tape",
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
		{"http " + run + " --speed 0", exitUsage, "--speed: "},
		{"http " + run + " --idle-limit -1s", exitUsage, "--idle-limit: "},
		{"http " + run + " --from there", exitUsage, "--from: "},
		{"http " + run + " --dialect nosuch", exitUsage, "nosuch"},
		{"http " + run + " --session ..", exitUsage, `session id ".."`},
		{"http " + run + " --listen 0.0.0.0:0", exitUsage, "loopback only"},
		{"http " + run + " --exit-with signal", exitUsage, "--exit-with"},
		{"http " + filepath.Join(dir, "empty.ndjson"), exitFailed, "holds no line and no event"},
		{"http " + filepath.Join(dir, "none.ndjson"), exitFailed, "no such file"},
		{"http " + filepath.Join(dir, "none.tape"), exitFailed, "no such file"},
		{"http " + filepath.Join(dir, "broken.tape"), exitFailed, "broken.tape"},
		{"http " + filepath.Join(dir, "broken.tape") + " --dialect loom", exitUsage, "--dialect goes with"},
		{"http " + run, exitFailed, "no recorded HTTP exchanges"},
		{"loom " + run, exitFailed, "no recorded runs of Loom"},
		{"anthropic-agent " + run, exitFailed, "cannot be played as anthropic_agent's"},
		{"http some-session --session x", exitUsage, "--session goes with a file"},
		{"http some-session --dialect loom", exitUsage, "--dialect goes with a file"},
		{"loom some-session --speed 0", exitUsage, "--speed: "},
		{"loom some-session --from there", exitUsage, "--from: "},
		{"http some-session", exitFailed, "no tapedeck server answers"},
	} {
		_, stderr, exit := alone(t, append([]string{"emulate"}, strings.Fields(c.args)...)...)
		if exit != c.exit || !strings.Contains(stderr, c.want) {
			t.Errorf("emulate %s: exit %d, %q; want %d, %q", c.args, exit, stderr, c.exit, c.want)
		}
	}
}
