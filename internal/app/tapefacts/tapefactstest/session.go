// Package tapefactstest provides a small session with facts for tests of what is written from them.
package tapefactstest

import (
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/app/tapefacts"
	"tapedeck/query/pricing/prices"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

const ms = time.Millisecond

// at returns a time of the session, ns.
func at(offset time.Duration) int64 { return replaytest.Start + int64(offset) }

func span(kind schema.SpanKind, id, parent, agent, name string, from, to time.Duration, status schema.Status) schema.Span {
	return schema.Span{Fact: schema.Fact{ID: id, Run: "r", Agent: agent, SeenAt: at(from), Version: 1}, Kind: kind, Parent: parent, Name: name,
		Status: status, Started: at(from), Ended: at(to)}
}

func message(kind schema.MessageKind, of, text string, from time.Duration) schema.Message {
	return schema.Message{Fact: schema.Fact{ID: string(kind) + of, Run: "r", SeenAt: at(from), Version: 1}, Kind: kind, Span: of,
		Text: text, Complete: true, Started: at(from), Ended: at(from)}
}

// facts returns a run of 10 s of the agent "coder". Its first call of a model (l1) streams and calls the tool
// bash (t1), which fails while the tool Task (t2) runs the sub-agent "reviewer" (sub), whose call (l2) is
// cancelled. In the step "think" a call of a tool (t3) is rejected. The call t4, whose parent is not recorded, is cut
// off by the end of the stream after 12 s.
func facts() block.Facts {
	run := span(schema.SpanRun, "run", "", "coder", "coder", 0, 10_000*ms, schema.StatusOK)
	run.Model, run.Provider = "gemini-2.5-pro", "google"
	first := span(schema.SpanLLM, "l1", "run", "coder", "gemini-2.5-pro", 1000*ms, 2000*ms, schema.StatusOK)
	first.Model, first.Provider, first.FirstToken, first.Attributes = "gemini-2.5-pro", "google", at(1250*ms), `{"stop_reason":"tool_use"}`
	bash := span(schema.SpanTool, "t1", "l1", "coder", "bash", 2000*ms, 3000*ms, schema.StatusError)
	bash.CallID, bash.Error = "call_1", "exit status 2"
	task := span(schema.SpanTool, "t2", "run", "coder", "Task", 2500*ms, 6000*ms, schema.StatusOK)
	task.CallID = "call_2"
	second := span(schema.SpanLLM, "l2", "sub", "reviewer", "claude-opus-4-1", 3000*ms, 4500*ms, schema.StatusCancelled)
	second.Model, second.Provider, second.Attributes = "claude-opus-4-1", "anthropic", `{"stop_reason":7,"stop_reasons":["stop","error"]}`
	cut := span(schema.SpanTool, "t4", "gone", "coder", "sleep", 8000*ms, 0, schema.StatusUnclosed)
	cut.Ended = 0
	return block.Facts{
		Spans: []schema.Span{run, first, bash, task,
			span(schema.SpanNode, "sub", "t2", "reviewer", "review", 3000*ms, 5000*ms, schema.StatusOK), second,
			span(schema.SpanNode, "step", "run", "coder", "think", 6000*ms, 7000*ms, schema.StatusOK),
			span(schema.SpanTool, "t3", "step", "coder", "write", 6500*ms, 6500*ms, schema.StatusRejected), cut},
		Messages: []schema.Message{
			message(schema.MessageSystem, "run", "Be brief.", 0),
			message(schema.MessageUser, "run", "Fix the build.", 0),
			message(schema.MessageThinking, "l1", "It may be <make>.", 1250*ms),
			message(schema.MessageAssistant, "l1", "I run it.", 1500*ms),
			message(schema.MessageArguments, "t1", `{"command":"make"}`, 1900*ms),
			message(schema.MessageResult, "t1", "no rule", 3000*ms),
			message(schema.MessageArguments, "t3", `{"path":`, 6500*ms),
			message(schema.MessageReply, "run", "Done.", 9900*ms),
		},
		Usages: []schema.Usage{
			{Fact: schema.Fact{ID: "u1", Run: "r", SeenAt: at(2000 * ms), Version: 1}, Scope: "u1", Mode: schema.UsageAdd, At: at(2000 * ms), Span: "l1",
				Model: "gemini-2.5-pro", Provider: "google", Billing: schema.Billing{RequestedModel: "gemini-pro-latest", MessageID: "resp_1"},
				Tokens: schema.Tokens{Input: 100, CacheRead: 40, CacheWrite5m: 7, CacheWrite1h: 3, Output: 20, Reasoning: 5}},
			{Fact: schema.Fact{ID: "u2", Run: "r", SeenAt: at(9000 * ms), Version: 1}, Scope: schema.RestScope + "r", Mode: schema.UsageAdd,
				At: at(9000 * ms), Span: "nowhere", Tokens: schema.Tokens{Output: 2}},
		},
	}
}

// Session returns the facts of a session of one stream, which ends after 12 s.
func Session(t testing.TB) *tapefacts.Session {
	t.Helper()
	memory := &replaytest.Tape{Decode: func(*schema.StreamState, []schema.Frame) block.Facts { return facts() }}
	memory.Stream(schema.NDJSON, "loom").Add(0, "{}\n").Add(12_000*ms, "{}\n")
	s, err := tapefacts.Read(t.Context(), memory, replaytest.Session, prices.Standard(), ingest.DefaultTenant)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
