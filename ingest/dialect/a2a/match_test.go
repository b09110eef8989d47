package a2a

import (
	"testing"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
)

// Messages of other protocols over JSON-RPC do not match.
func TestMatch(t *testing.T) {
	tests := []struct {
		want dialect.Confidence
		line string
	}{
		{dialect.Certain, "head POST / HTTP/1.1|A2A-Version: 1.0"},
		{dialect.No, "head POST / HTTP/1.1|Content-Type: application/json"},
		{dialect.Certain, `> {"jsonrpc":"2.0","id":1,"method":"message/stream","params":{"message":{"role":"user","parts":[],"messageId":"m"}}}`},
		{dialect.Certain, `> {"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{"role":"ROLE_USER","parts":[]}}}`},
		{dialect.Likely, `> {"jsonrpc":"2.0","id":1,"method":"tasks/resubscribe","params":{"id":"t"}}`},
		{dialect.Possible, `> {"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t"}}`},
		{dialect.Likely, `> {"message":{"role":"ROLE_USER","parts":[{"text":"x"}],"messageId":"m"}}`},
		{dialect.Certain, `{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t","contextId":"c","status":{"state":"working"}}}`},
		{dialect.Certain, `{"jsonrpc":"2.0","id":1,"result":{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"completed"},"final":true}}`},
		{dialect.Certain, `{"jsonrpc":"2.0","id":1,"result":{"kind":"artifact-update","taskId":"t","artifact":{"artifactId":"a","parts":[]}}}`},
		{dialect.Certain, `{"jsonrpc":"2.0","id":1,"result":{"kind":"message","role":"agent","parts":[],"messageId":"m"}}`},
		{dialect.Certain, `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}}`},
		{dialect.Certain, `{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_INPUT_REQUIRED"}}}`},
		{dialect.Certain, `{"artifactUpdate":{"taskId":"t","artifact":{"parts":[]}}}`},
		{dialect.Certain, `{"message":{"role":"ROLE_AGENT","parts":[],"messageId":"m"}}`},
		{dialect.Likely, `{"id":"t","contextId":"c","status":{"state":"working"}}`},
		{dialect.Possible, `{"id":"t","status":{"state":"working"}}`},
		{dialect.Possible, `{"kind":"status-update"}`},
		{dialect.No, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{dialect.No, `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Task not found"}}`},
		{dialect.No, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","arguments":{}}}`},
		{dialect.No, `{"jsonrpc":"2.0","id":43,"result":{"task":{"taskId":"t-1","status":"working"}}}`},
		{dialect.No, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s"}}`},
		{dialect.No, `{"id":"x","status":"completed","object":"response"}`},
		{dialect.No, `{"message":{"role":"assistant","content":"x"},"done":false}`},
		{dialect.No, `{"kind":"task"}`},
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
		`{"jsonrpc":"2.0","result":{"kind":"task","status":{"state":"working","timestamp":"2026-01-01T00:00:00.250Z"}}}`: 1767225600_250_000_000,
		`{"jsonrpc":"2.0","result":{"statusUpdate":{"status":{"timestamp":"2026-01-01T01:00:00+01:00"}}}}`:               1767225600_000_000_000,
		`{"statusUpdate":{"status":{"timestamp":"2026-01-01T00:00:00.250000"}}}`:                                         1767225600_250_000_000,
		`{"statusUpdate":{"status":{"timestamp":"now"}}}`:                                                                0,
		`{"artifactUpdate":{}}`: 0,
		`[]`:                    0,
		`text`:                  0,
	} {
		if got := Dialect.Time(dialecttest.Line(line)); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}

func TestEnds(t *testing.T) {
	for line, want := range map[string]bool{
		`{"result":{"kind":"status-update","taskId":"t","status":{"state":"completed"},"final":true}}`: true,
		`{"result":{"kind":"status-update","taskId":"t","status":{"state":"working"}}}`:                false,
		`{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_AUTH_REQUIRED"}}}`:                true,
		`{"task":{"id":"t","status":{"state":"TASK_STATE_SUBMITTED"}}}`:                                false,
		`{"message":{"role":"ROLE_AGENT","parts":[{"text":"x"}]}}`:                                     true,
		`{"artifactUpdate":{"taskId":"t","artifact":{"parts":[]},"lastChunk":true}}`:                   false,
		`{"error":{"code":-32001,"message":"Task not found"}}`:                                         true,
	} {
		in := dialecttest.Line(line)
		d := Dialect.New("s")
		d.Decode(in, dialect.NewEmitter("s"))
		if got := Dialect.Ends(in); got != want {
			t.Errorf("%s: %t", line, got)
		}
	}
}
