package record

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// hooks runs tapedeck hooks in the home folder.
func (h *agentHome) hooks(t *testing.T, args ...string) (stdout, stderr string, exit int) {
	cmd := h.command(t)
	cmd.Args = append(append(cmd.Args[:1:1], "hooks"), args...)
	return commandtest.Finish(t, cmd)
}

// hook runs the command of the hook that is in a file, as an agent does.
func (h *agentHome) hook(t *testing.T, file, input string, env ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(h.dir, file))
	if err != nil {
		t.Fatal(err)
	}
	var settings struct {
		Hooks map[string][]struct {
			Hooks []struct{ Command string }
		}
	}
	if err := json.Unmarshal(text, &settings); err != nil || len(settings.Hooks["SessionEnd"]) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	cmd := exec.Command("sh", "-c", settings.Hooks["SessionEnd"][0].Hooks[0].Command)
	cmd.Env, cmd.Stdin = append(h.command(t).Env, env...), strings.NewReader(input)
	if stdout, stderr, exit := commandtest.Finish(t, cmd); exit != 0 || stdout+stderr != "" {
		t.Errorf("the hook: exit %d, %q, %q", exit, stdout, stderr)
	}
}

// logged waits for a text in the log of the hooks.
func (h *agentHome) logged(t *testing.T, want string) {
	t.Helper()
	bounded.Until(t, "the hook logs "+want, func() bool {
		text, err := os.ReadFile(filepath.Join(h.dir, "state/tapedeck/hooks.log"))
		return err == nil && strings.Contains(string(text), want)
	})
}

// An installed hook records its session alone, with the tags of its folder. What goes wrong is in the log, and the
// agent sees none of it.
func TestHooks(t *testing.T) {
	t.Parallel()
	h, c, other := newAgentHome(t), newConversation(), newConversation()
	h.write(t, c.path(), c.asks("Count")+c.says("One."))
	h.write(t, other.path(), other.asks("Wait")+other.says("Done."))
	work := filepath.Join(h.dir, "app")
	for _, args := range [][]string{{"init", "-q", "-b", "main", work}, {"-C", work, "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-q", "--allow-empty", "-m", "x"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if stdout, stderr, exit := h.hooks(t, "install", "claude"); exit != 0 || !strings.Contains(stdout, "Claude Code records each session") {
		t.Fatalf("exit %d, %s%s", exit, stdout, stderr)
	}
	input := fmt.Sprintf(`{"session_id":%q,"transcript_path":"x","cwd":%q,"hook_event_name":"SessionEnd","reason":"other"}`, c.session, work)
	h.hook(t, ".claude/settings.json", input, "TAPEDECK_SERVER=http://127.0.0.1:1")
	h.logged(t, "no tapedeck server answers at http://127.0.0.1:1")
	h.hook(t, ".claude/settings.json", "{}")
	h.logged(t, "it has no session_id")
	h.hook(t, ".claude/settings.json", strings.Replace(input, c.session, "01a00000-none", 1))
	h.logged(t, "no file of the session 01a00000-none was found")
	h.hook(t, ".claude/settings.json", input)
	s := h.shows(t, c.session, func(s *synced) bool { return s.Tokens.Output == 10 })
	if s.Tags["repository"] != "app" || s.Tags["branch"] != "main" || len(s.Tags["commit"]) != 40 || s.Tags["agent"] != "claude-code" {
		t.Errorf("tags %v", s.Tags)
	}
	if code, _, _ := h.Get(t, "/v1/sessions/"+other.session); code != 404 {
		t.Errorf("another session was recorded: %d", code)
	}
	if stdout, stderr, exit := h.hooks(t, "uninstall", "claude"); exit != 0 || !strings.Contains(stdout, "removed the hook") {
		t.Errorf("exit %d, %s%s", exit, stdout, stderr)
	}
	if text, err := os.ReadFile(filepath.Join(h.dir, ".claude/settings.json")); err != nil || string(text) != "{}\n" {
		t.Errorf("%s, %v", text, err)
	}
}

// A file of hooks that install made is removed with its hook, and --print leaves it.
func TestHooksUninstallPrint(t *testing.T) {
	t.Parallel()
	h := newAgentHome(t)
	path := filepath.Join(h.dir, ".codex/hooks.json")
	if _, stderr, exit := h.hooks(t, "install", "codex"); exit != 0 {
		t.Fatalf("exit %d, %s", exit, stderr)
	}
	if stdout, stderr, exit := h.hooks(t, "uninstall", "codex", "--print"); exit != 0 || !strings.Contains(stdout, "hooks.json would be removed") {
		t.Errorf("exit %d, %s%s", exit, stdout, stderr)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if stdout, stderr, exit := h.hooks(t, "uninstall", "codex"); exit != 0 || !strings.Contains(stdout, "removed the hook") {
		t.Errorf("exit %d, %s%s", exit, stdout, stderr)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is still there")
	}
	h.write(t, ".claude/settings.json", `{"model":"opus"}`)
	h.hooks(t, "install", "claude")
	if stdout, stderr, exit := h.hooks(t, "uninstall", "claude", "--print"); exit != 0 || !strings.Contains(stdout, `{"model":"opus"}`) {
		t.Errorf("exit %d, %s%s", exit, stdout, stderr)
	}
}

// Settings that cannot be understood stay as they are, and --print changes nothing.
func TestHooksBadSettings(t *testing.T) {
	t.Parallel()
	h := newAgentHome(t)
	path := h.write(t, ".codex/hooks.json", `{"hooks": [`)
	for _, c := range []struct {
		args []string
		exit int
		want string
	}{
		{[]string{"install", "codex"}, 1, "it is not JSON"},
		{[]string{"uninstall", "codex"}, 1, "it is not JSON"},
		{[]string{"install", "codex", "--print"}, 0, `hooks run codex","timeout":3}`},
		{[]string{"uninstall", "codex", "--print"}, 1, "it is not JSON"},
		{[]string{"install", "cursor"}, 2, "claude"},
		{[]string{"install"}, 2, "AGENT"},
	} {
		stdout, stderr, exit := h.hooks(t, c.args...)
		if (exit == 0) != (c.exit == 0) || !strings.Contains(strings.ReplaceAll(stdout+stderr, "<agent>", "AGENT"), c.want) {
			t.Errorf("%v: exit %d\n%s%s", c.args, exit, stdout, stderr)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != `{"hooks": [` {
		t.Errorf("%s, %v", text, err)
	}
}
