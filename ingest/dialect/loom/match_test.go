package loom

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

func matchOf(t *testing.T, line string) (dialect.Confidence, string) {
	t.Helper()
	f := schema.Frame{}
	if rest, ok := strings.CutPrefix(line, ">"); ok {
		f.Direction, line = schema.Send, rest
	}
	in := dialect.Input{Frame: &f, Data: []byte(line)}
	if fastjson.Validate(line) == nil {
		in.JSON = fastjson.MustParse(line)
	}
	return match(&in)
}

func TestMatch(t *testing.T) {
	tests := []struct {
		want dialect.Confidence
		line string
	}{
		{dialect.Certain, `{"session_id":"s","node_id":"n","event_id":1,"type":"node_enter","id":"think"}`},
		{dialect.Certain, `{"session_id":"s","event_id":0,"type":"run_start","run_id":"run-1","message":"Hello","agent":"react"}`},
		{dialect.Certain, `{"session_id":"s","node_id":"n","event_id":4,"type":"usage","prompt_tokens":1,"completion_tokens":2,"total_tokens":3}`},
		{dialect.Certain, `{"type":"node_exit","id":"think","result":"Ok"}`},
		{dialect.Certain, `{"type":"node_exit","id":"think","result":{"Err":"x"}}`},
		{dialect.Certain, `{"type":"run_stream_event","id":"run-1","event":{"type":"node_enter","id":"think"}}`},
		{dialect.Certain, `{"type":"run_end","id":"run-1","reply":"x"}`},
		{dialect.Certain, `{"TaskStart":{"node_id":"think"}}`},
		{dialect.Certain, `{"TaskEnd":{"node_id":"think","result":"Ok"}}`},
		{dialect.Certain, `{"Messages":{"chunk":{"content":"x"},"metadata":{"loom_node":"think"}}}`},
		{dialect.Certain, `{"events":[],"reply":{"reply":"x"},"stop_reason":"end_turn"}`},
		{dialect.Likely, `{"type":"node_enter","id":"think"}`},
		{dialect.Likely, `{"type":"message_chunk","content":"x","id":"think"}`},
		{dialect.Likely, `{"type":"tool_call","call_id":null,"name":"bash","arguments":{}}`},
		{dialect.Likely, `{"type":"tool_end","call_id":"c","name":"bash","result":"","is_error":false}`},
		{dialect.Likely, `{"reply":"x","session_id":"s","event_id":8}`},
		{dialect.Likely, `{"Usage":{"prompt_tokens":1}}`},
		{dialect.Likely, `{"type":"error","id":"run-1","error":"x"}`},
		{dialect.Likely, `>{"type":"run","message":"x","agent":"react"}`},
		{dialect.Likely, `>{"type":"cancel_run","id":"1","run_id":"run-1"}`},
		{dialect.Possible, `{"type":"error","error":"x"}`},
		{dialect.Possible, `{"type":"usage","prompt_tokens":1,"completion_tokens":1}`},
		{dialect.Possible, `{"type":"tool_call","name":"bash","arguments":{}}`},
		{dialect.Possible, `{"type":"custom","value":1}`},
		{dialect.Possible, `{"reply":"x"}`},
		{dialect.Possible, `>{"type":"ping","id":"1"}`},
		{dialect.Possible, `{"type":"pong","id":"1"}`},

		// Frames of other dialects.
		{dialect.No, `{"type":"tool_call"}`},
		{dialect.No, `{"type":"tool_call","agent":"u","final":true,"delta":"{}","id":"toolu_1","name":"x"}`},
		{dialect.No, `{"component":"x","tool_call_id":"1","tool_name":"y","status":"ok","type":"tool_call"}`},
		{dialect.No, `{"type":"error","errorText":"x"}`},
		{dialect.No, `{"type":"error","error":{"type":"overloaded_error","message":"x"}}`},
		{dialect.No, `{"type":"custom","kind":"x"}`},
		{dialect.No, `{"error":"ValueError","message":"x","traceback":"y"}`},
		{dialect.No, `{"type":"ping"}`},
		{dialect.No, `>{"type":"ping"}`},
		{dialect.No, `>{"model":"m","messages":[]}`},
		{dialect.No, `{"type":"assistant","message":{"id":"m"},"session_id":"s"}`},
		{dialect.No, `{"task":{"id":"1"}}`},
		{dialect.No, `{"Name":{"x":1}}`},
		{dialect.No, `[1]`},
		{dialect.No, `text`},
		{dialect.No, `{}`},
	}
	for _, test := range tests {
		got, why := matchOf(t, test.line)
		if got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
}

// No captured stream of another protocol is recognised as Loom's.
func TestMatchLeavesOthersAlone(t *testing.T) {
	for _, name := range []string{
		"ag_ui/backend_tool_turn1.json", "ag_ui/sse_edge_cases.sse.txt", "anthropic_agent/json_envelope_scenarios.sse",
		"anthropic_agent/legacy_xml_docx.sse.txt", "anthropic_messages/anthropic-web-search-tool.1.chunks.txt",
		"anthropic_messages/anthropic_thinking_stream.sse", "claude_code/partial_messages_tool.jsonl",
		"claude_code/tool_read_v2.jsonl", "codex_exec/codex_v0142_failure.jsonl", "codex_exec/codex_v0142_plan.jsonl",
		"gemini_api/google-text.chunks.txt", "openai_chat/deepseek-tool-call.chunks.txt", "openai_chat/openai_chat_stream.sse",
		"openai_responses/background_part1.sse", "openai_responses/openai-error.1.chunks.txt",
		"vercel_ui/run_web_search_reasoning.sse", "vercel_ui/tool_error_retry_error.sse",
	} {
		t.Run(name, func(t *testing.T) {
			data := bytes.TrimPrefix(dialecttest.Fixture(t, name), []byte("\ufeff"))
			var lines []string
			if strings.HasSuffix(name, ".json") {
				var events []json.RawMessage
				if err := json.Unmarshal(data, &events); err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					lines = append(lines, string(e))
				}
			} else {
				lines = strings.Split(string(data), "\n")
			}
			for _, line := range lines {
				line = strings.TrimSpace(strings.TrimPrefix(line, "data:"))
				if got, why := matchOf(t, line); got >= dialect.Likely {
					t.Errorf("%.200s: %d (%s)", line, got, why)
				}
			}
		})
	}
}
