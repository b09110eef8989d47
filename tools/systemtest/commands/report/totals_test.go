package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tapedeck/query/pricing/cost"
	"tapedeck/query/report/usagereport"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// Codex sends a thread's total so far after every turn, also after a resume in
// another process. Two turns in one recording and the resume in a second come
// to the last total, not to the sum of the three; a total that went down began
// anew.
func TestCodexTotalsAreDifferenced(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	const thread = "019f61b2-0000-7000-8000-0000000c0de5"
	record := func(totals ...int) {
		t.Helper()
		lines := fmt.Sprintf("{\"type\":\"thread.started\",\"thread_id\":%q}\n", thread)
		for _, n := range totals {
			lines += "{\"type\":\"turn.started\"}\n" + fmt.Sprintf(
				"{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":%d,\"cached_input_tokens\":%d,\"output_tokens\":7}}\n", n-7, n/2)
		}
		s.Must(t, "record", commandtest.TextFile(t, []byte(lines)))
	}
	usage := func() cost.UsageTotals {
		t.Helper()
		var r usagereport.Report
		if err := json.Unmarshal([]byte(s.Must(t, "usage", "--group-by", "session", "--json")), &r); err != nil {
			t.Fatal(err)
		}
		for _, row := range r.Items {
			if id := row.Group["session"]; id != nil && *id == thread {
				return row.UsageTotals
			}
		}
		t.Fatalf("no usage of session %s", thread)
		return cost.UsageTotals{}
	}
	record(16504, 85681)
	record(103779)
	want := cost.Tokens{Input: 103779 - 7 - 103779/2, CacheRead: 103779 / 2, Output: 7, Total: 103779}
	if got := usage(); got.Tokens != want || got.Calls != 3 {
		t.Errorf("after a resume: %d records, %+v; want 3, %+v", got.Calls, got.Tokens, want)
	}
	record(2000)
	if got := usage(); got.Tokens.Total != 103779+2000 {
		t.Errorf("after the totals began anew: %d, want %d", got.Tokens.Total, 103779+2000)
	}
	if out := s.Must(t, "show", thread); !strings.Contains(out, "105,779") {
		t.Errorf("show does not say 105,779:\n%s", out)
	}
}
