package record

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// An agent waits for its client to execute a tool, and its connection ends; the
// rest of the run comes on another. Of the two recordings comes one run that
// ended, and one call that did.
func TestRunOverTwoConnections(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	const agent = "019f61b2-0000-7000-8000-0000000a6e17"
	record := func(envelopes ...string) {
		t.Helper()
		var stream strings.Builder
		for _, e := range envelopes {
			fmt.Fprintf(&stream, "data: {\"agent\":%q,%s}\n\n", agent, e)
		}
		s.Must(t, "record", commandtest.TextFile(t, []byte(stream.String()+"data: [DONE]\n\n")))
	}
	one := func() sessiondetail.Run {
		t.Helper()
		var shown struct{ Session sessiondetail.Detail }
		if err := json.Unmarshal([]byte(s.Must(t, "show", agent, "--json")), &shown); err != nil {
			t.Fatal(err)
		}
		if len(shown.Session.Runs) != 1 {
			t.Fatalf("%d runs, want 1: %+v", len(shown.Session.Runs), shown.Session.Runs)
		}
		return shown.Session.Runs[0]
	}
	record(
		`"type":"meta_init","final":true,"delta":"{\"user_query\":\"Delete it\",\"model\":\"claude-sonnet-4-5\"}"`,
		`"type":"tool_call","final":true,"delta":"{}","id":"toolu_w17","name":"user_confirm"`,
		`"type":"awaiting_frontend_tools","final":true,"delta":"[{\"tool_use_id\":\"toolu_w17\",\"name\":\"user_confirm\",\"input\":{}}]"`)
	if run := one(); run.Status != "waiting" {
		t.Errorf("before: %+v", run)
	}
	record(
		`"type":"tool_result","final":true,"delta":"yes","id":"toolu_w17","name":"user_confirm"`,
		`"type":"text","final":false,"delta":"Deleted."`, `"type":"text","final":true,"delta":""`,
		`"type":"meta_final","final":true,"delta":"{\"stop_reason\":\"end_turn\",\"cumulative_usage\":{\"input_tokens\":10,\"output_tokens\":5}}"`)
	run := one()
	if run.Status != "ok" || run.Ended == nil || !run.Ended.After(run.Started) {
		t.Errorf("after: %+v", run)
	}
}
