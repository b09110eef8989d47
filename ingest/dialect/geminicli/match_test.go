package geminicli

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
		{dialect.Certain, `{"type":"init","timestamp":"2026-01-01T00:00:00.000Z","session_id":"s","model":"auto"}`},
		{dialect.Certain, `{"type":"tool_use","timestamp":"t","tool_name":"x","tool_id":"x-1","parameters":{}}`},
		{dialect.Certain, `{"type":"tool_result","timestamp":"t","tool_id":"x-1","status":"success"}`},
		{dialect.Certain, `{"type":"result","timestamp":"t","status":"success","stats":{"total_tokens":0}}`},
		{dialect.Likely, `{"type":"result","timestamp":"t","status":"error","error":{"type":"x","message":"y"}}`},
		{dialect.Likely, `{"type":"message","timestamp":"t","role":"user","content":"x"}`},
		{dialect.Likely, `{"type":"error","timestamp":"t","severity":"warning","message":"x"}`},
		{dialect.Possible, `{"type":"message","role":"user","content":"x"}`},
		{dialect.No, `{"type":"message","id":"m","role":"user","content":[{"type":"text","text":"x"}]}`},
		{dialect.No, `{"type":"tool_use","timestamp":1,"sessionID":"s","part":{}}`},
		{dialect.No, `{"type":"tool_use","id":"t","name":"x","input":{}}`},
		{dialect.No, `{"type":"result","subtype":"success","is_error":false,"session_id":"s"}`},
		{dialect.No, `{"type":"error","message":"x"}`},
		{dialect.No, `{"type":"system","subtype":"init","session_id":"s","model":"m"}`},
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

func TestTime(t *testing.T) {
	for line, want := range map[string]int64{
		`{"type":"init","timestamp":"2026-01-01T00:00:00.250Z"}`: 1767225600_250_000_000,
		`{"timestamp":"2026-01-01T01:00:00+01:00"}`:              1767225600_000_000_000,
		`{"timestamp":"..."}`:                                    0,
		`{"timestamp":1767225600250}`:                            0,
		`{"timestamp":null}`:                                     0,
		`[]`:                                                     0,
		`text`:                                                   0,
	} {
		if got := Dialect.Time(dialecttest.Line(line)); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}
