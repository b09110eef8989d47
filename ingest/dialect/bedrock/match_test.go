package bedrock

import (
	"encoding/base64"
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

func TestMatch(t *testing.T) {
	chunk := func(text string) string {
		return `{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(text)) + `","p":"abc"}`
	}
	for _, tc := range []struct {
		event, line string // with an event the frame is a binary message
		want        dialect.Confidence
	}{
		{"", `{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"x"}}}`, dialect.Certain},
		{"", `{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"t","name":"n"}}}}`, dialect.Certain},
		{"", `{"contentBlockStop":{"contentBlockIndex":0}}`, dialect.Likely},
		{"", `{"messageStart":{"role":"assistant"}}`, dialect.Likely},
		{"", `{"messageStop":{"stopReason":"end_turn"}}`, dialect.Likely},
		{"", `{"metadata":{"usage":{"inputTokens":1}}}`, dialect.Likely},
		{"", `{"throttlingException":{"message":"x"}}`, dialect.Possible},
		{"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"x"},"p":"abc"}`, dialect.Certain},
		{"messageStart", `{"role":"assistant"}`, dialect.Likely},
		{"chunk", chunk(`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","usage":{"input_tokens":1}}}`), dialect.Certain},
		{"chunk", chunk(`{"outputText":"x"}`), dialect.Likely},
		{"chunk", chunk(`{"outputText":"x","amazon-bedrock-invocationMetrics":{"inputTokenCount":1}}`), dialect.Certain},
		{"chunk", chunk(`{"contentBlockStop":{"contentBlockIndex":0},"amazon-bedrock-guardrailAction":"NONE"}`), dialect.Likely},
		{"", `{"contentBlockStop":{"contentBlockIndex":0},"p":"ab","amazon-bedrock-trace":{}}`, dialect.Likely},
		{"", `{"metrics":{"latencyMs":1},"output":{"message":{"content":[{"text":"x"}],"role":"assistant"}},"stopReason":"end_turn","usage":{"inputTokens":1}}`, dialect.Certain},
		{"", `{"output":{"message":{"content":[],"role":"assistant"}},"stopReason":"end_turn"}`, dialect.Likely},
		{"", `{"output":{"message":{"content":[],"role":"assistant"}}}`, dialect.No},
		{"", `{"output":{"message":"x"},"stopReason":"x","usage":{"inputTokens":1}}`, dialect.No},
		{"chunk", chunk(`no JSON`), dialect.Possible},

		// Frames of other dialects.
		{"", `{"contentBlockDelta":{"contentBlockIndex":0,"delta":{}},"more":1}`, dialect.No},
		{"", `{"contentBlockDelta":{"index":0,"delta":{}}}`, dialect.No},
		{"", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`, dialect.No},
		{"", `{"metadata":{"a":1}}`, dialect.No},
		{"", `{"messageStop":"x"}`, dialect.No},
		{"PayloadPart", `{"bytes":"e30="}`, dialect.No},
		{"chunk", `{"bytes":"?"}`, dialect.No},
		{"", `[]`, dialect.No},
	} {
		in := dialect.Input{Frame: &schema.Frame{}, Data: []byte(tc.line), JSON: fastjson.MustParse(tc.line), Event: tc.event}
		if tc.event != "" {
			in.Transport = schema.EventStream
		}
		if got, why := match(&in); got != tc.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s %s: %d (%q), want %d", tc.event, tc.line, got, why, tc.want)
		}
	}
}

func TestOperation(t *testing.T) {
	for _, tc := range []struct {
		path, model string
		op          operation
	}{
		{"/model/us.amazon.nova-lite-v1%3A0/converse-stream", "us.amazon.nova-lite-v1:0", converse},
		{"/gateway/model/m/converse", "m", converse},
		{"/model/m/invoke", "m", invokeModel},
		{"/model/arn:aws:bedrock:us-east-1:1:inference-profile/us.nova/invoke-with-response-stream", "arn:aws:bedrock:us-east-1:1:inference-profile/us.nova", invokeModel},
		{"/model/m/count-tokens", "", otherOperation},
		{"/model/converse", "", otherOperation},
		{"/v1/messages", "", otherOperation},
	} {
		if model, op := operationOf([]byte(tc.path)); op != tc.op || op != otherOperation && model != tc.model {
			t.Errorf("%s: %q %d, want %q %d", tc.path, model, op, tc.model, tc.op)
		}
	}
}
