package record

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/programtest"
	"tapedeck/internal/loopback"
	"tapedeck/internal/syncbuffer"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// away returns a command for a server at an address, with a spool of its own.
func away(t *testing.T, home, address string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), programtest.Path(t), args...)
	cmd.Env = append(os.Environ(), "TAPEDECK_SERVER=http://"+address, "XDG_STATE_HOME="+home)
	return cmd
}

// TestRecordWithoutServer records while no server answers: it fails by default, waits with --wait-for-server, and with
// --allow-offline runs the command, ends as the command does, and flush sends what was recorded.
func TestRecordWithoutServer(t *testing.T) {
	t.Parallel()
	commandtest.NeedEngine(t)
	home, address := t.TempDir(), loopback.Free(t)
	ran := filepath.Join(home, "ran")
	script := "touch " + ran + `; echo '{"n":1}'; echo '{"n":2}'; exit 3`
	for _, args := range [][]string{{"record", "--", "sh", "-c", script}, {"record", "--wait-for-server", "600ms", "--", "sh", "-c", script}} {
		_, diag, exit := commandtest.Finish(t, away(t, home, address, args...))
		if exit != commandtest.ExitFailed || !strings.Contains(diag, "no tapedeck server answers at http://"+address) {
			t.Errorf("%q: exit %d\n%s", args[:3], exit, diag)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the command was run without a server")
	}

	out, diag, exit := commandtest.Finish(t, away(t, home, address, "record", "--allow-offline", "--session", "offline", "--", "sh", "-c", script))
	if exit != 3 || out != "{\"n\":1}\n{\"n\":2}\n" || !strings.Contains(diag, "recording into the spool") || !strings.Contains(diag, `"tapedeck flush" sends it`) {
		t.Errorf("offline: exit %d, output %q\n%s", exit, out, diag)
	}
	_, diag, exit = commandtest.Finish(t, away(t, home, address, "record", "--allow-offline", "--session", "offline-0", "--", "sh", "-c", "echo '{}'"))
	if exit != 0 {
		t.Errorf("offline, and the command ends with 0: exit %d\n%s", exit, diag)
	}
	for _, args := range [][]string{
		{"record", "--allow-offline", "--no-spool", "-"}, {"record", "--allow-offline", "--nats", "nats://127.0.0.1:1", "-"},
		{"record", "--allow-offline", ran}, {"record", "--wait-for-server", "-1s", "-"},
	} {
		if _, diag, exit := commandtest.Finish(t, away(t, home, address, args...)); exit != commandtest.ExitUsage {
			t.Errorf("%q: exit %d\n%s", args, exit, diag)
		}
	}

	waiting := away(t, home, address, "record", "--wait-for-server", "2m", "--session", "waited", "-")
	waiting.Stdin = strings.NewReader("{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n")
	log := &syncbuffer.Output{}
	waiting.Stderr = log
	if err := waiting.Start(); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the command to wait", func() bool { return strings.Contains(log.String(), "waiting for the server, which does not answer") })
	s, err := commandtest.StartUp(t, filepath.Join(home, "data"), "--listen", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := s.Stop(); err != nil {
			t.Error(err)
		}
	}()
	if err := bounded.Command(t, waiting); err != nil {
		t.Errorf("%v\n%s", err, log)
	}
	if _, diag, exit := commandtest.Finish(t, away(t, home, address, "flush")); exit != 0 {
		t.Errorf("flush: exit %d\n%s", exit, diag)
	}
	for session, frames := range map[string]int{"offline": 2, "offline-0": 1, "waited": 3} {
		bounded.Until(t, fmt.Sprintf("%d frames of %s", frames, session), func() bool {
			status, body, _ := s.Get(t, "/v1/sessions/"+session)
			return status == http.StatusOK && strings.Contains(string(body), fmt.Sprintf(`"frames":%d,`, frames))
		})
	}
}

// TestFullSpool runs a command whose output is more than the spool may have while the server is away: the command and
// its output are not held up, the spool keeps to its limit but for blocks that were taken already, the exit code is not
// 0, and the message names the limit.
func TestFullSpool(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	home, address := t.TempDir(), loopback.Free(t)
	const lines, limit = 1200, 16 << 20
	source := filepath.Join(home, "lines")
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for i := range lines { // 96 MiB that compress to about half
		raw := make([]byte, 40_000)
		for j := range raw {
			raw[j] = byte(random.Uint32())
		}
		fmt.Fprintf(&text, "{\"n\":%d,\"x\":\"%s\"}\n", i, hex.EncodeToString(raw))
	}
	if err := os.WriteFile(source, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, diag, exit := commandtest.Finish(t, away(t, home, address, "record", "--allow-offline", "--spool-limit", "16MiB", "--session", "full", "--", "sh", "-c", "cat "+source+"; echo done >&2"))
	if out != text.String() || !strings.Contains(diag, "done\n") {
		t.Errorf("the command's output has %d bytes of %d", len(out), text.Len())
	}
	if exit != commandtest.ExitFailed || !strings.Contains(diag, "the spool is full (") || !strings.Contains(diag, "of --spool-limit 16 MiB") || !strings.Contains(diag, "bytes are recorded") {
		t.Errorf("exit %d\n%s", exit, diag)
	}
	var size int64
	files, err := filepath.Glob(filepath.Join(home, "tapedeck/spool/0/*.spool"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	const window = 32 << 20 // of blocks that a server is sent before it confirms them
	if size == 0 || size > limit+window+(1<<20) {
		t.Errorf("the spool has %d bytes", size)
	}
}
