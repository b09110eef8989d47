package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/query/billing/reconcile"
	"tapedeck/query/billing/reconcile/providerexport"
	"tapedeck/query/report/usagereport"
	"tapedeck/tools/systemtest/commands/commandtest"
)

const reconciledModel = "claude-reconciled-1-20260101"

// A call of 9 input tokens, 300 from a cache and 40 output tokens is compared with an export
// that states 41 output tokens and a second model.
func TestDoctorComparesAnExport(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	s.Must(t, "record", commandtest.TextFile(t, []byte(strings.ReplaceAll(`{"type":"message_start","message":{"id":"msg_reconciled","type":"message","role":"assistant","model":"MODEL","content":[],"stop_reason":null,"usage":{"input_tokens":9,"cache_read_input_tokens":300,"cache_creation_input_tokens":0,"output_tokens":1}}}
{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}
{"type":"content_block_stop","index":0}
{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":40}}
{"type":"message_stop"}
`, "MODEL", reconciledModel))))
	var report usagereport.Report
	if err := json.Unmarshal([]byte(s.Must(t, "usage", "--group-by", "model", "--granularity", "day", "--timezone", "UTC", "--json")), &report); err != nil {
		t.Fatal(err)
	}
	day := ""
	for _, row := range report.Items {
		if m := row.Group["model"]; m != nil && *m == reconciledModel {
			day = *row.Name
		}
	}
	head := "usage_date_utc,model_version,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens\n"
	export := filepath.Join(t.TempDir(), "export.csv")
	write := func(text string) {
		if err := os.WriteFile(export, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(head + day + "," + reconciledModel + ",9,0,0,300,41\n" + day + ",claude-not-recorded,5,0,0,0,0\n")
	stdout, stderr, exit := s.Run(t, "doctor", "usage", "--export", export, "--json")
	var c providerexport.Comparison
	if err := json.Unmarshal([]byte(stdout), &c); err != nil || exit != commandtest.ExitFailed {
		t.Fatalf("exit %d: %v\n%s%s", exit, err, stdout, stderr)
	}
	got := map[string]string{}
	for _, i := range c.Items {
		if i.Model != nil && (*i.Model == reconciledModel || *i.Model == "claude-not-recorded") {
			got[*i.Model+" "+string(i.Bucket)] = i.Recorded.String() + " " + i.Exported.String() + " " + i.Difference.String() + " " + string(i.State)
		}
	}
	want := map[string]string{
		reconciledModel + " input": "9 9 0 equal", reconciledModel + " cache_read": "300 300 0 equal",
		reconciledModel + " output": "40 41 -1 differs", "claude-not-recorded input": "0 5 -5 only_exported",
	}
	for name, figures := range want {
		if got[name] != figures {
			t.Errorf("%s: %q, want %q", name, got[name], figures)
		}
	}
	if len(got) != len(want) {
		t.Errorf("compared %v", got)
	}
	if stdout, _, exit = s.Run(t, "doctor", "usage", "--export", export); exit != commandtest.ExitFailed || !strings.Contains(stdout, "only exported") {
		t.Errorf("exit %d\n%s", exit, stdout)
	}
	for text, want := range map[string]string{
		head + day + "," + reconciledModel + ",9,0,0,300,many\n":     `line 2, field "usage_output_tokens": "many" is not a whole number from 0 on`,
		strings.Replace(head, "usage_input_tokens_no_cache,", "", 1): `line 1, field "usage_input_tokens_no_cache": it is missing`,
	} {
		write(text)
		if _, stderr, exit := s.Run(t, "doctor", "usage", "--export", export); exit != commandtest.ExitFailed || !strings.Contains(stderr, want) {
			t.Errorf("exit %d, %s\nwant %s", exit, stderr, want)
		}
	}
}

// A call whose stream breaks off before its usage is found, in a list of its session alone.
func TestDoctorFindsMissingUsage(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	const model = "claude-cut-off-1"
	s.Must(t, "record", commandtest.TextFile(t, []byte(`{"type":"message_start","message":{"id":"msg_cut","type":"message","role":"assistant","model":"`+model+`","content":[],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1}}}
{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}
`)))
	stdout, stderr, exit := s.Run(t, "doctor", "usage", "--model", model)
	if exit != commandtest.ExitFailed || strings.Count(stdout, "\n") != 2 || !strings.Contains(stdout, "its usage may be what its start states") {
		t.Errorf("exit %d\n%s%s", exit, stdout, stderr)
	}
	if stdout, _, exit = s.Run(t, "doctor", "usage", "--model", model, "--finding", "lost_frames"); exit != 0 || !strings.Contains(stdout, "Nothing found") {
		t.Errorf("exit %d\n%s", exit, stdout)
	}
	stdout, _, _ = s.Run(t, "doctor", "usage", "--model", model, "--json")
	var page struct{ Items []reconcile.Session }
	if err := json.Unmarshal([]byte(stdout), &page); err != nil || len(page.Items) != 1 || page.Items[0].ModelCalls.CutOffWithUsage != 1 {
		t.Errorf("%v\n%s", err, stdout)
	}
	for line, want := range map[string]string{
		"doctor usage --finding lost":               "lost_frames",
		"doctor usage --all":                        "go with --export",
		"doctor usage --export x --model y":         "goes without flags that choose sessions",
		"doctor usage -n 0":                         "--limit 0: it must be 1 or more",
		"doctor usage --export x --provider google": `--provider "google": it must be openai or anthropic`,
	} {
		if _, stderr, exit := s.Run(t, strings.Fields(line)...); exit != commandtest.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s", line, exit, stderr)
		}
	}
}
