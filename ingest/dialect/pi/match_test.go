package pi

import (
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

func inputOf(line string) *dialect.Input {
	in := &dialect.Input{Frame: &schema.Frame{}, Data: []byte(line)}
	if fastjson.Validate(line) == nil {
		in.JSON = fastjson.MustParse(line)
	}
	return in
}

func TestMatch(t *testing.T) {
	const at = `"timestamp":"2025-12-03T14:00:01.000Z"`
	tests := []struct {
		want dialect.Confidence
		line string
	}{
		{dialect.Certain, `{"type":"session","version":3,"id":"s","timestamp":"2025-12-03T14:00:00.000Z","cwd":"/w"}`},
		{dialect.Certain, `{"type":"session","id":"s","timestamp":"2025-12-03T14:00:00.000Z","cwd":"/w","provider":"openai","modelId":"m"}`},
		{dialect.Likely, `{"type":"session","id":"s","timestamp":"2025-12-03T14:00:00.000Z","cwd":"/w"}`},
		{dialect.Certain, `{"type":"message_start","message":{"role":"assistant","content":[],"api":"openai-responses","provider":"openai","model":"m"}}`},
		{dialect.Likely, `{"type":"message_end","message":{"role":"user","content":"x","timestamp":1767401000000}}`},
		{dialect.Certain, `{"type":"message_update","message":{},"assistantMessageEvent":{"type":"text_delta","delta":"x"}}`},
		{dialect.Certain, `{"type":"turn_end","message":{"role":"assistant"},"toolResults":[]}`},
		{dialect.Certain, `{"type":"tool_execution_start","toolCallId":"c","toolName":"read","args":{}}`},
		{dialect.Certain, `{"type":"message",` + at + `,"message":{"role":"toolResult","toolCallId":"c","toolName":"read","content":[]}}`},
		{dialect.Likely, `{"type":"message",` + at + `,"message":{"role":"user","content":"x","timestamp":1767401000000}}`},
		{dialect.Likely, `{"type":"agent_end","messages":[]}`},
		{dialect.Likely, `{"type":"model_change",` + at + `,"provider":"openai","modelId":"m"}`},
		{dialect.Possible, `{"type":"agent_start"}`},
		{dialect.No, `{"type":"session","id":"s"}`},
		{dialect.No, `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"m"}}`},
		{dialect.No, `{"type":"message","message":{"role":"user","content":"x","timestamp":1767401000000}}`},
		{dialect.No, `{"type":"message",` + at + `,"role":"user","content":"x"}`},
		{dialect.No, `{"type":"user",` + at + `,"message":{"role":"user","content":"x"},"sessionId":"s"}`},
		{dialect.No, `[1]`},
		{dialect.No, `text`},
	}
	for _, test := range tests {
		got, why := match(inputOf(test.line))
		if got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
}

func TestTime(t *testing.T) {
	for line, want := range map[string]int64{
		`{"type":"message","timestamp":"2026-01-01T00:00:00.250Z","message":{"timestamp":1}}`: 1767225600_250_000_000,
		`{"type":"message_start","message":{"timestamp":1767225600250}}`:                      1767225600_250_000_000,
		`{"type":"turn_end","message":{"timestamp":1767225600250}}`:                           0,
		`{"type":"session","timestamp":"2026-01-01T00:00:00.250Z"}`:                           0,
		`{"type":"agent_start"}`: 0,
		`text`:                   0,
	} {
		if got := timeOf(inputOf(line)); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}
