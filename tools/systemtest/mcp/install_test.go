package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/tools/systemtest/commands/commandtest"
)

// install adds the server to the settings of each client, --print and a token change nothing, and
// uninstall removes what was added.
func TestInstall(t *testing.T) {
	t.Parallel()
	s, home := commandtest.Shared(t), t.TempDir()
	run := func(args ...string) (stdout, stderr string, exit int) {
		cmd := s.Command(t, append([]string{"mcp"}, args...)...)
		cmd.Env = append(cmd.Env, "HOME="+home, "CLAUDE_CONFIG_DIR=", "CODEX_HOME=")
		return commandtest.Finish(t, cmd)
	}
	for client, file := range map[string]string{"claude": ".claude.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json"} {
		path := filepath.Join(home, file)
		if out, stderr, exit := run("install", client, "--print"); exit != 0 || !strings.Contains(out, path) || !strings.Contains(out, `"mcp"`) {
			t.Errorf("%s --print: exit %d, %s %s", client, exit, out, stderr)
		}
		if _, stderr, exit := run("install", client, "--token", "td_0123456789"); exit == 0 || !strings.Contains(stderr, "--token is not kept") {
			t.Errorf("%s with a token: exit %d, %s", client, exit, stderr)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: %s was written", client, path)
		}
		for range 2 {
			if out, stderr, exit := run("install", client, "--server", "https://td.example"); exit != 0 || !strings.Contains(out, path) {
				t.Errorf("%s: exit %d, %s %s", client, exit, out, stderr)
			}
		}
		text, err := os.ReadFile(path)
		if err != nil || strings.Count(string(text), "https://td.example") != 1 {
			t.Errorf("%s: %v, %s", client, err, text)
		}
		if out, stderr, exit := run("uninstall", client); exit != 0 || !strings.Contains(out, "removed") {
			t.Errorf("uninstall %s: exit %d, %s %s", client, exit, out, stderr)
		}
		if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "td.example") {
			t.Errorf("uninstalled %s: %v, %s", client, err, text)
		}
	}
}
