package agui

import (
	"strings"
	"testing"
	"time"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// input makes an input of a line. The prefix ">" marks a frame that the client sends.
func input(line string) *dialect.Input {
	f := schema.Frame{}
	if rest, ok := strings.CutPrefix(line, ">"); ok {
		f.Direction, line = schema.Send, rest
	}
	in := &dialect.Input{Frame: &f, Data: []byte(line)}
	if fastjson.Validate(line) == nil {
		in.JSON = fastjson.MustParse(line)
	}
	return in
}

func TestMatch(t *testing.T) {
	tests := []struct {
		want dialect.Confidence
		line string
	}{
		{dialect.Certain, `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`},
		{dialect.Likely, `{"type":"RUN_STARTED","runId":"r"}`},
		{dialect.Likely, `{"type":"RUN_FINISHED","threadId":7,"runId":8}`},
		{dialect.Likely, `{"type":"RUN_ERROR","message":"x"}`},
		{dialect.Likely, `{"type":"TOOL_CALL_START","toolCallId":1,"toolCallName":"x"}`},
		{dialect.Certain, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}`},
		{dialect.Certain, `{"type":"TEXT_MESSAGE_CHUNK","delta":"x"}`},
		{dialect.Certain, `{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"x"}`},
		{dialect.Certain, `{"type":"TOOL_CALL_START","toolCallId":"a","toolCallName":"x"}`},
		{dialect.Likely, `{"type":"STATE_SNAPSHOT","snapshot":null}`},
		{dialect.Likely, `{"type":"STATE_DELTA","delta":[]}`},
		{dialect.Certain, `>{"threadId":"t","runId":"r","messages":[],"tools":[]}`},
		{dialect.Likely, `>{"threadId":"t","runId":"r","messages":[]}`},
		{dialect.Likely, `{"type":"THINKING_END"}`},
		{dialect.Likely, `{"type":"TEXT_MESSAGE_START"}`},
		{dialect.Likely, `{"type":"CUSTOM","name":"n","value":1}`},
		{dialect.Likely, `{"type":"RAW","event":{}}`},
		{dialect.Possible, `{"type":"RAW"}`},
		{dialect.Possible, `{"type":"CUSTOM","value":1}`},

		// Frames of other dialects.
		{dialect.No, `{"type":"UNKNOWN_EVENT_TYPE"}`},
		{dialect.No, `{"type":"custom","value":1}`},
		{dialect.No, `{"type":"run_started","runId":"r"}`},
		{dialect.No, `{"type":"text-delta","id":"0","delta":"x"}`},
		{dialect.No, `{"type":"tool_call","name":"x"}`},
		{dialect.No, `{"statusUpdate":{"status":{"state":"TASK_STATE_WORKING"}}}`},
		{dialect.No, `>{"model":"m","messages":[]}`},
		{dialect.No, `>{"id":"c","messages":[],"trigger":"submit-message"}`},
		{dialect.No, `>{"type":"RUN_STARTED","threadId":"t","runId":"r"}`},
		{dialect.No, `{}`},
		{dialect.No, `[1]`},
		{dialect.No, `text`},
	}
	for _, test := range tests {
		got, why := match(input(test.line))
		if got != test.want || got != dialect.No && why == "" {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
}

func TestTime(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	tests := []struct {
		line string
		want int64
	}{
		{`{"type":"RAW","timestamp":1767225600000}`, at.UnixNano()},
		{`{"type":"RAW","timestamp":1767225600000.5}`, at.UnixNano() + 500_000},
		{`{"type":"RAW","timestamp":1767225600}`, 0}, // in seconds
		{`{"type":"RAW","timestamp":1767225600000000000}`, 0},
		{`{"type":"RAW","timestamp":-1}`, 0},
		{`{"type":"RAW","timestamp":"1767225600000"}`, 0},
		{`{"type":"RAW","timestamp":null}`, 0},
		{`{"type":"RAW"}`, 0},
		{`[1]`, 0},
		{`text`, 0},
	}
	for _, test := range tests {
		if got := timeOf(input(test.line)); got != test.want {
			t.Errorf("%s: %d, want %d", test.line, got, test.want)
		}
	}
}
