package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/query/report/usagereport"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// Refusals before any output cost nothing, but for the categories that are charged again since 24
// September 2026; each attempt of a fallback costs at its model's rate. A million input tokens of
// claude-fable-5 are 10 dollars, of claude-opus-4-8 5; a million of its output tokens are 25.
func TestRefusals(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	message := func(id, model, content, stop, details, usage string) []byte {
		return fmt.Appendf(nil, `{"id":%q,"type":"message","role":"assistant","model":%q,"content":%s,"stop_reason":%q,"stop_details":%s,"usage":%s}`+"\n",
			id, model, content, stop, details, usage)
	}
	fable := `{"input_tokens":1000000,"output_tokens":0}`
	fallback := `[{"type":"fallback","from":{"model":"claude-fable-5"},"to":{"model":"claude-opus-4-8"},"trigger":{"type":"refusal","category":%q}},{"type":"text","text":"Six."}]`
	hops := `{"input_tokens":2000000,"output_tokens":40000,"iterations":[{"type":"message","model":"claude-fable-5","input_tokens":1000000,"output_tokens":0},` +
		`{"type":"fallback_message","model":"claude-opus-4-8","input_tokens":2000000,"output_tokens":40000}]}`
	for i, tc := range []struct {
		name string
		body []byte
		want string
	}{
		{"cyber", message("msg_r1", "claude-fable-5", `[]`, "refusal", `{"type":"refusal","category":"cyber"}`, fable), "0"},
		{"no category", message("msg_r2", "claude-fable-5", `[]`, "refusal", "null", fable), "0"},
		{"bio", message("msg_r3", "claude-fable-5", `[]`, "refusal", `{"type":"refusal","category":"bio"}`, fable), "10"},
		{"after text", message("msg_r4", "claude-fable-5", `[{"type":"text","text":"First,"}]`, "refusal", `{"type":"refusal","category":"cyber"}`, fable), "10"},
		{"fallback", message("msg_r5", "claude-opus-4-8", fmt.Sprintf(fallback, "cyber"), "end_turn", "null", hops), "11"},
		{"fallback of a charged category", message("msg_r6", "claude-opus-4-8", fmt.Sprintf(fallback, "frontier_llm"), "end_turn", "null", hops), "21"},
	} {
		tag := fmt.Sprint("refusal=", i)
		s.Must(t, "record", commandtest.TextFile(t, tc.body), "--dialect", "anthropic-messages", "--session", "refusal-"+fmt.Sprint(i), "--tag", tag)
		var r usagereport.Report
		if err := json.Unmarshal([]byte(s.Must(t, "usage", "--tag", tag, "--json")), &r); err != nil {
			t.Fatal(err)
		}
		if r.Totals.Cost.Text() != tc.want || r.Totals.UnpricedCalls != 0 || r.Prices.List.Date == "" {
			t.Errorf("%s costs %s, %d unpriced, list of %q; expected %s", tc.name, r.Totals.Cost.Text(), r.Totals.UnpricedCalls, r.Prices.List.Date, tc.want)
		}
	}
}

// A model that has no entry of its own is marked where the entry of another one was taken.
func TestPricedAs(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	body := []byte(`{"id":"msg_p1","type":"message","role":"assistant","model":"claude-sonnet-5-9","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn","usage":{"input_tokens":100,"output_tokens":1}}` + "\n")
	s.Must(t, "record", commandtest.TextFile(t, body), "--dialect", "anthropic-messages", "--session", "priced-as", "--tag", "report=priced-as")
	table := strings.Join(strings.Fields(s.Must(t, "usage", "--tag", "report=priced-as", "--group-by", "model")), " ")
	if !strings.Contains(table, "Priced as another model") || !strings.Contains(table, "claude-sonnet-5-9 claude-sonnet-5 1") {
		t.Errorf("the report does not mark the model: %s", table)
	}
	list := s.Must(t, "prices", "list", "--inexact")
	if !strings.Contains(list, "claude-sonnet-5-9") || !strings.Contains(list, "anthropic/claude-sonnet-5") || strings.Contains(list, "claude-opus-4-8 ") {
		t.Errorf("prices list --inexact: %s", list)
	}
}

// An update of the list is read offline and shown before it is made.
func TestPricesUpdate(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	file := commandtest.TextFile(t, []byte(`{"gpt-77":{"litellm_provider":"openai","mode":"chat","input_cost_per_token":1e-06,"output_cost_per_token":2e-06}}`))
	if _, errs, exit := s.Run(t, "prices", "update", file, "--date", "2061-01-01", "--dry-run"); exit == 0 || !strings.Contains(errs, "is in the future") {
		t.Errorf("a date in the future: exit %d, %s", exit, errs)
	}
	out := s.Must(t, "prices", "update", file, "--date", time.Now().UTC().Format(time.DateOnly), "--dry-run")
	if !strings.Contains(out, "gpt-77") {
		t.Errorf("the difference does not name the new model: %s", out)
	}
	for _, text := range []string{"# prices\n", "{}"} {
		comments := commandtest.TextFile(t, []byte(text))
		for _, command := range []string{"check", "import"} {
			if _, errs, exit := s.Run(t, "prices", command, comments); exit != commandtest.ExitUsage || !strings.Contains(errs, "states nothing") {
				t.Errorf("prices %s of %q: exit %d, %s", command, text, exit, errs)
			}
		}
	}
	if list := s.Must(t, "prices", "list", "--model", "gpt-77"); strings.Contains(list, "gpt-77") {
		t.Errorf("a dry run changed the list: %s", list)
	}
}
