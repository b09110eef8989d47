package report

import (
	"encoding/csv"
	"strings"
	"testing"

	"tapedeck/tools/systemtest/commands/commandtest"
)

// Calls of models come as a table, as CSV, one by one, and with an error for what is no outcome.
func TestCalls(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	s.Must(t, "record", "--session", "call-report", "--tag", "of=calls", commandtest.TextFile(t, commandtest.ThinkingStream("msg_call_report")))
	out := s.Must(t, "calls", "--tag", "of=calls", "--list", "5")
	table, list, found := strings.Cut(out, "\n\n")
	if !found || !strings.Contains(table, "FIRST TOKEN") || !strings.Contains(table, "claude") || !strings.Contains(table, "\nTOTAL ") {
		t.Errorf("calls:\n%s", out)
	}
	if !strings.Contains(list, "tapedeck play --from ") || !strings.Contains(list, " call-report") {
		t.Errorf("single calls:\n%s", list)
	}
	rows, err := csv.NewReader(strings.NewReader(s.Must(t, "calls", "--tag", "of=calls", "--csv"))).ReadAll()
	if err != nil || len(rows) != 3 || rows[0][1] != "model" || rows[2][0] != "total" || rows[2][2] != "1" {
		t.Errorf("calls --csv: %v %q", err, rows)
	}
	if _, stderr, exit := s.Run(t, "calls", "--outcome", "fine"); exit == 0 || !strings.Contains(stderr, "truncated") {
		t.Errorf("exit %d, %s", exit, stderr)
	}
	if stdout, stderr, _ := s.Run(t, "calls", "--from", "2030-01-01"); stdout != "" || !strings.Contains(stderr, "Nothing matches") {
		t.Errorf("calls of the future: %s%s", stdout, stderr)
	}
}
