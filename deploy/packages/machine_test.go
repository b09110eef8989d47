package packages

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
)

// machine is a systemd on a copy of this machine.
type machine struct{ pid string }

// machineLibrary is the path of ClickHouse's library on the machine.
const machineLibrary = "/opt/test/libchdb.so"

// boot starts a machine with files in /opt/test, by their names there. library is the path of ClickHouse's
// library on this machine; it is mounted at machineLibrary, since a path below /tmp is hidden there.
func boot(t *testing.T, files map[string]string, library string) *machine {
	t.Helper()
	for _, program := range []string{"unshare", "nsenter", "ip", "dpkg", "systemctl"} {
		if _, err := exec.LookPath(program); err != nil {
			fulltest.Missing(t, err)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("only root can start a systemd in namespaces")
	}
	dir := t.TempDir()
	for _, name := range []string{"files", "disk"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, path := range files {
		if out, err := exec.CommandContext(t.Context(), "cp", "-L", path, filepath.Join(dir, "files", name)).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	var log bytes.Buffer
	cmd := exec.Command("unshare", "--mount", "--pid", "--fork", "--uts", "--ipc", "--net", "--propagation", "private",
		"sh", "testdata/boot.sh", dir, library)
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	m := &machine{}
	t.Cleanup(func() {
		if pid, err := strconv.Atoi(m.pid); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL) // the first process: all others end with it
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s", &log)
		}
	})
	children := filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "task", strconv.Itoa(cmd.Process.Pid), "children")
	bounded.Until(t, "systemd has started", func() bool {
		text, _ := os.ReadFile(children) // unshare may not have forked yet
		m.pid = strings.TrimSpace(string(text))
		if m.pid == "" {
			return false
		}
		out, err := m.command(t.Context(), "systemctl is-active test.target").CombinedOutput()
		return err == nil && strings.TrimSpace(string(out)) == "active"
	})
	return m
}

// command returns a shell command on the machine.
func (m *machine) command(ctx context.Context, script string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "nsenter", "--target", m.pid, "--mount", "--pid", "--uts", "--ipc", "--net", "--root", "--wd",
		"env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "timeout", "-k", "2", "60", "sh", "-ec", script)
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// run runs a shell command and returns what it printed. It must succeed.
func (m *machine) run(t *testing.T, script string) string {
	t.Helper()
	out, err := m.command(t.Context(), script).CombinedOutput()
	if err != nil {
		journal, _ := m.command(context.WithoutCancel(t.Context()), "journalctl --no-pager -n 40").CombinedOutput()
		t.Fatalf("%s: %v\n%s\n%s", script, err, out, journal)
	}
	return strings.TrimSpace(string(out))
}

// want runs a shell command and compares what it printed.
func (m *machine) want(t *testing.T, script, want string) {
	t.Helper()
	if got := m.run(t, script); got != want {
		t.Errorf("%s: %q, want %q", script, got, want)
	}
}

// fails runs a shell command that must fail, and returns what it printed.
func (m *machine) fails(t *testing.T, script string) string {
	t.Helper()
	out, err := m.command(t.Context(), script).CombinedOutput()
	if err == nil {
		t.Errorf("%s succeeded:\n%s", script, out)
	}
	return string(out)
}
