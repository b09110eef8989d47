package record

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// With --watch what is added is recorded as it comes, and the next run has nothing to do.
func TestSyncWatch(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	h, c, other := newAgentHome(t), newConversation(), newConversation()
	path := h.write(t, c.path(), c.asks("One")+c.says("1"))
	cmd := h.command(t, "--watch")
	var said commandtest.LogBuffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	bounded.Until(t, "the sync to watch", func() bool { return strings.Contains(said.String(), "watching for changes") })
	// The same session cannot be recorded by another process meanwhile.
	if _, stderr, exit := commandtest.Finish(t, h.command(t)); exit != commandtest.ExitFailed || !strings.Contains(stderr, `another "tapedeck sync" records to `) {
		t.Errorf("a second sync: exit %d, %s", exit, stderr)
	}
	h.add(t, path, c.asks("Two")+c.calls("Bash", "toolu_1"))
	h.counts(t, c.session, 2, 1)
	rest := c.returns("toolu_1", "") + c.says("2")
	resumed, copied := c.resumed(rest)
	half := len(rest) - 50
	h.add(t, path, rest[:half])
	h.write(t, other.path(), other.asks("Other")+other.says("Yes."))
	h.counts(t, other.session, 1, 0)
	h.add(t, path, rest[half:])
	s := h.counts(t, c.session, 3, 1)
	if s.Status != "running" && s.Status != "quiet" {
		t.Errorf("while it is watched the session is %s", s.Status)
	}
	// Another file begins with lines that were recorded as they came.
	h.write(t, resumed.path(), copied+resumed.asks("Three")+resumed.says("3"))
	h.counts(t, resumed.session, 1, 0)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("the end: %v\n%s", err, said.String())
	}
	h.shows(t, c.session, func(s *synced) bool { return s.Status == "ok" })
	if said := h.sync(t); !strings.Contains(said, "recorded 0 files") {
		t.Errorf("the sync after it:\n%s", said)
	}
	h.add(t, path, c.asks("Four")+c.says("4"))
	h.sync(t)
	h.counts(t, c.session, 4, 1)
}

// What is no session of an agent is skipped with its reason.
func TestSyncOfBadFiles(t *testing.T) {
	t.Parallel()
	h, c := newAgentHome(t), newConversation()
	path := h.write(t, c.path(), c.asks("One")+c.says("1"))
	projects := filepath.Dir(filepath.Dir(path))
	h.write(t, ".claude/projects/p/foreign.jsonl", "{\"hello\":\"world\"}\n")
	h.write(t, ".claude/projects/p/binary.jsonl", string(bytes.Repeat([]byte{0, 255, '\n'}, 1000)))
	h.write(t, ".claude/projects/p/empty.jsonl", "")
	h.write(t, ".claude/projects/p/begun.jsonl", `{"type":"user","sess`)
	h.write(t, ".claude/projects/p/summary.jsonl", `{"type":"summary","summary":"Talk","leafUuid":"deae7c10-1e9a-466a-bbd0-1cd31b43d823"}`+"\n")
	h.write(t, ".claude/projects/p/snapshot.jsonl", `{"type":"file-history-snapshot","messageId":"m","snapshot":{},"isSnapshotUpdate":false}`+"\n")
	h.write(t, ".claude/projects/p/notes.md", "no")
	h.write(t, "share/opencode/storage/session/p/ses_bad.json", "{")
	h.write(t, "share/opencode/storage/message/none.json", "")
	for name, target := range map[string]string{"loop": projects, "gone.jsonl": "nowhere", "again.jsonl": path, "self": "self"} {
		if err := os.Symlink(target, filepath.Join(projects, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(projects, "pipe.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	said := h.sync(t)
	for _, want := range []string{
		"found    7 files, ", "recorded 1 file, 2 frames", "note     4 files without messages",
		"foreign.jsonl: not a file of an agent whose sessions are read", "binary.jsonl: not a file of an agent whose sessions are read", "ses_bad.json: not a session of OpenCode",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in\n%s", want, said)
		}
	}
	if strings.Contains(said, "gone.jsonl") || strings.Contains(said, "notes.md") {
		t.Errorf("sync:\n%s", said)
	}
	if os.Geteuid() != 0 {
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		if _, stderr, exit := commandtest.Finish(t, h.command(t)); exit != 0 || !strings.Contains(stderr, "1 file unchanged since recorded") {
			t.Errorf("an unreadable file that is recorded: exit %d, %s", exit, stderr)
		}
	}
	// A line above the frame limit is kept in pieces, and those after it count.
	long := newConversation()
	h.write(t, long.path(), long.asks(strings.Repeat("x", 5000))+long.asks("Short")+long.says("Yes."))
	h.sync(t, "--frame-limit", "2000")
	h.counts(t, long.session, 1, 0)
}

// A session that was deleted on the server stays deleted, also if its file grows.
func TestSyncOfDeletedSession(t *testing.T) {
	t.Parallel()
	h, c := newAgentHome(t), newConversation()
	path := h.write(t, c.path(), c.asks("One")+c.says("1"))
	h.sync(t)
	h.counts(t, c.session, 1, 0)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, h.URL+"/v1/sessions/"+c.session, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode >= 300 {
		t.Fatal(resp.Status)
	}
	for range 2 {
		h.add(t, path, c.asks("Two")+c.says("2"))
		if said := h.sync(t); !strings.Contains(said, "1 file of sessions that were deleted on the server") || !strings.Contains(said, "recorded 0 files") {
			t.Errorf("sync:\n%s", said)
		}
	}
	// A lost progress does not bring it back.
	if err := os.RemoveAll(filepath.Join(h.dir, "state", "tapedeck", "sync")); err != nil {
		t.Fatal(err)
	}
	h.sync(t)
	if status, _, _ := h.Get(t, "/v1/sessions/"+c.session); status != http.StatusGone {
		t.Errorf("the deleted session: %d", status)
	}
}

// What was found is listed, with what would be recorded of it.
func TestSyncList(t *testing.T) {
	t.Parallel()
	h, c, other := newAgentHome(t), newConversation(), newConversation()
	h.write(t, c.path(), c.asks("One")+c.says("1"))
	list := func(args ...string) (stdout, stderr string) {
		t.Helper()
		stdout, stderr, exit := commandtest.Finish(t, h.command(t, args...))
		if exit != 0 {
			t.Fatalf("%v: exit %d, %s", args, exit, stderr)
		}
		return stdout, stderr
	}
	if _, said := list("--dry-run"); !strings.Contains(said, "would record 1 file") {
		t.Errorf("dry run:\n%s", said)
	}
	h.sync(t)
	h.write(t, other.path(), other.asks("Other")+other.says("1"))
	stdout, _ := list("list")
	for _, want := range []string{"stored", "new", c.session, other.session, "/w/app", "fix/sync", "claude-code"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	if stdout, said := list("--dry-run"); strings.Contains(stdout, c.session) || !strings.Contains(said, "would record 1 file") {
		t.Errorf("dry run:\n%s%s", stdout, said)
	}
	if stdout, _ := list("list", "--from", h.dir, "--json"); !strings.Contains(stdout, `"session":"`+other.session) || !strings.Contains(stdout, `"state":"stored"`) {
		t.Errorf("json:\n%s", stdout)
	}
	if _, stderr, exit := commandtest.Finish(t, h.command(t, "--from", filepath.Join(h.dir, "none"))); exit != commandtest.ExitUsage {
		t.Errorf("a folder that is not there: exit %d, %s", exit, stderr)
	}
}
