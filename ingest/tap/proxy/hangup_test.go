package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// hangUps are streams of every dialect whose protocol has a last event. last is
// a part of that event, which the one before does not have.
var hangUps = []struct{ dialect, file, text, last string }{
	{dialect: "openai-chat", file: "openai_chat/openai_chat_stream.sse", last: "[DONE]"},
	{dialect: "openai-responses", file: "openai_responses/background_part1.sse", last: `"type":"response.completed"`},
	{dialect: "openai-responses", file: "openai_responses/openai-web-search-tool.1.chunks.txt", last: `"type":"response.completed"`},
	{dialect: "openai-responses", file: "openai_responses/openai-error.1.chunks.txt", last: `"type":"response.failed"`},
	{dialect: "openai-responses", text: event("response.created", `{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress"}}`) +
		event("response.incomplete", `{"type":"response.incomplete","sequence_number":1,"response":{"id":"resp_1","object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`),
		last: `"type":"response.incomplete"`},
	{dialect: "anthropic-messages", file: "anthropic_messages/anthropic_thinking_stream.sse", last: "event: message_stop"},
	{dialect: "anthropic-messages", file: "anthropic_messages/anthropic_compaction_cache_stream.sse", last: "event: message_stop"},
	{dialect: "anthropic-messages", file: "anthropic_messages/anthropic-mcp.1.chunks.txt", last: `"type":"message_stop"`},
	{dialect: "anthropic-agent", file: "anthropic_agent/json_envelope_scenarios.sse", last: "[DONE]"},
	{dialect: "anthropic-agent", file: "anthropic_agent/legacy_xml_docx.sse.txt", last: "[DONE]"},
	{dialect: "ag-ui", file: "second_round/agui_tail_twice.sse", last: `"type":"RUN_FINISHED"`},
	{dialect: "ag-ui", text: event("", `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`) +
		event("", `{"type":"RUN_ERROR","message":"no"}`), last: "RUN_ERROR"},
	{dialect: "vercel-ui", file: "vercel_ui/run_web_search_reasoning.sse", last: `"type":"finish"`},
	{dialect: "vercel-ui", file: "vercel_ui/tool_error_retry_error.sse", last: `"type":"finish"`},
	{dialect: "claude-code", file: "claude_code/tool_read_v2.jsonl", last: `"type": "result"`},
	{dialect: "codex", file: "codex_exec/codex_v0142_plan.jsonl", last: `"turn.completed"`},
	{dialect: "codex", file: "codex_exec/codex_v0142_failure.jsonl", last: `"turn.failed"`},
	{dialect: "gemini-cli", text: `{"type":"init","timestamp":"2025-11-01T00:00:00Z","session_id":"s","model":"gemini-2.5-pro"}` + "\n" +
		`{"type":"message","timestamp":"2025-11-01T00:00:01Z","role":"assistant","content":"Hi","delta":true}` + "\n" +
		`{"type":"result","timestamp":"2025-11-01T00:00:02Z","status":"success","stats":{"total_tokens":3}}` + "\n", last: `"type":"result"`},
	{dialect: "langgraph", text: event("metadata", `{"run_id":"1f0a0000-0000-6000-8000-000000000001","attempt":1}`) +
		event("values", `{"messages":[]}`) + event("end", "null"), last: "event: end"},
	{dialect: "langgraph", text: event("metadata", `{"run_id":"1f0a0000-0000-6000-8000-000000000001","attempt":1}`) +
		event("values", `{"messages":[]}`) + event("error", `{"error":"ValueError","message":"no"}`), last: "event: error"},
	{dialect: "compozy", text: event("agent_status", `{"status":"RUNNING","ts":"2026-01-01T00:00:00Z"}`) +
		event("status", `{"component":"agent","task_id":"t1","stage":"llm_request","iteration":0}`) +
		event("complete", `{"status":"SUCCESS","result":{"a":1},"ts":"2026-01-01T00:00:01Z"}`), last: "event: complete"},
	{dialect: "loom", text: `{"type":"node_enter","id":"think"}` + "\n" + `{"type":"message_chunk","content":"Hello","id":"think"}` + "\n" +
		`{"type":"node_exit","id":"think","result":"Ok"}` + "\n" + `{"reply":"Hello","stop_reason":"end_turn"}` + "\n", last: `{"reply"`},
}

func event(name, data string) string {
	if name != "" {
		name = "event: " + name + "\n"
	}
	return name + "data: " + data + "\n\n"
}

// served returns a stream as a server sends it, and split into events.
func served(t *testing.T, file, text string) (media string, events []string) {
	if file != "" {
		text = string(dialecttest.Fixture(t, file))
	}
	if strings.HasSuffix(file, ".chunks.txt") { // events without their framing
		var b strings.Builder
		for line := range strings.Lines(text) {
			var e struct{ Type string }
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			b.WriteString(event(e.Type, strings.TrimSpace(line)))
		}
		text = b.String()
	}
	media, end := "text/event-stream", "\n\n"
	if strings.HasPrefix(text, "{") {
		media, end = "application/x-ndjson", "\n"
	}
	return media, strings.SplitAfter(text, end)
}

// A client that hangs up when it has had the protocol's last event has had all
// there was: its recording is complete. One event earlier it is not.
func TestHangUp(t *testing.T) {
	for i, c := range hangUps {
		t.Run(fmt.Sprintf("%s %d", c.dialect, i), func(t *testing.T) {
			media, events := served(t, c.file, c.text)
			last := 0
			for last < len(events) && !strings.Contains(events[last], c.last) {
				last++
			}
			if last == 0 || last == len(events) {
				t.Fatalf("no event with %s after the first of %d", c.last, len(events))
			}
			cuts := []struct {
				name, text, want string
			}{
				{"after it", strings.Join(events[:last+1], ""), "closed"},
				{"before it", strings.Join(events[:last], ""), "error: the client went away"},
				{"in it", strings.Join(events[:last], "") + events[last][:len(events[last])/2], "error: the client went away"},
			}
			for _, cut := range cuts {
				r := hangUp(t, media, cut.text)
				if r.state.Dialect != c.dialect || r.state.EndReason != cut.want {
					t.Errorf("cut %s: %s ended %q, want %s %q", cut.name, r.state.Dialect, r.state.EndReason, c.dialect, cut.want)
				}
				if got := r.body(schema.Receive); got != cut.text {
					t.Errorf("cut %s: %d bytes recorded of %d", cut.name, len(got), len(cut.text))
				}
			}
		})
	}
}

// hangUp records an answer that its server does not end, and its client does.
func hangUp(t *testing.T, media, text string) recorded {
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", media)
		io.WriteString(w, text)
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}), func(o *Options) { o.Stream.Dialect = "" })
	res, err := s.client.Do(s.request(t, "GET", "/", ""))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(text))
	if _, err := io.ReadFull(res.Body, got); err != nil || !bytes.Equal(got, []byte(text)) {
		t.Fatalf("the client got other bytes: %v", err)
	}
	res.Body.Close()
	return s.one(t)
}
