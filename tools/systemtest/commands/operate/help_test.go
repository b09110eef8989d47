package operate

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local/programtest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// The help of the program lists the commands in groups, a line each, within 60 lines, and names
// those that few people type in one line. That of a command begins with its own flags, and names where the flags of every command are.
func TestHelpIsShort(t *testing.T) {
	t.Parallel()
	help := func(args ...string) string {
		t.Helper()
		stdout, stderr, exit := commandtest.Alone(t, args...)
		if exit != 0 {
			t.Fatalf("tapedeck %q: exit %d, %s", args, exit, stderr)
		}
		return stdout
	}
	all := help("--help")
	lines := strings.Split(strings.TrimSpace(all), "\n")
	if len(lines) > 60 {
		t.Errorf("the help has %d lines, want 60 at most\n%s", len(lines), all)
	}
	for _, want := range []string{"Start and record:", "  sync ", "  bills ", "Also: alerts, archive, completion, flush, forward, ", `"help flags"`} {
		if !strings.Contains(all, want) {
			t.Errorf("the help lacks %q:\n%s", want, all)
		}
	}
	for _, l := range lines {
		if len(l) > 80 || strings.HasPrefix(l, "              ") {
			t.Errorf("a line of the help is wrapped or too long: %q", l)
		}
	}
	show := help("show", "--help")
	_, flags, _ := strings.Cut(show, "Flags:\n")
	if !strings.HasPrefix(strings.TrimSpace(flags), "--text") || strings.Contains(flags, "--client-cert") ||
		!strings.Contains(flags, `"tapedeck help flags"`) {
		t.Errorf("the flags of show are:\n%s", flags)
	}
	for _, want := range []string{"--server", "--client-cert", "--json"} {
		if got := help("help", "flags"); !strings.Contains(got, want) {
			t.Errorf("help flags lacks %s:\n%s", want, got)
		}
	}
	if got := help("help", "bills"); !strings.Contains(got, "bills close") {
		t.Errorf("the help of bills lacks its commands:\n%s", got)
	}
	for _, want := range []string{"sync list ", `"tapedeck sync" alone is "tapedeck sync record"`, "--watch"} {
		if got := help("sync", "--help"); !strings.Contains(got, want) {
			t.Errorf("the help of sync lacks %q:\n%s", want, got)
		}
	}
}

// A word of other tools leads to the command here.
func TestOtherWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"list": `type "tapedeck sessions"`, "delete x": `type "tapedeck erase SESSION"`, "logs": `type "tapedeck show SESSION --text"`,
		"ls -la": `type "tapedeck sessions"`, "status": `type "tapedeck doctor"`, "ui": "open http://127.0.0.1:1 in a browser", "ps": `type "tapedeck open"`,
		"stop": "Ctrl-C", "record sh": "write: tapedeck record -- sh …", "record ls -la": "write: tapedeck record -- ls -la",
		"record ls 'a b'": "write: tapedeck record -- ls",
	} {
		_, stderr, exit := commandtest.Alone(t, strings.Split(line, " ")...)
		if exit != commandtest.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("tapedeck %s: exit %d, %q; want %q", line, exit, stderr, want)
		}
	}
}

// With --json an error is one line of JSON on standard error.
func TestErrorsAsJSON(t *testing.T) {
	t.Parallel()
	_, stderr, exit := commandtest.Alone(t, "sessions", "--json", "-n", "0")
	want := `{"error":"--limit 0: it must be 1 or more","exit_code":2}` + "\n"
	if exit != commandtest.ExitUsage || stderr != want {
		t.Errorf("exit %d, %s; want %s", exit, stderr, want)
	}
	s := commandtest.Shared(t)
	_, stderr, exit = s.Run(t, "show", "no-such-session", "--json")
	for _, part := range []string{`"exit_code":1`, `"problem":{`, `"status":404`} {
		if exit != commandtest.ExitFailed || !strings.Contains(stderr, part) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("exit %d, %s; want %s", exit, stderr, part)
		}
	}
}

// Shells complete commands, flags, values and the ids of sessions.
func TestCompletion(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	s.Must(t, "record", "--session", "completed-session", commandtest.TextFile(t, []byte("{\"n\":1}\n")))
	complete := func(line string) []string {
		t.Helper()
		cmd := s.Command(t)
		cmd.Env = append(cmd.Env, "COMP_LINE="+line, "TAPEDECK_COMPLETION_TIMEOUT="+bounded.Limit.String())
		stdout, stderr, exit := commandtest.Finish(t, cmd)
		if exit != 0 {
			t.Fatalf("%q: exit %d, %s", line, exit, stderr)
		}
		return strings.Fields(stdout)
	}
	for line, want := range map[string]string{
		"tapedeck se": "sessions", "tapedeck bills cl": "close", "tapedeck usage --gran": "--granularity",
		"tapedeck retention set ch": "charges", "tapedeck show completed-": "completed-session",
		"tapedeck record --dialect cla": "claude-code", "tapedeck usage --group-by mo": "model", "tapedeck tools --group-by to": "tool",
		"tapedeck --server=" + s.URL + " show --as-tenant default completed-": "completed-session",
		"tapedeck sessions --status inc":                                      "incomplete", "tapedeck search --kind tool_r": "tool_result",
	} {
		bounded.Until(t, line+" to be completed to "+want, func() bool { return slices.Contains(complete(line), want) })
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script, stderr, exit := commandtest.Alone(t, "completion", shell)
		if exit != 0 || !strings.Contains(script, "tapedeck") {
			t.Errorf("completion %s: exit %d, %s", shell, exit, stderr)
		}
	}
	if _, err := exec.LookPath("bash"); err == nil {
		cmd := exec.CommandContext(t.Context(), "bash", "-c", `source <("$0" completion bash) && complete -p tapedeck`, programtest.Path(t))
		if _, stderr, exit := commandtest.Finish(t, cmd); exit != 0 {
			t.Errorf("bash does not take the script: exit %d, %s", exit, stderr)
		}
	}
}

// The manual page has every command.
func TestManual(t *testing.T) {
	t.Parallel()
	page, stderr, exit := commandtest.Alone(t, "man")
	if exit != 0 {
		t.Fatalf("exit %d, %s", exit, stderr)
	}
	for _, want := range []string{".TH TAPEDECK 1", "record", "bills", "close", "--session=ID"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if _, err := exec.LookPath("man"); err == nil {
		file := filepath.Join(t.TempDir(), "tapedeck.1")
		if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "man", "--warnings", "-l", file)
		cmd.Env = append(os.Environ(), "MANPAGER=cat")
		if _, warnings, exit := commandtest.Finish(t, cmd); exit != 0 || warnings != "" {
			t.Errorf("man: exit %d, %s", exit, warnings)
		}
	}
}
