package alerttest_test

import (
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"go.uber.org/goleak"

	"tapedeck/ingest"
	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/internal/app/command/alerttest"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/pricing/prices"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rules are rules of every kind, as an operator would write them.
var rules = []rule.Rule{
	{Name: "tool", Kind: rule.ToolOpen, Factor: 3, Floor: 30 * time.Second, PerHour: 60},
	{Name: "silence", Kind: rule.Silence, After: 2 * time.Minute, PerHour: 60},
	{Name: "progress", Kind: rule.NoProgress, Calls: 5, Refusals: 5, PerHour: 60},
	{Name: "errors", Kind: rule.ErrorRate, Last: 10, Percent: 50, PerHour: 60},
	{Name: "budget", Kind: rule.Budget, Tokens: 5_000_000, Cost: decimal.NewFromInt(20), Currency: "USD", PerHour: 60},
}

// captures are the captured streams whose frames state when they were made, with the dialect of each. The
// events of pi state times only in messages, so that the clock of its captures is not known. None of these
// runs hung.
var captures = map[string]string{
	"claude_code_files/1-continue-run-ls-tool.jsonl":  "claude-code",
	"claude_code_files/task_non_sdk.jsonl":            "claude-code",
	"claude_code_files/large.jsonl":                   "claude-code",
	"codex_rollout/large.jsonl":                       "codex-rollout",
	"codex_rollout/codex_053_rate_limit.jsonl":        "codex-rollout",
	"second_round/claude_transcript_two_turns.ndjson": "claude-code",
	"second_round/opencode_same_part_id.ndjson":       "opencode",
	"third_round/codex_usage_records.jsonl":           "codex-rollout",
	"third_round/claude_rewritten_history.jsonl":      "claude-code",
}

// No rule alerts of a captured run that did not hang, at the run's own speed.
func TestCaptures(t *testing.T) {
	for name, of := range captures {
		t.Run(name, func(t *testing.T) {
			d, err := dialects.ByName(of)
			if err != nil {
				t.Fatal(err)
			}
			frames := capturetest.Cut(t, name, "")
			setTimes(t, d, frames)
			t.Logf("%d frames, %s", len(frames), time.Duration(frames[len(frames)-1].At-frames[0].At))
			usual := map[string]evaluate.Usual{}
			for _, tool := range []string{"Bash", "LS", "Read", "Task", "shell", "exec_command"} {
				usual[tool] = evaluate.Usual{Calls: 20, P99: 10e9}
			}
			trial := alerttest.New(alerttest.Options{Rules: rules, Tenant: "default", Session: "s", Prices: prices.With(nil), Usual: usual})
			if err := trial.Open(schema.StreamState{StreamID: "capture", Dialect: of, Ended: frames[len(frames)-1].At}); err != nil {
				t.Fatal(err)
			}
			for i := range frames {
				if err := trial.Frame("capture", &frames[i]); err != nil {
					t.Fatal(err)
				}
			}
			result, err := trial.Finish()
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range result.Alerts {
				t.Errorf("an alert: %s %s: %s", a.Rule, a.Began, a.Detail)
			}
		})
	}
}

// setTimes sets the arrival of each frame to the time that it states, or to that of the frame before it.
func setTimes(t *testing.T, d dialect.Dialect, frames []schema.Frame) {
	t.Helper()
	var parser ingest.Parser
	var known []int64
	for i := range frames {
		var at int64
		parser.Parse(&frames[i], func(in *dialect.Input) { at = d.Time(in) })
		if at != 0 {
			known = append(known, at)
		}
		frames[i].At = 0
		if len(known) > 0 {
			frames[i].At = slices.Max(known)
		}
	}
	if len(known) < 2 {
		t.Fatalf("%d frames have a time", len(known))
	}
	for i := range frames {
		frames[i].At = max(frames[i].At, known[0])
	}
}
