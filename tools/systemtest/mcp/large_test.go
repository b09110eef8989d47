package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// largeRecording returns a run with many tool calls, one of which failed, with arguments and results of
// very different lengths.
func largeRecording(calls, failed int) []byte {
	var b bytes.Buffer
	line := func(v any) {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // strings can be encoded
		}
		b.Write(append(text, '\n'))
	}
	line(map[string]any{"type": "RUN_STARTED", "threadId": "t-large", "runId": "run-large"})
	for i := range calls {
		id := fmt.Sprintf("call-%04d", i)
		line(map[string]any{"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": fmt.Sprintf("tool-%d", i%300)})
		line(map[string]any{"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": `{"text":"` + strings.Repeat("ä", 1+i*7%900) + `"}`})
		line(map[string]any{"type": "TOOL_CALL_END", "toolCallId": id})
		text := strings.Repeat("\u2028\"\\ line\n", 1+i%60)
		if i == failed {
			text = strings.Repeat("everything is very long ", 20_000)
		}
		line(map[string]any{"type": "TOOL_CALL_RESULT", "messageId": "m" + id, "toolCallId": id, "content": text})
	}
	line(map[string]any{"type": "RUN_ERROR", "message": strings.Repeat("the run failed at length ", 2_000)})
	return b.Bytes()
}

// Each tool answers within 20 KB of a recording with thousands of spans and long texts, and the call
// in more of each answer answers, too.
func TestLargeRecording(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	const id, calls, long = "large-recording", 2_000, 1_234
	commandtest.Post(t, s, id, "application/x-ndjson", largeRecording(calls, long))
	bounded.Until(t, "all of the recording", func() bool {
		status, _, _ := s.Get(t, "/v1/sessions/"+id)
		return status == 200 && !s.Session(t, id).Status.Open() && s.Session(t, id).Tools.Calls == calls
	})
	c := overHTTP(t, s)
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	arguments := map[string]map[string]any{
		"find_sessions": {"query": id, "limit": 100_000}, "session_outline": {"session": id}, "session_errors": {"session": id},
		"read_messages": {"session": id, "bytes": 100_000, "limit": 100_000}, "read_span": {"session": id, "span": fmt.Sprintf("tool:call-%04d", long)},
		"read_frames": {"session": id, "bytes": 100_000, "limit": 100_000}, "search_text": {"query": "line", "limit": 100_000, "session": []string{id}},
		"compare_sessions": {"a": id, "b": id, "same": true}, "open_calls": {}, "tool_stats": {"query": id, "slowest": 100_000}, "usage_report": {"query": id},
		"add_note": {"session": id, "text": strings.Repeat("ä", 2_000)},
	}
	for _, tool := range tools.Tools {
		given, known := arguments[tool.Name]
		if !known {
			t.Errorf("%s is not tried", tool.Name)
			continue
		}
		follow(t, c, tool.Name, given)
	}
}

// follow calls a tool and the first five calls of a chain that its answers name.
func follow(t *testing.T, c *mcp.ClientSession, tool string, arguments map[string]any) {
	t.Helper()
	for range 5 {
		var answer struct {
			Outline string
			More    []struct {
				What, Tool string
				Arguments  map[string]any
			}
		}
		call(t, c, tool, arguments, &answer)
		if answer.Outline == "" {
			t.Errorf("%s has no outline", tool)
		}
		if len(answer.More) == 0 {
			return
		}
		for _, m := range answer.More[1:] {
			var rest json.RawMessage
			call(t, c, m.Tool, m.Arguments, &rest)
		}
		tool, arguments = answer.More[0].Tool, answer.More[0].Arguments
	}
}
