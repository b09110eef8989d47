package record

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"tapedeck/tools/systemtest/commands/commandtest"
)

// agentHome is a home folder with the files of coding agents.
type agentHome struct {
	*commandtest.Instance
	dir string
}

func newAgentHome(t *testing.T) *agentHome {
	return &agentHome{commandtest.Shared(t), t.TempDir()}
}

// write writes a file below the home folder and returns its path.
func (h *agentHome) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(h.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// add appends to a file.
func (h *agentHome) add(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// command returns a run of tapedeck sync in the home folder.
func (h *agentHome) command(t *testing.T, args ...string) *exec.Cmd {
	cmd := h.Instance.Command(t, append([]string{"sync"}, args...)...)
	cmd.Env = append(cmd.Env, "HOME="+h.dir, "XDG_STATE_HOME="+filepath.Join(h.dir, "state"), "XDG_DATA_HOME="+filepath.Join(h.dir, "share"),
		"CLAUDE_CONFIG_DIR=", "CODEX_HOME=", "QWEN_RUNTIME_DIR=", "QWEN_HOME=", "KIMI_SHARE_DIR=", "KIMI_CODE_HOME=", "COPILOT_HOME=", "PI_CODING_AGENT_DIR=",
		"OPENCLAW_STATE_DIR=", "GOOSE_PATH_ROOT=")
	return cmd
}

// sync runs tapedeck sync, which has to succeed, and returns what it printed on standard error.
func (h *agentHome) sync(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, exit := commandtest.Finish(t, h.command(t, args...))
	if exit != 0 {
		t.Fatalf("tapedeck sync %v: exit %d\n%s%s", args, exit, stdout, stderr)
	}
	return stderr
}

var captureIDs = regexp.MustCompile(`"(sessionId|uuid|parentUuid|leafUuid|id|tool_use_id|requestId)":"([^"]+)"`)

// withOtherIDs returns the text of a file with other ids, so that it is another session.
func withOtherIDs(text []byte, salt any) []byte {
	return captureIDs.ReplaceAllFunc(text, func(found []byte) []byte {
		m := captureIDs.FindSubmatch(found)
		return fmt.Appendf(nil, `"%s":"%s"`, m[1], uuid.NewSHA1(uuid.NameSpaceURL, fmt.Appendf(nil, "%v %s", salt, m[2])))
	})
}

// template is a file of an agent, and how many of a hundred generated files are like it.
type template struct {
	codex bool // the file is one of Codex, else one of Claude Code
	share int
	text  []byte
}

// templates returns captured files, with 7.3 KB on average. Without the captures it returns
// cases of the dialects.
func templates(t *testing.T) (all []template) {
	t.Helper()
	fixtures := commandtest.Fixtures(t)
	if fixtures == "" {
		return []template{
			{false, 70, commandtest.CaseText(t, "claudecode/testdata/cases/file_turns.txtar")},
			{true, 30, commandtest.CaseText(t, "codexrollout/testdata/cases/turns.txtar")},
		}
	}
	for _, file := range []struct {
		name  string
		share int
	}{
		{"claude_code_files/task_non_sdk.jsonl", 11}, {"claude_code_files/1-continue-run-ls-tool.jsonl", 31}, {"claude_code_files/large.jsonl", 28},
		{"codex_rollout/large.jsonl", 25}, {"codex_rollout/codex_053_rate_limit.jsonl", 5},
	} {
		text, err := os.ReadFile(filepath.Join(fixtures, file.name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, template{strings.HasPrefix(file.name, "codex"), file.share, text})
	}
	return all
}

// fill writes n files with the content of templates under other ids, and returns their bytes.
func (h *agentHome) fill(t *testing.T, n int) (size int) {
	t.Helper()
	began, like := time.Now(), templates(t)
	for i := range n {
		at, kind := i%100, 0
		for at >= like[kind].share {
			at -= like[kind].share
			kind++
		}
		text := withOtherIDs(like[kind].text, fmt.Sprint(h.dir, i))
		path := fmt.Sprintf(".codex/sessions/2026/01/%02d/rollout-%d.jsonl", i%28+1, i)
		if !like[kind].codex {
			path = fmt.Sprintf(".claude/projects/p%d/%s.jsonl", i%20, uuid.NewSHA1(uuid.NameSpaceURL, fmt.Append(nil, h.dir, i)))
		}
		h.write(t, path, string(text))
		size += len(text)
	}
	t.Logf("%d files of %d bytes written in %v", n, size, time.Since(began))
	return size
}

// rename moves a file to a folder that need not exist.
func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
