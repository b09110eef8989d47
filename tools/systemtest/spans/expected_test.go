package spans

import "go.opentelemetry.io/collector/pdata/ptrace"

// expected is a span by the rules of docs/opentelemetry.md. Its key is its name and when it starts, in ms after the start
// of the session.
type expected struct {
	ID         string // "" where the recording has no id that a reader can see
	Parent     string // the key of the span above it
	End        int64  // ms after the start of the session
	Kind       ptrace.SpanKind
	Status     ptrace.StatusCode
	Attributes map[string]any
	Message    string         // of the status, with content
	Content    map[string]any // the attributes that content adds
}

// traces are the ids of the traces: sha256sum of the sessions' names.
var traces = map[string]string{"caches": "efbe9d5743db57529bced351e04e3bca", "failed": "5d28a90f4498a81461efbaf6f628a19d"}

const (
	internal, client = ptrace.SpanKindInternal, ptrace.SpanKindClient
	sonnet, haiku    = "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"
)

type values = map[string]any

// caches has both calls of the model with all kinds of tokens: what was read from the cache and written to it is a part of
// the input, reasoning one of the output. The first output of a call is a part of a thought or text.
var caches = map[string]expected{
	"invoke_agent build @0": {ID: "5a0b6472c7287a89", End: 1250, Kind: internal,
		Attributes: values{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "build", "gen_ai.conversation.id": "caches",
			"gen_ai.request.model": "claude-sonnet-4-5"},
		Content: values{"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"List the files"}]}]`}},
	"chat claude-sonnet-4-5 @20": {ID: "e9de5e604c81a340", Parent: "invoke_agent build @0", End: 600, Kind: client,
		Attributes: values{"gen_ai.operation.name": "chat", "gen_ai.agent.name": "build", "gen_ai.conversation.id": "caches",
			"gen_ai.provider.name": "anthropic", "gen_ai.request.model": "claude-sonnet-4-5", "gen_ai.response.model": "claude-sonnet-4-5",
			"gen_ai.response.finish_reasons": []any{"tool-calls"}, "gen_ai.request.stream": true, "gen_ai.response.time_to_first_chunk": 0.51,
			"gen_ai.usage.input_tokens": int64(100 + 1000 + 50), "gen_ai.usage.cache_read.input_tokens": int64(1000),
			"gen_ai.usage.cache_write.input_tokens": int64(50), "gen_ai.usage.output_tokens": int64(20 + 5),
			"gen_ai.usage.reasoning.output_tokens": int64(5)},
		Content: values{"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"reasoning","content":"They want files."},` +
			`{"type":"text","content":"I look."}]}]`}},
	"execute_tool bash @600": {ID: "05d86c66b73881e9", Parent: "invoke_agent build @0", End: 900, Kind: internal,
		Attributes: values{"gen_ai.operation.name": "execute_tool", "gen_ai.agent.name": "build", "gen_ai.conversation.id": "caches",
			"gen_ai.tool.name": "bash", "gen_ai.tool.call.id": "call_1"},
		Content: values{"gen_ai.tool.call.arguments": `{"command":"ls"}`, "gen_ai.tool.call.result": "a\nb\n"}},
	"chat claude-sonnet-4-5 @930": {ID: "fa6c1db08b006089", Parent: "invoke_agent build @0", End: 1240, Kind: client,
		Attributes: values{"gen_ai.operation.name": "chat", "gen_ai.agent.name": "build", "gen_ai.conversation.id": "caches",
			"gen_ai.provider.name": "anthropic", "gen_ai.request.model": "claude-sonnet-4-5", "gen_ai.response.model": "claude-sonnet-4-5",
			"gen_ai.response.finish_reasons": []any{"stop"}, "gen_ai.request.stream": true, "gen_ai.response.time_to_first_chunk": 0.3,
			"gen_ai.usage.input_tokens": int64(30 + 1100 + 10), "gen_ai.usage.cache_read.input_tokens": int64(1100),
			"gen_ai.usage.cache_write.input_tokens": int64(10), "gen_ai.usage.output_tokens": int64(9 + 1),
			"gen_ai.usage.reasoning.output_tokens": int64(1)},
		Content: values{"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"Two files."}]}]`}},
}

// failed has a run that fails with its last tool, and a sub-agent below the call that ran it. Its lines are whole messages:
// no output comes before the end of a call.
var failed = map[string]expected{
	"invoke_agent @0": {End: 2350, Kind: internal, Status: ptrace.StatusCodeError, Message: "The tests fail.",
		Attributes: values{"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "failed", "gen_ai.request.model": sonnet,
			"error.type": "_OTHER"},
		Content: values{"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"Release it."}]}]`}},
	"chat " + sonnet + " @10": {Parent: "invoke_agent @0", End: 510, Kind: client,
		Attributes: values{"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "failed", "gen_ai.provider.name": "anthropic",
			"gen_ai.request.model": sonnet, "gen_ai.response.model": sonnet, "gen_ai.response.id": "m1", "gen_ai.usage.input_tokens": int64(12 + 8000),
			"gen_ai.usage.cache_write.input_tokens": int64(8000), "gen_ai.usage.output_tokens": int64(100)}},
	"execute_tool Task @510": {ID: "732c2eefd5fc76fa", Parent: "invoke_agent @0", End: 1040, Kind: internal,
		Attributes: values{"gen_ai.operation.name": "execute_tool", "gen_ai.conversation.id": "failed", "gen_ai.tool.name": "Task",
			"gen_ai.tool.call.id": "t1"},
		Content: values{"gen_ai.tool.call.arguments": `{"description":"Review","subagent_type":"reviewer","prompt":"Read it."}`,
			"gen_ai.tool.call.result": "It is safe."}},
	"invoke_agent reviewer @810": {Parent: "execute_tool Task @510", End: 1040, Kind: internal,
		Attributes: values{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "reviewer", "gen_ai.conversation.id": "failed"}},
	"chat " + haiku + " @810": {Parent: "invoke_agent reviewer @810", End: 810, Kind: client,
		Attributes: values{"gen_ai.operation.name": "chat", "gen_ai.agent.name": "reviewer", "gen_ai.conversation.id": "failed",
			"gen_ai.provider.name": "anthropic", "gen_ai.request.model": haiku, "gen_ai.response.model": haiku, "gen_ai.response.id": "m2",
			"gen_ai.usage.input_tokens": int64(9), "gen_ai.usage.output_tokens": int64(20)}},
	"execute_tool Read @810": {ID: "91d070b6c4ef6f28", Parent: "invoke_agent reviewer @810", End: 830, Kind: internal,
		Attributes: values{"gen_ai.operation.name": "execute_tool", "gen_ai.agent.name": "reviewer", "gen_ai.conversation.id": "failed",
			"gen_ai.tool.name": "Read", "gen_ai.tool.call.id": "t2"},
		Content: values{"gen_ai.tool.call.arguments": `{"file_path":"a.sql"}`, "gen_ai.tool.call.result": "ALTER TABLE orders"}},
	"chat " + haiku + " @830": {Parent: "invoke_agent reviewer @810", End: 1030, Kind: client,
		Attributes: values{"gen_ai.operation.name": "chat", "gen_ai.agent.name": "reviewer", "gen_ai.conversation.id": "failed",
			"gen_ai.provider.name": "anthropic", "gen_ai.request.model": haiku, "gen_ai.response.model": haiku, "gen_ai.response.id": "m3",
			"gen_ai.usage.input_tokens": int64(30), "gen_ai.usage.output_tokens": int64(5)},
		Content: values{"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"It is safe."}]}]`}},
	"chat " + sonnet + " @1040": {Parent: "invoke_agent @0", End: 1440, Kind: client,
		Attributes: values{"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "failed", "gen_ai.provider.name": "anthropic",
			"gen_ai.request.model": sonnet, "gen_ai.response.model": sonnet, "gen_ai.response.id": "m4",
			"gen_ai.usage.input_tokens": int64(6 + 8000 + 150), "gen_ai.usage.cache_read.input_tokens": int64(8000),
			"gen_ai.usage.cache_write.input_tokens": int64(150), "gen_ai.usage.output_tokens": int64(40)}},
	"execute_tool Bash @1440": {ID: "bbaff908780e5482", Parent: "invoke_agent @0", End: 2340, Kind: internal, Status: ptrace.StatusCodeError,
		Message: "FAIL shop/payment",
		Attributes: values{"gen_ai.operation.name": "execute_tool", "gen_ai.conversation.id": "failed", "gen_ai.tool.name": "Bash",
			"gen_ai.tool.call.id": "t3", "error.type": "_OTHER"},
		Content: values{"gen_ai.tool.call.arguments": `{"command":"make test"}`, "gen_ai.tool.call.result": "FAIL shop/payment"}},
}
