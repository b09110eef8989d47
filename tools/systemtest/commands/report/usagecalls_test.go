package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// usage --calls lists charges as a table and writes them in each format.
func TestUsageCalls(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	for i, model := range []string{"gpt-5", "gpt-5-mini", "in-house-9"} {
		call := chatCall(fmt.Sprint("chatcmpl-c", i), model, `{"prompt_tokens":1000000,"completion_tokens":0,"total_tokens":1000000}`)
		s.Must(t, "record", commandtest.TextFile(t, call), "--dialect", "openai-chat", "--session", fmt.Sprint("usage-calls-", i), "--tag", "report=calls")
	}
	calls := func(args ...string) string {
		return s.Must(t, append([]string{"usage", "--calls", "--tag", "report=calls"}, args...)...)
	}
	table := calls()
	for _, want := range []string{"$1.2500", "$0.2500", "unknown_provider", "usage-calls-2"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
	if n := strings.Count(calls("-n", "2"), "\n"); n != 3 {
		t.Errorf("-n 2 prints %d lines, want 3", n)
	}
	var page struct {
		Items []struct {
			ID string `json:"charge_id"`
		}
	}
	if err := json.Unmarshal([]byte(calls("--json")), &page); err != nil || len(page.Items) != 3 {
		t.Fatalf("%d charges in JSON: %v", len(page.Items), err)
	}
	rows, err := csv.NewReader(strings.NewReader(calls("--csv"))).ReadAll()
	if err != nil || len(rows) != 4 || rows[0][0] != "charge_id" || rows[1][0] != page.Items[0].ID {
		t.Errorf("CSV: %v, %v", rows, err)
	}
	for i, line := range strings.Split(strings.TrimSpace(calls("--format", "cloudevents")), "\n") {
		var event struct{ SpecVersion, ID string }
		if err := json.Unmarshal([]byte(line), &event); err != nil || event.SpecVersion != "1.0" || event.ID != page.Items[i].ID {
			t.Errorf("event %s: %v", line, err)
		}
	}
	file := filepath.Join(t.TempDir(), "calls.parquet")
	calls("--format", "parquet", "-o", file)
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	read, err := parquet.OpenFile(bytes.NewReader(body), int64(len(body)))
	if err != nil || read.NumRows() != 3 {
		t.Errorf("Parquet: %v", err)
	}
	if _, stderr, exit := s.Run(t, "usage", "--calls", "--format", "csv", "-o", file); exit != commandtest.ExitFailed || !strings.Contains(stderr, "is there already") {
		t.Errorf("a file that is there: %d %s", exit, stderr)
	}
	if _, stderr, exit := s.Run(t, "usage", "--calls", "--format", "csv", "--prices", "x", "-o", file+"2"); exit == 0 || !strings.Contains(stderr, "prices") {
		t.Errorf("a hash that is none: %d %s", exit, stderr)
	}
	if _, err := os.Stat(file + "2"); err == nil {
		t.Error("a failed export leaves a file")
	}
}

// Flags of charges that do not go together are refused before a server is asked.
func TestUsageCallsFlags(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"usage --format cloudevents":                  "goes with --calls",
		"usage --format parquet":                      "name the file to write",
		"usage --output x":                            "name the format of x with --format",
		"usage --csv --format ndjson":                 "--csv goes without --format ndjson",
		"usage --limit 5":                             "goes with --calls",
		"usage --calls --group-by model":              "go without --calls",
		"usage --calls --findings":                    "--findings goes without --calls",
		"usage --calls --top 3":                       "go without --calls",
		"usage --calls --format xml":                  "--format must be one of",
		"usage --calls --json --format csv":           "--json goes without --format csv",
		"usage --calls --csv --json":                  "--csv goes without",
		"usage --calls --format ndjson -n 3":          "--limit goes with a table or json",
		"usage --calls --limit=-1":                    "--limit -1: it must be 1 or more",
		"usage --calls --limit 0":                     "--limit 0: it must be 1 or more",
		"usage --calls --output x":                    "name the format of x with --format",
		"usage --calls --format parquet":              "name the file to write",
		"usage --calls --format csv --silent-for=-1s": "--silent-for -1s",
	} {
		if _, stderr, exit := commandtest.Alone(t, strings.Fields(line)...); exit != commandtest.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q, want %q", line, exit, stderr, want)
		}
	}
}
