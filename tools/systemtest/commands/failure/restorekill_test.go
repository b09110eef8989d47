package failure

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// kill -9 of the restoring command, or of its ClickHouse, at each step: the next run restores all, and
// every session has the bytes that were backed up.
func TestRestoreAfterKills(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	dir := t.TempDir()
	s, err := commandtest.StartUp(t, filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{}
	for i := range 5 {
		var lines bytes.Buffer
		for n := range 4000 {
			fmt.Fprintf(&lines, `{"type":"note","session":%d,"n":%d,"text":"%x"}`+"\n", i, n, n*7919*(i+1))
		}
		session := "s" + strconv.Itoa(i)
		want[session] = lines.Bytes()
		s.Must(t, "record", "--session", session, commandtest.TextFile(t, lines.Bytes()))
	}
	for session := range want {
		bounded.Until(t, session+" is stored", func() bool {
			status, body, _ := s.Get(t, "/v1/sessions/"+session)
			return status == http.StatusOK && !strings.Contains(string(body), `"end_reason":""`)
		})
	}
	s.Must(t, "backup", "full")
	if _, err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(dir, "restored")
	restore := []string{"restore", "full", "--data", fresh, "--backups", filepath.Join(s.Dir, "backups")}
	killAt(t, s.Command(t, restore...), "restoring", func(cmd *exec.Cmd) {
		if err := exec.Command("pkill", "-KILL", "-P", strconv.Itoa(cmd.Process.Pid)).Run(); err != nil {
			t.Errorf("kill ClickHouse: %v", err)
		}
	})
	for _, step := range []string{"reading the manifest", "restoring", "comparing every session", "putting the tables in place"} {
		killAt(t, s.Command(t, restore...), step, func(cmd *exec.Cmd) { _ = cmd.Process.Kill() })
	}
	out, diag, exit := s.Run(t, restore...)
	late := strings.Contains(diag, "is not empty") // the last kill came when all was in place
	if !late && (exit != 0 || !strings.Contains(out, "restored full: 20,000 frames of 5 sessions") || !strings.Contains(out, "every session is as it was backed up")) {
		t.Fatalf("restore: exit %d\n%s%s", exit, out, diag)
	}
	r, err := commandtest.StartUp(t, fresh)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Stop() })
	for session, lines := range want {
		status, body, _ := r.Get(t, "/v1/sessions/"+session+"/replay?mode=raw&speed=max", "Accept", "application/x-ndjson")
		if status != http.StatusOK || !bytes.Equal(body, lines) {
			t.Errorf("%s: status %d, %d bytes, want the %d that were backed up", session, status, len(body), len(lines))
		}
	}
}

// killAt runs a command that must not succeed, and calls kill when it prints a step.
func killAt(t *testing.T, cmd *exec.Cmd, step string, kill func(*exec.Cmd)) {
	t.Helper()
	diag, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(bounded.Limit, func() { _ = cmd.Process.Kill() }) // it may have ended at this moment
	defer hung.Stop()
	var said strings.Builder
	killed := false
	for lines := bufio.NewScanner(diag); lines.Scan(); {
		fmt.Fprintln(&said, lines.Text())
		if !killed && strings.HasPrefix(strings.TrimSpace(lines.Text()), step) {
			kill(cmd)
			killed = true
		}
	}
	if err := bounded.Command(t, cmd); err == nil || !killed {
		t.Fatalf("the restore was not killed at %q: %v\n%s", step, err, &said)
	}
	t.Logf("killed at %q:\n%s", step, &said)
}
