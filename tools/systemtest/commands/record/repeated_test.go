package record

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/internal/fulltest"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/tools/systemtest/commands/commandtest"
)

const repeatedLoom = `{"session_id":"repeated-loom","event_id":1,"node_id":"n1","type":"node_enter","id":"think"}
{"session_id":"repeated-loom","event_id":2,"node_id":"n1","type":"message_chunk","content":"I look.","id":"think"}
{"session_id":"repeated-loom","event_id":3,"node_id":"n1","type":"tool_call","call_id":"call_1","name":"ls","arguments":{"path":"."}}
{"session_id":"repeated-loom","event_id":4,"node_id":"n1","type":"usage","prompt_tokens":100,"completion_tokens":20,"total_tokens":120}
{"session_id":"repeated-loom","event_id":5,"node_id":"n2","type":"tool_start","call_id":"call_1","name":"ls"}
{"session_id":"repeated-loom","event_id":6,"node_id":"n2","type":"tool_end","call_id":"call_1","name":"ls","result":"a b","is_error":false}
{"session_id":"repeated-loom","event_id":7,"node_id":"n3","type":"usage","prompt_tokens":130,"completion_tokens":5,"total_tokens":135}
{"session_id":"repeated-loom","node_id":"n3","event_id":8,"reply":"two files"}
`

// spent is what of a session is billed.
type spent struct {
	Tokens cost.UsageTotals
	Tools  sessionhead.ToolCounts
}

// A stream that repeats another of its session, whole or cut short, adds neither
// tokens nor calls where its protocol has ids, and is listed as a discrepancy.
func TestRepeatedStream(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	for _, tc := range []struct{ name, body string }{
		{"loom", repeatedLoom},
		{"openai_chat", "openai_chat/openai-text.chunks.txt"},
		{"codex", "codex_exec/codex_v0142_plan.jsonl"},
		{"claude", "claude_code/tool_read_v2.jsonl"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			body := tc.body
			if !strings.Contains(body, "\n") {
				body = string(dialecttest.Fixture(t, tc.body))
			}
			lines := strings.SplitAfter(body, "\n")
			id := "repeated " + tc.name
			once := spentAfter(t, s, id, 1, body)
			if once.Tokens.Tokens.Total == 0 {
				t.Fatalf("no tokens in %+v", once)
			}
			if d := cmp.Diff(once, spentAfter(t, s, id, 2, body)); d != "" {
				t.Errorf("recorded twice (-once +twice):\n%s", d)
			}
			if d := cmp.Diff(once, spentAfter(t, s, id, 3, strings.Join(lines[:len(lines)*3/4], ""))); d != "" {
				t.Errorf("and cut short (-once +then):\n%s", d)
			}
			var d sessiondetail.Detail
			s.ReadJSON(t, "/v1/sessions/"+url.PathEscape(id), &d)
			if !slices.ContainsFunc(d.Discrepancies, func(d sessiondetail.Discrepancy) bool { return d.Code == sessiondetail.RepeatedBytes && d.Count == 1 }) {
				t.Errorf("discrepancies %+v", d.Discrepancies)
			}
		})
	}
}

// Runs that are alike but for their event ids, and the same run of another session,
// are not repeats.
func TestNotRepeated(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	once := spentAfter(t, s, "not repeated", 1, strings.ReplaceAll(repeatedLoom, "repeated-loom", "alike-1"))
	twice := spentAfter(t, s, "not repeated", 2, strings.ReplaceAll(repeatedLoom, "repeated-loom", "alike-2"))
	if twice.Tokens.Tokens.Total != 2*once.Tokens.Tokens.Total || twice.Tools.Calls != 2*once.Tools.Calls {
		t.Errorf("one run %+v, two runs %+v", once, twice)
	}
	again := spentAfter(t, s, "not repeated: one stream", 1, strings.ReplaceAll(repeatedLoom+repeatedLoom, "repeated-loom", "alike-3"))
	if again.Tokens.Tokens.Total != 2*once.Tokens.Tokens.Total || again.Tools.Calls != 2*once.Tools.Calls {
		t.Errorf("one run %+v, two runs in one stream %+v", once, again)
	}
}

// spentAfter posts a body as the nth stream of a session and returns what the
// session then has spent.
func spentAfter(t *testing.T, s *commandtest.Instance, session string, n int, body string) spent {
	t.Helper()
	commandtest.Post(t, s, session, "application/x-ndjson", []byte(body))
	s.UntilStreams(t, url.QueryEscape(session), n)
	var d sessiondetail.Detail
	s.ReadJSON(t, "/v1/sessions/"+url.PathEscape(session), &d)
	return spent{d.Totals.UsageTotals, d.Totals.Tools}
}
