package cohere

import (
	"testing"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		want dialect.Confidence
		line string
	}{
		{dialect.Certain, `{"id":"x","type":"message-start","delta":{"message":{"role":"assistant","content":[]}}}`},
		{dialect.Certain, `{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"text","text":""}}}}`},
		{dialect.Certain, `{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"Hi"}}}}`},
		{dialect.Certain, `{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"I"}}}`},
		{dialect.Certain, `{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"x","type":"function","function":{"name":"f","arguments":""}}}}}`},
		{dialect.Certain, `{"type":"citation-start","index":0,"delta":{"message":{"citations":{"start":0}}}}`},
		{dialect.Certain, `{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}`},
		{dialect.Certain, `{"id":"x","finish_reason":"COMPLETE","message":{"role":"assistant","content":[]},"usage":{}}`},
		{dialect.Possible, `{"type":"tool-call-end","index":0}`},
		{dialect.No, `{"type":"tool-call-delta","delta":"x"}`},
		{dialect.No, `{"type":"message-start","id":"x"}`},
		{dialect.No, `{"type":"message-end"}`},
		{dialect.No, `{"type":"text-delta","id":"0","delta":"Hi"}`},
		{dialect.No, `{"type":"message_start","message":{"role":"assistant"}}`},
		{dialect.No, `{"id":"x","choices":[{"finish_reason":"stop","message":{"role":"assistant"}}],"usage":{}}`},
		{dialect.No, `[1]`},
		{dialect.No, `text`},
	}
	for _, test := range tests {
		got, why := match(dialecttest.Line(test.line))
		if got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
}
