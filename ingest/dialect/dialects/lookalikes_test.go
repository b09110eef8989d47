package dialects_test

import (
	"slices"
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/schema"
)

// lookAlikes has frames of the nearest other protocols for each dialect: they have the names of
// its types or members, but not the other members.
var lookAlikes = map[string][]lookAlike{
	"loom": {
		{of: "any agent with numbered events", data: `{"type":"tool_call","session_id":"s","event_id":3,"name":"read","arguments":{}}`},
		{of: "any agent with numbered events", data: `{"type":"usage","session_id":"s","event_id":4,"prompt_tokens":1,"completion_tokens":2}`},
		{of: "langgraph", event: "values", data: `{"messages":[{"type":"ai","content":"x","id":"a"}]}`},
		{of: "compozy", data: `{"type":"tool_call","tool_call_id":"c","tool_name":"read","duration_ms":5}`},
	},
	"claude-code": {
		{of: "Cursor", data: `{"type":"system","subtype":"init","apiKeySource":"login","cwd":"/w","session_id":"s","model":"m","permissionMode":"default"}`},
		{of: "Cursor", data: `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"x"}]},"session_id":"s"}`},
		{of: "Cursor", data: `{"type":"result","subtype":"success","duration_ms":1,"duration_api_ms":1,"is_error":false,"result":"x","session_id":"s"}`},
		{of: "Droid", data: `{"type":"system","subtype":"init","cwd":"/w","session_id":"s","tools":["Read"],"model":"m"}`},
		{of: "pi", data: `{"type":"message","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"assistant","content":[],"api":"x","provider":"y"}}`},
		{of: "gemini-cli", data: `{"type":"result","timestamp":"2026-01-01T00:00:00.000Z","status":"success","stats":{"total_tokens":1}}`},
	},
	"codex-rollout": {
		{of: "Copilot CLI", data: `{"type":"session.start","data":{"sessionId":"s"},"id":"e","timestamp":"2026-01-01T00:00:00.000Z","parentId":null}`},
		{of: "pi", data: `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}`},
		{of: "codex exec", data: `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"x"}}`},
		{of: "any log", data: `{"timestamp":"2026-01-01T00:00:00.000Z","type":"message","payload":{"type":"message"}}`},
	},
	"codex": {
		{of: "openai-realtime", data: `{"type":"conversation.item.created","event_id":"e","item":{"id":"item_1","object":"realtime.item","type":"message"}}`},
		{of: "an agent with items", data: `{"type":"item.completed","item":{"id":"item_abc","type":"message"}}`},
		{of: "ChatKit", data: `{"type":"thread.item.done","item":{"id":"item_1","type":"assistant_message"}}`},
		{of: "pi", data: `{"type":"turn_end","message":{"role":"assistant"},"toolResults":[]}`},
	},
	"pi": {
		{of: "anthropic-messages", data: `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"m","usage":{"input_tokens":1,"output_tokens":1}}}`},
		{of: "claude-code", data: `{"type":"assistant","sessionId":"s","isSidechain":false,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"assistant","content":[]}}`},
		{of: "codex-rollout", data: `{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"s","cwd":"/w","cli_version":"1"}}`},
		{of: "gemini-cli", data: `{"type":"message","timestamp":"2026-01-01T00:00:00.000Z","role":"user","content":"x"}`},
		{of: "compozy", data: `{"type":"agent_start","agentId":"a"}`},
	},
	"compozy": {
		{of: "any workflow engine", data: `{"type":"workflow_start","workflow_id":"w"}`},
		{of: "any task engine", data: `{"type":"task_status","status":"RUNNING","task":"t"}`},
		{of: "any agent", data: `{"type":"tool_call","tool_call_id":"c","tool_name":"read","duration_ms":5}`},
		{of: "loom", data: `{"type":"tool_call","call_id":"c","name":"read","arguments":{}}`},
		{of: "pi", data: `{"type":"agent_start"}`},
	},
	"vercel-ui": {
		{of: "cohere", data: `{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"x"}}}}`},
		{of: "the AI SDK's own streams", data: `{"type":"text-delta","id":"0","text":"x"}`},
		{of: "the AI SDK's own streams", data: `{"type":"tool-call","toolCallId":"c","toolName":"read","input":{}}`},
		{of: "any", data: `{"type":"start","id":"x"}`},
		{of: "any", data: `{"type":"error","message":"x"}`},
	},
	"ag-ui": {
		{of: "any batch", data: `{"type":"STEP_STARTED","stepName":"load"}`},
		{of: "any job", data: `{"type":"RUN_STARTED","runId":"r"}`},
		{of: "any store", data: `{"type":"STATE_DELTA","delta":[]}`},
		{of: "vercel-ui", data: `{"type":"tool-input-start","toolCallId":"c","toolName":"read"}`},
	},
	"gemini-cli": {
		{of: "claude-code", data: `{"type":"result","subtype":"success","is_error":false,"session_id":"s","num_turns":1}`},
		{of: "any agent", data: `{"type":"tool_result","tool_id":"t","status":"done","timestamp":"2026-01-01T00:00:00.000Z"}`},
		{of: "Droid", data: `{"type":"tool_result","id":"r","messageId":"m","toolId":"t","isError":false,"value":"x","timestamp":1767225600000}`},
		{of: "pi", data: `{"type":"message","id":"e","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"x"}}`},
	},
	"gemini-cli-chat": {
		{of: "claude-code", data: `{"type":"user","sessionId":"s","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"x"}}`},
		{of: "any", data: `{"sessionId":"s","projectHash":"h"}`},
		{of: "any", data: `{"$set":{"name":"x"}}`},
		{of: "pi", data: `{"type":"message","id":"e","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"x"}}`},
	},
	"gemini": {
		{of: "adk", data: `{"invocationId":"i","author":"a","modelVersion":"gemini-x","content":{"parts":[{"text":"x"}],"role":"model"},"usageMetadata":{"promptTokenCount":1,"totalTokenCount":2}}`},
		{of: "Gemini Live", data: `{"serverContent":{"modelTurn":{"parts":[{"text":"x"}]}},"usageMetadata":{"totalTokenCount":2}}`},
		{of: "Google Interactions", data: `{"event_type":"content.delta","index":0,"delta":{"type":"text","text":"x"}}`},
		{of: "any election", data: `{"candidates":[{"name":"x"}],"modelVersion":"1"}`},
	},
	"gemini-live": {
		{of: "gemini", data: `{"candidates":[{"content":{"parts":[{"text":"x"}],"role":"model"}}],"usageMetadata":{"promptTokenCount":1,"totalTokenCount":2}}`},
		{of: "gemini", data: `{"toolCall":{"toolType":"FILE_SEARCH","args":{}}}`},
		{of: "any", data: `{"setup":{"model":"x"}}`},
		{of: "any", data: `{"serverContent":{"a":1}}`},
	},
	"google-interactions": {
		{of: "gemini", data: `{"candidates":[{"content":{"parts":[{"text":"x"}],"role":"model"}}],"modelVersion":"gemini-x"}`},
		{of: "any agent", data: `{"event_type":"content.delta","delta":"x"}`},
		{of: "anthropic-messages", data: `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`},
	},
	"adk": {
		{of: "gemini", data: `{"candidates":[{"content":{"parts":[{"text":"x"}],"role":"model"}}],"modelVersion":"gemini-x"}`},
		{of: "any", data: `{"author":"a","content":{"parts":[{"text":"x"}]}}`},
	},
	"bedrock": {
		{of: "anthropic-messages", data: `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`},
		{of: "any", data: `{"contentBlockDelta":{"delta":{"text":"x"}}}`},
		{of: "any", data: `{"metadata":{"usage":{"inputTokens":1}}}`},
	},
	"anthropic-agent": {
		{of: "any agent", data: `{"type":"text","agent":"a","delta":"x"}`},
		{of: "anthropic-messages", data: `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`},
		{of: "ag-ui", data: `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}`},
	},
	"anthropic-messages": {
		{of: "pi", data: `{"type":"message_start","message":{"role":"user","content":[{"type":"text","text":"x"}],"timestamp":1767401000000}}`},
		{of: "pi", data: `{"type":"message_start","message":{"role":"assistant","content":[],"api":"anthropic-messages","provider":"anthropic","model":"m","usage":{"input":0,"output":0}}}`},
		{of: "any agent", data: `{"type":"message","role":"assistant","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":1,"output_tokens":2}}`},
		{of: "any agent", data: `{"type":"message_delta","delta":{"text":"x"}}`},
		{of: "claude-code", data: `{"type":"stream_event","session_id":"s","parent_tool_use_id":null,"payload":{"type":"message_stop"}}`},
	},
	"opencode": {
		{of: "any analytics", data: `{"type":"session.created","properties":{"id":"x"}}`},
		{of: "any analytics", data: `{"type":"message.updated","properties":{"text":"x"}}`},
		{of: "openai-realtime", data: `{"type":"session.updated","event_id":"e","session":{"object":"realtime.session"}}`},
		{of: "gemini-cli", data: `{"type":"tool_use","timestamp":"2026-01-01T00:00:00.000Z","tool_name":"x","tool_id":"t","parameters":{}}`},
	},
	"openai-realtime": {
		{of: "openai-responses", data: `{"type":"response.output_text.delta","sequence_number":3,"item_id":"i","output_index":0,"content_index":0,"delta":"x"}`},
		{of: "openai-responses", data: `{"type":"response.completed","sequence_number":9,"response":{"id":"r","object":"response","output":[]}}`},
		{of: "any server", data: `{"type":"error","event_id":"e","error":{"message":"x"}}`},
		{of: "opencode", data: `{"type":"session.updated","properties":{"info":{"id":"s"}}}`},
	},
	"cohere": {
		{of: "vercel-ui", data: `{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"x"}`},
		{of: "any", data: `{"type":"message-start","id":"m"}`},
		{of: "any", data: `{"finish_reason":"stop","message":{"role":"assistant","content":"x"},"usage":{"total_tokens":3}}`},
		{of: "bedrock", data: `{"type":"content-delta","contentBlockIndex":0,"delta":{"text":"x"}}`},
	},
	"openai-responses": {
		{of: "openai-realtime", data: `{"type":"response.output_item.added","event_id":"e","response_id":"r","output_index":0,"item":{"id":"i","object":"realtime.item"}}`},
		{of: "openai-realtime", data: `{"type":"response.done","event_id":"e","response":{"id":"r","object":"realtime.response","output":[]}}`},
		{of: "any server", data: `{"type":"error","sequence_number":2,"message":"x"}`},
		{of: "codex-rollout", data: `{"type":"response_item","payload":{"type":"message","role":"user","content":[]}}`},
	},
	"openai-chat": {
		{of: "ollama", data: `{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"x"},"done":false}`},
		{of: "a gateway", data: `{"id":"x","choices":[{"delta":{"content":"x"}}]}`},
		{of: "any poll", data: `{"object":"poll","choices":[]}`},
		{of: "openai-responses", data: `{"id":"r","object":"response","output":[]}`},
	},
	"langgraph": {
		{of: "any job queue", event: "tasks", data: `{"id":1,"name":"Write report","result":null}`},
		{of: "any server", event: "debug", data: `{"step":1,"payload":{}}`},
		{of: "any server", event: "metadata", data: `{"run_id":"r"}`},
		{of: "openai-chat", event: "messages", data: `[{"role":"user"},{"role":"assistant"}]`},
		{of: "loom", event: "updates", data: `{"type":"updates"}`},
	},
	"a2a": {
		{of: "mcp", data: `{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t","status":"working"}}}`},
		{of: "the AI SDK's messages", data: `{"id":"m","role":"user","parts":[{"type":"text","text":"x"}]}`},
		{of: "any task engine", data: `{"kind":"task","id":"t","status":{"state":"RUNNING"}}`},
		{of: "gemini", data: `{"role":"user","parts":[{"text":"x"}]}`},
	},
	"codex-app-server": {
		{of: "ACP", data: `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"x"}}}`},
		{of: "mcp", data: `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"x","version":"1"},"capabilities":{}}}`},
		{of: "Chrome's DevTools", data: `{"id":1,"method":"Page.navigate","params":{"url":"https://example.com"}}`},
		{of: "Chrome's DevTools", data: `{"method":"Runtime.consoleAPICalled","params":{"type":"log","args":[]}}`},
		{of: "codex", data: `{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"x"}}`},
		{of: "an RPC", data: `{"method":"initialized","params":{}}`},
		{of: "an RPC with errors", data: `{"method":"error","params":{"message":"x"}}`},
		{of: "openai's assistants", data: `{"thread":{"id":"thread_1"},"object":"thread.run"}`},
	},
	"acp": {
		{of: "mcp", data: `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`},
		{of: "language servers", data: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":1,"clientInfo":{"name":"x"},"capabilities":{}}}`},
		{of: "an RPC with sessions", data: `{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"limit":1}}`},
		{of: "a2a", data: `{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t","status":{"state":"working"}}}`},
	},
	"mcp": {
		{of: "ACP", data: `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"x"}}}`},
		{of: "language servers", data: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":1,"clientInfo":{"name":"x"},"capabilities":{}}}`},
		{of: "a2a", data: `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t"}}`},
		{of: "a2a", data: `{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t","status":{"state":"working"}}}`},
		{of: "anthropic-messages", data: `{"role":"user","content":[{"type":"text","text":"x"}]}`},
	},
	"amp": {
		{of: "Amp's stream", data: `{"type":"assistant","message":{"type":"message","role":"assistant","content":[{"type":"text","text":"x"}]},"session_id":"T-1"}`},
		{of: "any agent", data: `{"type":"thread","thread":{"id":"T-1"}}`},
	},
	"copilot-cli": {
		{of: "any log of events", data: `{"type":"session.start","data":{"sessionId":"s"},"id":"e","timestamp":"2026-01-01T00:00:00.000Z","parentId":null}`},
		{of: "any log of events", data: `{"type":"user.message","data":{"content":"x"},"id":"e","timestamp":"2026-01-01T00:00:00.000Z"}`},
		{of: "Claude Managed Agents", data: `{"type":"user.message","id":"sevt_1","content":[{"type":"text","text":"x"}],"processed_at":"2026-01-01T00:00:00Z"}`},
		{of: "opencode", data: `{"type":"session.updated","properties":{"info":{"id":"s"}}}`},
	},
	"cursor-cli": {
		{of: "claude-code", data: `{"type":"system","subtype":"init","apiKeySource":"none","cwd":"/w","session_id":"s","tools":["Bash"],"model":"m","permissionMode":"default","uuid":"u"}`},
		{of: "claude-code", data: `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"x"}]},"session_id":"s"}`},
		{of: "loom", data: `{"type":"tool_call","call_id":"c","name":"read","arguments":{}}`},
	},
	"managed-agents": {
		{of: "Copilot CLI", data: `{"type":"user.message","data":{"content":"x"},"id":"e","timestamp":"2026-01-01T00:00:00.000Z","parentId":"d"}`},
		{of: "any log of events", data: `{"type":"agent.message","id":"1","content":"x"}`},
		{of: "anthropic-messages", data: `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"m","usage":{"input_tokens":1,"output_tokens":1}}}`},
	},
	"droid": {
		{of: "pi", data: `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}`},
		{of: "pi", data: `{"type":"message","id":"e","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":"x"}]}}`},
		{of: "any agent", data: `{"type":"session_start","id":"s","model":"m"}`},
	},
	"droid-exec": {
		{of: "gemini-cli", data: `{"type":"message","timestamp":"2026-01-01T00:00:00.000Z","role":"user","content":"x"}`},
		{of: "gemini-cli", data: `{"type":"tool_result","timestamp":"2026-01-01T00:00:00.000Z","tool_id":"t","status":"success","output":"x"}`},
		{of: "Droid's files", data: `{"type":"message","id":"m","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":"x"}]}}`},
		{of: "claude-code", data: `{"type":"system","subtype":"init","cwd":"/w","session_id":"s","tools":["Bash"],"model":"m"}`},
		{of: "any agent", data: `{"type":"completion","text":"x","session_id":"s"}`},
	},
	"goose": {
		{of: "Goose's stream", data: `{"type":"message","message":{"id":"m","role":"assistant","created":1767225600,"content":[{"type":"text","text":"x"}]}}`},
		{of: "any store", data: `{"type":"goose.message","text":"x"}`},
	},
	"kimi-cli": {
		{of: "Kimi's wire protocol", data: `{"jsonrpc":"2.0","method":"event","params":{"type":"TurnBegin","payload":{"user_input":"x"}}}`},
		{of: "any log", data: `{"timestamp":1767225600.0,"message":{"type":"text","payload":"x"}}`},
		{of: "any file", data: `{"type":"metadata","version":"1"}`},
	},
	"kimi-code": {
		{of: "kimi-cli", data: `{"type":"metadata","protocol_version":"1.10"}`},
		{of: "any log", data: `{"type":"usage.record","usage":{"input":1},"time":1767225600000}`},
		{of: "any agent", data: `{"type":"turn.prompt","text":"x"}`},
	},
	"qwen-code": {
		{of: "claude-code", data: `{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"x"}}`},
		{of: "claude-code", data: `{"type":"system","subtype":"turn_duration","uuid":"u","sessionId":"s","timestamp":"2026-01-01T00:00:00.000Z","durationMs":1}`},
		{of: "adk", data: `{"id":"u","author":"user","content":{"role":"user","parts":[{"text":"x"}]}}`},
		{of: "a2a", data: `{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]}`},
	},
	"otlp": {
		{of: "OTLP for metrics", data: `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m"}]}]}]}`},
		{of: "Zipkin", data: `[{"traceId":"0af7651916cd43dd8448eb211c80319c","id":"b7ad6b7169203331","name":"get","timestamp":1767225600000000,"duration":5}]`},
		{of: "any tracer", data: `{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"chat"}]}`},
	},
	"ollama": {
		{of: "openai-chat", data: `{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"delta":{"content":"x"}}]}`},
		{of: "llama.cpp", data: `{"content":"x","stop":false,"model":"m","created_at":"2026-01-01T00:00:00Z"}`},
		{of: "cohere", data: `{"message":{"role":"assistant","content":[]},"finish_reason":"COMPLETE"}`},
	},
}

type lookAlike struct{ of, event, data string }

func (l lookAlike) input() *dialect.Input {
	return &dialect.Input{
		Frame: &schema.Frame{Direction: schema.Receive, Transport: schema.SSE}, Data: []byte(l.data),
		JSON: fastjson.MustParse(l.data), Event: l.event,
	}
}

// No dialect is Certain of a frame of another protocol.
func TestLookAlikes(t *testing.T) {
	for _, d := range dialects.All() {
		if d.Name == "generic" {
			continue
		}
		if len(lookAlikes[d.Name]) == 0 {
			t.Errorf("%s: no frame of another protocol that looks alike", d.Name)
		}
		for _, l := range lookAlikes[d.Name] {
			if sure, why := d.Match(l.input()); sure == dialect.Certain {
				t.Errorf("%s is certain of a frame of %s by %s: %s", d.Name, l.of, why, l.data)
			}
		}
	}
}

// passedOn has streams that contain unchanged frames of another protocol.
var passedOn = map[string]string{"../anthropicagent/testdata/cases/raw.txtar": "anthropic-messages"}

// No dialect is Certain of a frame in the cases and captures of another.
func TestCertainOfItsOwn(t *testing.T) {
	list := dialects.All()
	for _, s := range samples(t, "cases", "captures") {
		var wrong []string
		for i := range s.frames {
			f := s.frames[i]
			content, _ := schema.Unframe(&f, nil)
			in := dialect.Input{Frame: &f, Data: content.Data, Event: content.Event, ID: content.ID}
			if content.Empty {
				in.Data = nil
			} else if fastjson.ValidateBytes(in.Data) == nil {
				in.JSON, _ = fastjson.ParseBytes(in.Data)
			}
			for _, d := range list {
				if d.Name == s.dialect || passedOn[s.file] == d.Name || slices.Contains(wrong, d.Name) {
					continue
				}
				if sure, why := d.Match(&in); sure == dialect.Certain {
					wrong = append(wrong, d.Name)
					t.Errorf("%s is certain of frame %d of %s by %s: %.200s", d.Name, i, s.file, why, in.Data)
				}
			}
		}
	}
}
