package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/app/command/bisect"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// nightly writes a recording of Claude Code in which a tool is called with a command.
func nightly(t *testing.T, name, tool, command string) string {
	t.Helper()
	lines := []string{
		`{"type":"system","subtype":"init","session_id":"` + name + `","model":"claude-sonnet-4-5","tools":[],"uuid":"` + name + `"}`,
		`{"type":"assistant","session_id":"` + name + `","message":{"id":"msg_1` + name + `","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"toolu_` + name + `","name":"` + tool + `","input":{"command":"` + command + `"}}]}}`,
		`{"type":"user","session_id":"` + name + `","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_` + name + `","content":"done"}]}}`,
		`{"type":"result","subtype":"success","session_id":"` + name + `","is_error":false,"result":"Done.","duration_ms":5,"num_turns":1}`,
	}
	path := filepath.Join(t.TempDir(), name+".jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// diff compares two sessions, and bisect finds the first of several that matches a condition.
func TestDiffAndBisect(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	for i, tool := range []string{"Read", "Read", "Bash", "Bash"} {
		name := "night" + string(rune('1'+i))
		s.Must(t, "record", "--session", name, "--tag", "job=nightly", nightly(t, name, tool, "ls"))
	}
	out := s.Must(t, "diff", "night1", "night3")
	if sentence, _, _ := strings.Cut(out, "\n"); !strings.HasSuffix(sentence, "A called Read, B called Bash.") {
		t.Errorf("diff:\n%s", out)
	}
	for _, want := range []string{"only A", "only B", "First output that differs", "B−A"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if same := s.Must(t, "diff", "night1", "night2"); !strings.HasPrefix(same, "The same in all ") || strings.Contains(same, "ROW") {
		t.Errorf("diff of equal sessions:\n%s", same)
	}
	if row := s.Must(t, "diff", "--row", "0", "night1", "night3"); !strings.HasPrefix(row, "row 0: ") {
		t.Errorf("a row:\n%s", row)
	}
	for _, question := range [][]string{{"--tool", "Bash"}, nil, {"--at", "2"}} {
		out := s.Must(t, append([]string{"bisect", "--tag", "job=nightly"}, question...)...)
		if !strings.HasPrefix(out, "Since night3, ") || !strings.Contains(out, "the 3rd of 4 sessions") || !strings.Contains(out, "tapedeck diff night2 night3") {
			t.Errorf("bisect %v:\n%s", question, out)
		}
	}
	s.Must(t, "record", "--session", "night5", "--tag", "job=nightly", nightly(t, "night5", "Read", "ls"))
	var found bisect.Result
	if err := json.Unmarshal([]byte(s.Must(t, "bisect", "--json", "--tag", "job=nightly", "--tool", "Bash")), &found); err != nil {
		t.Fatal(err)
	}
	if found.Steady || found.Since != nil || len(found.Sessions) != 5 || !strings.Contains(found.Sentence, "There is no session since which every session calls Bash") {
		t.Errorf("bisect of a condition that comes and goes: %+v", found)
	}
	if out, _, exit := s.Run(t, "bisect", "--tag", "job=nightly", "--fails"); exit != 1 || !strings.HasPrefix(out, "None of 5 sessions fails.") {
		t.Errorf("bisect --fails: exit %d\n%s", exit, out)
	}
	if _, _, exit := s.Run(t, "bisect", "--tag", "job=none", "--fails"); exit != 1 {
		t.Errorf("bisect of a tag that no session has: exit %d", exit)
	}
	if out := s.Must(t, "bisect", "--tag", "job=nightly", "--text", "Done."); !strings.HasPrefix(out, "Every one of 5 sessions") {
		t.Errorf("bisect --text:\n%s", out)
	}
	if _, stderr, exit := s.Run(t, "diff", "night1", "none"); exit != 1 || !strings.Contains(stderr, "There is no session") || !strings.Contains(stderr, `"tapedeck sessions" lists`) {
		t.Errorf("exit %d, %s", exit, stderr)
	}
	if _, stderr, exit := s.Run(t, "bisect", "--tool", "x"); exit != 2 || !strings.Contains(stderr, "--tag") {
		t.Errorf("exit %d, %s", exit, stderr)
	}
}
