package record

import (
	"encoding/json"
	"strings"
	"testing"

	"tapedeck/internal/loopback"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// result is the last line of standard output.
func lastLine(t *testing.T, stdout string) (before string, result map[string]any) {
	t.Helper()
	text := strings.TrimSuffix(stdout, "\n")
	at := strings.LastIndexByte(text, '\n') + 1
	if err := json.Unmarshal([]byte(text[at:]), &result); err != nil {
		t.Fatalf("the last line of %q is no JSON: %v", stdout, err)
	}
	return stdout[:at], result
}

// Commands that record and flush print one object as the last line with --json: behind the output of a
// command, when nothing is to do, and when they fail. A message says which signal ended a command.
func TestRecordJSON(t *testing.T) {
	t.Parallel()
	home, address := t.TempDir(), loopback.Free(t)
	for _, output := range []string{`{"x":1}`, `{"x":1}\n`, ""} {
		stdout, stderr, exit := commandtest.Finish(t, away(t, home, address, "record", "--allow-offline", "--json", "--", "printf", output))
		before, result := lastLine(t, stdout)
		want := strings.ReplaceAll(output, `\n`, "\n")
		if want != "" {
			want = strings.TrimSuffix(want, "\n") + "\n"
		}
		if exit != 0 || before != want || result["error"] != nil || result["frames"] != float64(strings.Count(output, "x")) {
			t.Errorf("%q: exit %d, %q\n%s", output, exit, stdout, stderr)
		}
	}
	stdout, stderr, exit := commandtest.Finish(t, away(t, home, address, "record", "--allow-offline", "--", "sh", "-c", "kill -9 $$"))
	if exit != 137 || stdout != "" || !strings.Contains(stderr, "ended by a signal: killed") {
		t.Errorf("killed: exit %d, %q\n%s", exit, stdout, stderr)
	}
	stdout, stderr, _ = commandtest.Finish(t, away(t, home, address, "record", "--allow-offline", "--json", "--", "sh", "-c", "kill -9 $$"))
	if _, result := lastLine(t, stdout); result["signal"] != "killed" {
		t.Errorf("killed: %q\n%s", stdout, stderr)
	}
	for message, args := range map[string][]string{
		"no tapedeck server answers":     {"--", "true"},
		"--once goes with --sse or --ws": {"--once", "file.jsonl"},
		"executable file not found":      {"--allow-offline", "--", "tapedeck-has-no-such-command"},
	} {
		stdout, stderr, exit := commandtest.Finish(t, away(t, home, address, append([]string{"record", "--json"}, args...)...))
		before, result := lastLine(t, stdout)
		said, _ := result["error"].(string)
		if exit == 0 || before != "" || !strings.Contains(said, message) || !strings.Contains(stderr, message) {
			t.Errorf("%q: exit %d, %q\n%s", args, exit, stdout, stderr)
		}
	}
	stdout, stderr, exit = commandtest.Finish(t, away(t, t.TempDir(), address, "flush", "--json"))
	if _, result := lastLine(t, stdout); exit != 0 || result["unreadable"] == nil {
		t.Errorf("flush: exit %d, %q\n%s", exit, stdout, stderr)
	}
}
