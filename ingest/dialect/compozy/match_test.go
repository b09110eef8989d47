package compozy

import (
	"strings"
	"testing"
	"time"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// input makes an SSE event from "event
// data", or a request's head from "^…".
func input(line string) *dialect.Input {
	f := &schema.Frame{Transport: schema.SSE}
	if head, ok := strings.CutPrefix(line, "^"); ok {
		f.Transport, f.Flags, f.Raw = schema.HTTP, schema.FlagNote, []byte(head+"\r\n\r\n")
		return &dialect.Input{Frame: f}
	}
	event, data, _ := strings.Cut(line, "|")
	in := &dialect.Input{Frame: f, Event: event, Data: []byte(data)}
	if fastjson.Validate(data) == nil {
		in.JSON = fastjson.MustParse(data)
	}
	return in
}

func TestMatch(t *testing.T) {
	tests := []struct {
		want dialect.Confidence
		line string
	}{
		{dialect.Certain, `workflow_start|{"workflow_id":"w","execution_id":"e"}`},
		{dialect.Likely, `workflow_start|{"workflowId":"w"}`},
		{dialect.Likely, `workflow_status|{"status":"RUNNING"}`},
		{dialect.Likely, `agent_status|{"status":"RUNNING","ts":"2026-01-01T00:00:00Z"}`},
		{dialect.Certain, `status|{"component":"agent","stage":"llm_request"}`},
		{dialect.Certain, `llm_chunk|{"component":"agent","sequence":1,"content":"x"}`},
		{dialect.Certain, `structured_delta|{"component":"agent","sequence":1,"content":"x","complete":false}`},
		{dialect.Likely, `tool_call|{"tool_call_id":"c","tool_name":"t","duration_ms":1}`},
		{dialect.Certain, `|{"id":1,"exec_id":"e","type":"complete","ts":"","data":{"status":"SUCCESS"}}`},
		{dialect.Likely, `tool_call|{"toolName":"t","args":{}}`},
		{dialect.Likely, `structured_delta|{"partial":{}}`},
		{dialect.Likely, `complete|{"status":"SUCCESS"}`},
		{dialect.Likely, `complete|{"result":{},"durationMs":1}`},
		{dialect.Likely, `error|{"status":"TIMED_OUT"}`},
		{dialect.Likely, "^GET /api/v0/executions/agents/E/stream?poll_ms=500 HTTP/1.1"},
		{dialect.Possible, `llm_chunk|text`},
		{dialect.Possible, `error|{"message":"x"}`},
		{dialect.No, `error|{"type":"error","error":{"type":"overloaded_error","message":"x"}}`},
		{dialect.No, `|{"type":"tool_call","call_id":"c","name":"t","arguments":{}}`},
		{dialect.No, `|{"type":"complete"}`},
		{dialect.No, `status|{"status":"ok"}`},
		{dialect.No, `|text`},
		{dialect.No, `workflow_status|{"status":"done"}`},
		{dialect.No, "^GET /api/v0/executions/agents/E HTTP/1.1"},
		{dialect.No, "^POST /v1/messages HTTP/1.1"},
		{dialect.No, "^HTTP/1.1 200 OK"},
	}
	for _, test := range tests {
		got, why := match(input(test.line))
		if got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
}

func TestFrameTime(t *testing.T) {
	at := time.Date(2025, 10, 22, 12, 45, 3, 123456000, time.UTC).UnixNano()
	for line, want := range map[string]int64{
		`workflow_status|{"status":"RUNNING","ts":"2025-10-22T12:45:03.123456Z"}`:         at,
		`|{"id":1,"exec_id":"e","type":"status","ts":"2025-10-22T14:45:03.123456+02:00"}`: at,
		`|{"type":"x","data":{"ts":"2025-10-22T12:45:03.123456Z"}}`:                       at,
		`agent_status|{"status":"PENDING","ts":"0001-01-01T00:00:00Z"}`:                   0,
		`agent_status|{"status":"PENDING","ts":1761137103}`:                               0,
		`agent_status|{"status":"PENDING"}`:                                               0,
		`llm_chunk|2025-10-22T12:45:03Z`:                                                  0,
	} {
		if got := frameTime(input(line)); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}
